//! References inside of flexes.

use std::ops::Range;

use super::model::ModelArrays;
use super::validate::Null::{Allowed, Refused};
use super::validate::{Check, hierarchy, invalid, row};

/// Edges of an element, by dimension.
const EDGES: [usize; 3] = [1, 3, 6];

/// The piece of an array of `len` numbers that `count` numbers from `start` on are.
fn span(
    field: &'static str,
    flex: usize,
    start: i32,
    count: usize,
    len: usize,
) -> Result<Range<usize>, super::validate::InvalidReference> {
    if count == 0 {
        return Ok(0..0);
    }
    let range = usize::try_from(start).ok().and_then(|s| Some(s..s.checked_add(count)?));
    match range.filter(|range| range.end <= len) {
        Some(range) => Ok(range),
        None => invalid(field, flex, start, format!("{count} values do not fit in {len}"))
            .map(|()| 0..0),
    }
}

impl ModelArrays {
    /// Needs counts and addresses that have been checked.
    pub(super) fn validate_flex(&self, f: usize) -> Check {
        let dim = match self.flex_dim[f] {
            dim @ 1..=3 => dim as usize,
            dim => return invalid("flex_dim", f, dim, "a dimension is 1, 2 or 3"),
        };
        let (verts, elems) = (self.flex_vertnum[f] as usize, self.flex_elemnum[f] as usize);
        let edges = self.flex_edgenum[f] as usize;
        let elem = span(
            "flex_elemdataadr",
            f,
            self.flex_elemdataadr[f],
            elems * (dim + 1),
            self.nflexelemdata,
        )?;
        for i in elem {
            row("flex_elem", i, self.flex_elem[i], verts, Refused)?;
        }
        let of_elements = EDGES[dim - 1] * elems;
        let start = self.flex_elemedgeadr[f];
        for i in span("flex_elemedgeadr", f, start, of_elements, self.nflexelemedge)? {
            row("flex_elemedge", i, self.flex_elemedge[i], edges, Refused)?;
        }
        let shells = usize::try_from(self.flex_shellnum[f]).unwrap_or(usize::MAX / dim);
        let start = self.flex_shelldataadr[f];
        for i in span("flex_shelldataadr", f, start, shells * dim, self.nflexshelldata)? {
            row("flex_shell", i, self.flex_shell[i], verts, Refused)?;
        }
        for i in span("flex_edgeadr", f, self.flex_edgeadr[f], edges, self.nflexedge)? {
            for k in 0..2 {
                row("flex_edge", i, self.flex_edge[i][k], verts, Refused)?;
                row("flex_edgeflap", i, self.flex_edgeflap[i][k], verts, Allowed)?;
            }
        }
        let pairs = self.flex_evpairnum[f] as usize;
        for i in span("flex_evpairadr", f, self.flex_evpairadr[f], pairs, self.nflexevpair)? {
            row("flex_evpair", i, self.flex_evpair[i][0], elems, Refused)?;
            row("flex_evpair", i, self.flex_evpair[i][1], verts, Refused)?;
        }
        hierarchy("bvh_child", &self.bvh_child, self.flex_bvhadr[f], self.flex_bvhnum[f])?;
        let nodes = self.flex_bvhnum[f] as usize;
        for i in span("flex_bvhadr", f, self.flex_bvhadr[f], nodes, self.nbvh)? {
            row("bvh_nodeid", i, self.bvh_nodeid[i], elems, Allowed)?;
        }
        self.validate_interpolation(f, verts, elems)
    }

    fn validate_interpolation(&self, f: usize, verts: usize, elems: usize) -> Check {
        let nodes = self.flex_nodenum[f];
        let order = self.flex_interp[f];
        if !matches!((order, nodes), (0, 0) | (1, 8) | (2, 27)) {
            return invalid("flex_interp", f, order, format!("there are {nodes} nodes"));
        }
        let range = span("flex_vertadr", f, self.flex_vertadr[f], verts, self.nflexvert)?;
        if order == 0 {
            for i in range {
                row("flex_vertbodyid", i, self.flex_vertbodyid[i], self.nbody, Refused)?;
            }
            return Ok(());
        }
        // The matrix of the brick stands in place of those of the elements.
        let matrix = 9 * (nodes * nodes) as usize;
        let own = span("flex_elemadr", f, self.flex_elemadr[f], elems, self.nflexelem)?;
        let stiff = self.flex_stiffness[own].iter().flatten().any(|&k| k != 0.0);
        if stiff && matrix > 21 * elems {
            return invalid("flex_elemnum", f, elems as i32, "too few for the matrix of the nodes");
        }
        Ok(())
    }
}

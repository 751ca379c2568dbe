//! Removal of what only serves drawing (`discardvisual`): geoms that cannot collide and that
//! nothing refers to, and meshes that no remaining geom uses.

use std::collections::HashSet;

use super::context::Context;
use super::mesh::MeshPlan;
use super::tree::Tree;
use crate::enums::ObjType;
use crate::spec::WrapTarget;

pub(super) fn discard_visual(cx: &Context, tree: &mut Tree, meshes: &mut Vec<MeshPlan>) {
    let spec = cx.spec;
    let mut used: HashSet<&str> = HashSet::new();
    let mut used_meshes: HashSet<&str> = HashSet::new();
    used.extend(spec.pairs.values().flat_map(|p| [p.geomname1.as_str(), p.geomname2.as_str()]));
    for s in spec.sensors.values() {
        for (kind, name) in [(s.objtype, &s.objname), (s.reftype, &s.refname)] {
            match kind {
                ObjType::Geom => drop(used.insert(name)),
                ObjType::Mesh => drop(used_meshes.insert(name)),
                _ => {}
            }
        }
    }
    for tuple in spec.tuples.values() {
        let objects = tuple.objtype.iter().zip(&tuple.objname);
        used.extend(objects.filter(|(k, _)| **k == ObjType::Geom).map(|(_, n)| n.as_str()));
    }
    for wrap in spec.tendons.values().flat_map(|t| &t.path) {
        if let WrapTarget::Geom { geom, .. } = &wrap.target {
            used.insert(geom);
        }
    }
    used.remove("");

    let keep: Vec<bool> = tree
        .geoms
        .iter()
        .map(|g| {
            let source = &spec.geoms[g.key];
            source.contype != 0 || source.conaffinity != 0 || used.contains(source.name.as_str())
        })
        .collect();
    let new_index = numbering(&keep);
    for body in &mut tree.bodies {
        body.geoms.retain(|&g| keep[g]);
        body.geoms.iter_mut().for_each(|g| *g = new_index[*g]);
    }
    let mut kept = keep.iter();
    tree.geoms.retain(|_| kept.next().is_some_and(|&k| k));

    let by_geoms: HashSet<usize> = tree.geoms.iter().filter_map(|g| g.mesh).collect();
    let keep: Vec<bool> = meshes
        .iter()
        .enumerate()
        .map(|(i, m)| by_geoms.contains(&i) || used_meshes.contains(m.name.as_str()))
        .collect();
    let new_index = numbering(&keep);
    for geom in &mut tree.geoms {
        geom.mesh = geom.mesh.map(|m| new_index[m]);
    }
    let mut kept = keep.iter();
    meshes.retain(|_| kept.next().is_some_and(|&k| k));
}

/// New index of each kept element.
fn numbering(keep: &[bool]) -> Vec<usize> {
    keep.iter()
        .scan(0, |next, &k| {
            let index = *next;
            *next += usize::from(k);
            Some(index)
        })
        .collect()
}

//! Flexes as arrays.

use corten_math::Vec3;
use corten_math::memory::Grow;

use super::{FlexPlan, bending, stretch};
use crate::ModelArrays;

/// Needs the static bounding trees in place: those of flexes follow them.
pub(in crate::compile) fn write(m: &mut ModelArrays, flexes: &[FlexPlan]) {
    m.nflex = flexes.len();
    m.resize();
    for (i, plan) in flexes.iter().enumerate() {
        parameters(m, i, plan);
        vertices(m, i, plan);
        elements(m, i, plan);
        edges(m, i, plan);
        tree(m, i, plan);
    }
    m.nflexnode = m.flex_nodebodyid.len();
    m.nflexvert = m.flex_vertbodyid.len();
    m.nflexedge = m.flex_edge.len();
    m.nflexelem = m.flex_elemlayer.len();
    m.nflexelemdata = m.flex_elem.len();
    m.nflexelemedge = m.flex_elemedge.len();
    m.nflexshelldata = m.flex_shell.len();
    m.nflexevpair = m.flex_evpair.len();
    m.nflextexcoord = m.flex_texcoord.len();
    m.resize();
}

fn parameters(m: &mut ModelArrays, i: usize, plan: &FlexPlan) {
    let s = plan.source;
    m.flex_contype[i] = s.contype;
    m.flex_conaffinity[i] = s.conaffinity;
    m.flex_condim[i] = s.condim;
    m.flex_priority[i] = s.priority;
    m.flex_solmix[i] = s.solmix;
    m.flex_solref[i] = s.solref;
    m.flex_solimp[i] = s.solimp;
    m.flex_friction[i] = Vec3(s.friction);
    m.flex_margin[i] = s.margin;
    m.flex_gap[i] = s.gap;
    m.flex_internal[i] = s.internal.into();
    m.flex_selfcollide[i] = s.selfcollide.raw();
    m.flex_activelayers[i] = s.activelayers;
    m.flex_passive[i] = s.passive.into();
    m.flex_dim[i] = s.dim;
    m.flex_matid[i] = plan.matid;
    m.flex_group[i] = s.group;
    m.flex_interp[i] = plan.order as i32;
    m.flex_radius[i] = s.radius;
    m.flex_damping[i] = s.damping;
    m.flex_edgestiffness[i] = s.edgestiffness;
    m.flex_edgedamping[i] = s.edgedamping;
    m.flex_rigid[i] = plan.rigid.into();
    m.flex_centered[i] = plan.centered.into();
    m.flex_flatskin[i] = s.flatskin.into();
    m.flex_rgba[i] = s.rgba;
    m.flex_bending_model[i] = plan.laws.0.raw();
    m.flex_elasticity_model[i] = plan.laws.1.raw();
    m.flex_material[i] = [s.young, s.poisson, s.thickness];
}

fn points(numbers: &[f64], count: usize) -> impl Iterator<Item = Vec3> + '_ {
    let given = numbers.as_chunks::<3>().0.iter().map(|&x| Vec3(x));
    given.chain(std::iter::repeat(Vec3::ZERO)).take(count)
}

fn vertices(m: &mut ModelArrays, i: usize, plan: &FlexPlan) {
    let s = plan.source;
    m.flex_vertadr[i] = m.flex_vertbodyid.len() as i32;
    m.flex_vertnum[i] = plan.vertbodyid.len() as i32;
    m.flex_vertbodyid.grow_extend_from_slice(&plan.vertbodyid);
    m.flex_vert.grow_extend(points(&s.vert, plan.vertbodyid.len()));
    m.flex_vert0.grow_extend_from_slice(&plan.vert0);
    m.flex_rest.grow_extend_from_slice(&plan.rest);
    m.flex_nodeadr[i] = m.flex_nodebodyid.len() as i32;
    m.flex_nodenum[i] = plan.nodebodyid.len() as i32;
    m.flex_nodebodyid.extend_from_slice(&plan.nodebodyid);
    m.flex_node.extend(points(&s.node, plan.nodebodyid.len()));
    m.flex_node0.extend_from_slice(&plan.node0);
    m.flex_texcoordadr[i] = if s.texcoord.is_empty() { -1 } else { m.flex_texcoord.len() as i32 };
    m.flex_texcoord.grow_extend_from_slice(s.texcoord.as_chunks::<2>().0);
}

/// The address of a list that may be empty.
fn address(list: usize, count: usize) -> i32 {
    if count == 0 { -1 } else { list as i32 }
}

fn elements(m: &mut ModelArrays, i: usize, plan: &FlexPlan) {
    let count = plan.border.layer.len();
    let shell = &plan.border.shell;
    m.flex_elemadr[i] = m.flex_elemlayer.len() as i32;
    m.flex_elemnum[i] = count as i32;
    m.flex_elemdataadr[i] = m.flex_elem.len() as i32;
    m.flex_elemedgeadr[i] = m.flex_elemedge.len() as i32;
    m.flex_elem.grow_extend_from_slice(&plan.elem);
    m.flex_elemtexcoord.grow_extend_from_slice(&plan.elemtexcoord);
    m.flex_elemedge.grow_extend_from_slice(&plan.edges.of_element);
    m.flex_elemlayer.grow_extend_from_slice(&plan.border.layer);
    m.flex_shellnum[i] = shell.len() as i32 / plan.source.dim;
    m.flex_shelldataadr[i] = address(m.flex_shell.len(), shell.len());
    m.flex_shell.grow_extend_from_slice(shell);
    m.flex_evpairnum[i] = plan.border.pairs.len() as i32;
    m.flex_evpairadr[i] = address(m.flex_evpair.len(), plan.border.pairs.len());
    m.flex_evpair.extend_from_slice(&plan.border.pairs);
    m.flex_stiffness.grow_extend_from_slice(plan.stiffness.as_chunks::<{ stretch::STRIDE }>().0);
    m.flex_stiffness.grow_resize(m.flex_elemlayer.len(), [0.0; stretch::STRIDE]);
}

fn edges(m: &mut ModelArrays, i: usize, plan: &FlexPlan) {
    m.flex_edgeadr[i] = m.flex_edge.len() as i32;
    m.flex_edgenum[i] = plan.edges.edge.len() as i32;
    m.flex_edge.grow_extend_from_slice(&plan.edges.edge);
    m.flex_edgeflap.grow_extend(plan.flaps.iter().map(|flap| flap.opposite));
    m.flex_edgeflap.grow_resize(m.flex_edge.len(), [-1; 2]);
    m.flexedge_rigid.grow_extend(plan.edge_rigid.iter().map(|&rigid| u8::from(rigid)));
    m.flex_bending.grow_extend_from_slice(&plan.bending);
    m.flex_bending.grow_resize(m.flex_edge.len(), [0.0; bending::STRIDE]);
}

/// Boxes move with the flex: the model has their tree alone.
fn tree(m: &mut ModelArrays, i: usize, plan: &FlexPlan) {
    let count = plan.tree.nodeid.len();
    m.flex_bvhadr[i] = address(m.bvh_nodeid.len(), count);
    m.flex_bvhnum[i] = count as i32;
    m.bvh_child.grow_extend_from_slice(&plan.tree.child);
    m.bvh_depth.grow_extend_from_slice(&plan.tree.depth);
    m.bvh_nodeid.grow_extend_from_slice(&plan.tree.nodeid);
    m.nbvhdynamic += count;
    m.nbvh = m.nbvhstatic + m.nbvhdynamic;
}

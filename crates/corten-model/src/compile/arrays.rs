//! Assets as arrays.

use super::hfield::HFieldPlan;
use super::layout::append_bvh;
use super::mesh::MeshPlan;
use super::skin::SkinPlan;
use super::texture::TexturePlan;
use crate::ModelArrays;
use corten_geom::mesh::Lists;
use corten_math::memory::Grow;

pub(super) fn meshes(m: &mut ModelArrays, meshes: &[MeshPlan]) {
    m.nmesh = meshes.len();
    m.resize();
    let shapes = || meshes.iter().filter_map(|p| p.shape.as_deref());
    m.mesh_vert.grow_reserve_exact(shapes().map(|s| s.vert.len()).sum());
    m.mesh_face.grow_reserve_exact(shapes().map(|s| s.face.len()).sum());
    let nodes = shapes().map(|s| s.bvh.nodeid.len()).sum();
    m.bvh_aabb.grow_reserve_exact(nodes);
    m.bvh_child.grow_reserve_exact(nodes);
    for (i, plan) in meshes.iter().enumerate() {
        m.mesh_scale[i] = plan.scale;
        let Some(shape) = &plan.shape else { continue };
        m.mesh_vertadr[i] = m.mesh_vert.len() as i32;
        m.mesh_vertnum[i] = shape.vert.len() as i32;
        m.mesh_normaladr[i] = m.mesh_normal.len() as i32;
        m.mesh_normalnum[i] = (shape.normal.len() / 3) as i32;
        m.mesh_texcoordadr[i] =
            if shape.texcoord.is_empty() { -1 } else { m.mesh_texcoord.len() as i32 };
        m.mesh_texcoordnum[i] = (shape.texcoord.len() / 2) as i32;
        m.mesh_faceadr[i] = m.mesh_face.len() as i32;
        m.mesh_facenum[i] = shape.face.len() as i32;
        m.mesh_graphadr[i] = if shape.graph.is_empty() { -1 } else { m.mesh_graph.len() as i32 };
        let cells = shape.distance.depth.len();
        m.mesh_octnum[i] = cells as i32;
        m.mesh_octadr[i] = if cells == 0 { -1 } else { m.oct_depth.len() as i32 };
        m.oct_depth.grow_extend_from_slice(&shape.distance.depth);
        m.oct_child.grow_extend_from_slice(&shape.distance.child);
        m.oct_aabb.grow_extend_from_slice(&shape.distance.aabb);
        m.oct_coeff.grow_extend_from_slice(&shape.distance.coeff);
        m.mesh_bvhnum[i] = shape.bvh.nodeid.len() as i32;
        m.mesh_bvhadr[i] = if shape.bvh.nodeid.is_empty() { -1 } else { m.nbvhstatic as i32 };
        append_bvh(m, &shape.bvh);
        (m.mesh_pos[i], m.mesh_quat[i]) = (shape.pos, shape.quat);

        m.mesh_vert.extend(shape.vert.iter().map(|v| v.0.map(|x| x as f32)));
        m.mesh_normal.grow_extend_from_slice(shape.normal.as_chunks::<3>().0);
        m.mesh_texcoord.grow_extend_from_slice(shape.texcoord.as_chunks::<2>().0);
        m.mesh_face.extend_from_slice(&shape.face);
        m.mesh_facenormal.grow_extend_from_slice(&shape.facenormal);
        if shape.texcoord.is_empty() {
            m.mesh_facetexcoord.grow_resize(m.mesh_face.len(), [0; 3]);
        } else {
            m.mesh_facetexcoord.grow_extend_from_slice(&shape.facetexcoord);
        }
        m.mesh_graph.grow_extend_from_slice(&shape.graph);
        polygons(m, i, &shape.polygons.loops, &shape.polygons.normals);
        polygon_map(m, &shape.polygons.of_vertex);
    }
    m.noct = m.oct_depth.len();
    m.nmeshvert = m.mesh_vert.len();
    m.nmeshnormal = m.mesh_normal.len();
    m.nmeshtexcoord = m.mesh_texcoord.len();
    m.nmeshface = m.mesh_face.len();
    m.nmeshgraph = m.mesh_graph.len();
    m.nmeshpoly = m.mesh_polynormal.len();
    m.nmeshpolyvert = m.mesh_polyvert.len();
    m.nmeshpolymap = m.mesh_polymap.len();
}

fn polygons(m: &mut ModelArrays, mesh: usize, loops: &Lists, normals: &[corten_math::Vec3]) {
    m.mesh_polyadr[mesh] = m.mesh_polynormal.len() as i32;
    m.mesh_polynum[mesh] = loops.len() as i32;
    m.mesh_polynormal.grow_extend_from_slice(normals);
    for polygon in loops.iter() {
        m.mesh_polyvertadr.grow_push(m.mesh_polyvert.len() as i32);
        m.mesh_polyvertnum.grow_push(polygon.len() as i32);
        m.mesh_polyvert.grow_extend_from_slice(polygon);
    }
}

fn polygon_map(m: &mut ModelArrays, of_vertex: &Lists) {
    for sides in of_vertex.iter() {
        m.mesh_polymapadr.grow_push(m.mesh_polymap.len() as i32);
        m.mesh_polymapnum.grow_push(sides.len() as i32);
        m.mesh_polymap.grow_extend_from_slice(sides);
    }
}

pub(super) fn hfields(m: &mut ModelArrays, hfields: &[HFieldPlan]) {
    m.nhfield = hfields.len();
    m.resize();
    for (i, plan) in hfields.iter().enumerate() {
        m.hfield_size[i] = plan.size;
        m.hfield_nrow[i] = plan.nrow as i32;
        m.hfield_ncol[i] = plan.ncol as i32;
        m.hfield_adr[i] = m.hfield_data.len() as i32;
        m.hfield_data.grow_extend_from_slice(&plan.data);
    }
    m.nhfielddata = m.hfield_data.len();
}

pub(super) fn textures(m: &mut ModelArrays, textures: &[TexturePlan]) {
    m.ntex = textures.len();
    m.resize();
    m.tex_data.grow_reserve_exact(textures.iter().map(|t| t.data.len()).sum());
    for (i, plan) in textures.iter().enumerate() {
        m.tex_type[i] = plan.kind;
        m.tex_colorspace[i] = plan.colorspace;
        m.tex_height[i] = plan.height as i32;
        m.tex_width[i] = plan.width as i32;
        m.tex_nchannel[i] = plan.nchannel as i32;
        m.tex_adr[i] = m.tex_data.len() as i32;
        m.tex_data.extend_from_slice(&plan.data);
        let expected = m.tex_adr[i] as usize + plan.nchannel * plan.width * plan.height;
        m.tex_data.resize(expected, 0);
    }
    m.ntexdata = m.tex_data.len();
}

pub(super) fn skins(m: &mut ModelArrays, skins: &[SkinPlan]) {
    m.nskin = skins.len();
    m.resize();
    for (i, plan) in skins.iter().enumerate() {
        m.skin_matid[i] = plan.matid;
        m.skin_group[i] = plan.group;
        m.skin_rgba[i] = plan.rgba;
        m.skin_inflate[i] = plan.inflate;
        m.skin_vertadr[i] = m.skin_vert.len() as i32;
        m.skin_vertnum[i] = (plan.vert.len() / 3) as i32;
        m.skin_texcoordadr[i] =
            if plan.texcoord.is_empty() { -1 } else { m.skin_texcoord.len() as i32 };
        m.skin_faceadr[i] = m.skin_face.len() as i32;
        m.skin_facenum[i] = (plan.face.len() / 3) as i32;
        m.skin_boneadr[i] = m.skin_bonebodyid.len() as i32;
        m.skin_bonenum[i] = plan.bodyid.len() as i32;
        m.skin_vert.grow_extend_from_slice(plan.vert.as_chunks::<3>().0);
        m.skin_texcoord.extend_from_slice(plan.texcoord.as_chunks::<2>().0);
        m.skin_face.grow_extend_from_slice(plan.face.as_chunks::<3>().0);
        m.skin_bonebindpos.extend_from_slice(&plan.bindpos);
        m.skin_bonebindquat.extend_from_slice(&plan.bindquat);
        m.skin_bonebodyid.extend_from_slice(&plan.bodyid);
        for (ids, weights) in plan.vertid.iter().zip(&plan.vertweight) {
            m.skin_bonevertadr.push(m.skin_bonevertid.len() as i32);
            m.skin_bonevertnum.push(ids.len() as i32);
            m.skin_bonevertid.grow_extend_from_slice(ids);
            m.skin_bonevertweight.grow_extend_from_slice(weights);
        }
    }
    m.nskinvert = m.skin_vert.len();
    m.nskintexvert = m.skin_texcoord.len();
    m.nskinface = m.skin_face.len();
    m.nskinbone = m.skin_bonebodyid.len();
    m.nskinbonevert = m.skin_bonevertid.len();
}

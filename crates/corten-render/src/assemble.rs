//! From abstract geoms to meshes in their places.

use corten_math::{Quat, Vec3};
use corten_model::enums::GeomType;
use corten_scene::{Category, Geom, RenderFlag, Scene};

use crate::assets::{Assets, Coating};
use crate::draw::{Cull, Draw, Mapping, Paint};
use crate::light::Material;
use crate::linear::{Mat4, V3, dot, sub};
use crate::mesh::Mesh;

/// What the draws are for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Purpose {
    /// Colours, multiplied by a factor: what a mirror shows is darker.
    Colour(f32),
    /// What light does not pass.
    Shadow,
    /// Numbers of geoms, or colours that tell them apart.
    Segment,
}

/// Surfaces that deform: of this moment only.
#[derive(Debug, Default)]
pub(crate) struct Deformed {
    flexes: Vec<Mesh>,
    skins: Vec<Mesh>,
}

/// Where draws come from.
pub(crate) struct Assembler<'a> {
    pub assets: &'a Assets,
    pub scene: &'a Scene,
    pub deformed: &'a Deformed,
    /// Position of the eye in the model's space.
    pub head: V3,
    pub line_width: f32,
}

/// Whether the eye is on the back side of a plane.
pub(crate) fn is_behind(head: V3, geom: &Geom) -> bool {
    dot(sub(head, geom.pos), [geom.mat[2], geom.mat[5], geom.mat[8]]) < 0.0
}

impl<'a> Assembler<'a> {
    /// Adds the draws of a geom.
    pub(crate) fn add(&self, geom: &Geom, purpose: Purpose, draws: &mut Vec<Draw<'a>>) {
        let Some(kind) = GeomType::from_raw(geom.kind) else { return };
        let decoration = kind == GeomType::Line || geom.category == Category::Decor.raw();
        if purpose == Purpose::Shadow && decoration {
            return;
        }
        let wireframe = self.scene.has(RenderFlag::Wireframe) && purpose != Purpose::Segment;
        let look = Look {
            template: self.template(geom, kind, purpose),
            wires: wireframe.then_some(self.line_width),
        };
        self.shapes(geom, kind, purpose, &look, draws);
    }

    fn template(&self, geom: &Geom, kind: GeomType, purpose: Purpose) -> Draw<'a> {
        let [r, g, b, mut alpha] = geom.rgba;
        let mut rgb = [r, g, b];
        let mut lit = true;
        match purpose {
            Purpose::Colour(factor) => rgb = rgb.map(|x| x * factor),
            Purpose::Shadow => lit = false,
            Purpose::Segment => {
                (rgb, alpha, lit) = (segment_colour(geom.segid, self.scene), 1.0, false);
            }
        }
        let behind = kind == GeomType::Plane && is_behind(self.head, geom);
        if behind && matches!(purpose, Purpose::Colour(_)) {
            alpha *= 0.3;
        }
        let cull = match (self.scene.has(RenderFlag::CullFace), behind) {
            (false, _) => Cull::None,
            (true, false) => Cull::Back,
            (true, true) => Cull::Front,
        };
        let paint = match purpose {
            Purpose::Colour(_) => self.paint(geom),
            _ => None,
        };
        Draw {
            mesh: &self.assets.shapes.line,
            model: Mat4::IDENTITY,
            material: Material {
                rgb,
                emission: geom.emission,
                specular: geom.specular,
                shininess: geom.shininess * 128.0,
            },
            alpha,
            lit,
            paint,
            cull,
            wires: None,
            mirror: false,
        }
    }

    /// The texture of a geom, and how it is put on.
    fn paint(&self, geom: &Geom) -> Option<Paint<'a>> {
        let coating = self.assets.coatings.get(usize::try_from(geom.matid).ok()?)?;
        let texture = self.assets.textures.get(coating.texture?)?;
        let mapping = if geom.texcoord != 0 {
            if texture.is_cube() {
                return None;
            }
            Mapping::Given
        } else if texture.is_cube() {
            Mapping::Cube(if coating.uniform { geom.size } else { [1.0; 3] })
        } else {
            Mapping::Flat(repetitions(geom, coating))
        };
        Some(Paint { texture, mapping })
    }

    fn shapes(
        &self,
        geom: &Geom,
        kind: GeomType,
        purpose: Purpose,
        look: &Look<'a>,
        draws: &mut Vec<Draw<'a>>,
    ) {
        let shapes = &self.assets.shapes;
        let pose = Mat4::pose(geom.mat, geom.pos);
        let size = geom.size;
        let scaled = pose.scaled(size);
        let data = usize::try_from(geom.dataid).ok();
        // Without light and wires, it does not matter how flat faces are divided.
        let divided = matches!(purpose, Purpose::Colour(_)) || look.wires.is_some();
        let of = |fine: &'a Mesh, plain: &'a Mesh, model: Mat4| {
            look.of(if divided { fine } else { plain }, model)
        };
        match kind {
            GeomType::Plane => {
                let own = data.and_then(|id| self.assets.planes.get(id));
                let (mesh, model) = match own {
                    Some(mesh) => (mesh, pose),
                    None => (&shapes.plane, pose.scaled([size[0], size[1], 1.0])),
                };
                if divided {
                    draws.push(look.of(mesh, model));
                } else {
                    let [x, y, _] = mesh.pos.last().copied().unwrap_or_default();
                    let [x0, y0, _] = mesh.pos.first().copied().unwrap_or_default();
                    let middle = [0.5 * (x + x0), 0.5 * (y + y0), 0.0];
                    let half = [0.5 * (x - x0), 0.5 * (y - y0), 1.0];
                    draws.push(look.of(&shapes.quad, model.moved(middle).scaled(half)));
                }
            }
            GeomType::HField => {
                draws.extend(
                    data.and_then(|i| self.assets.hfields.get(i)).map(|m| look.of(m, pose)),
                );
            }
            GeomType::Mesh | GeomType::Sdf => {
                draws
                    .extend(data.and_then(|i| self.assets.meshes.get(i)).map(|m| look.of(m, pose)));
            }
            GeomType::Sphere | GeomType::Ellipsoid => draws.push(look.of(&shapes.sphere, scaled)),
            GeomType::Cylinder => {
                draws.push(of(&shapes.cylinder, &shapes.plain.cylinder, scaled));
            }
            GeomType::Box => draws.push(of(&shapes.cube, &shapes.plain.cube, scaled)),
            GeomType::Capsule => {
                let radius = 0.5 * (size[0] + size[1]);
                let cap = pose.scaled([size[0], size[1], radius]);
                let lift = (size[2] - radius) / radius;
                draws.push(of(&shapes.cylinder_open, &shapes.plain.cylinder_open, scaled));
                draws.push(look.of(&shapes.sphere_top, cap.moved([0.0, 0.0, lift])));
                draws.push(look.of(&shapes.sphere_bottom, cap.moved([0.0, 0.0, -lift])));
            }
            GeomType::Arrow | GeomType::Arrow1 => {
                let wedge = if kind == GeomType::Arrow { 1.75 } else { 1.0 };
                let shaft = pose.scaled([size[0], size[1], size[2] / 6.0]).moved([0.0, 0.0, 1.0]);
                draws.push(of(&shapes.cylinder, &shapes.plain.cylinder, shaft));
                let tip = shaft.moved([0.0, 0.0, 1.0]).scaled([wedge, wedge, 1.0]);
                draws.push(of(&shapes.cone, &shapes.plain.cone, tip));
            }
            GeomType::Arrow2 => {
                let shaft = pose.scaled([size[0], size[1], size[2] / 3.0]);
                draws.push(of(&shapes.cylinder_open, &shapes.plain.cylinder_open, shaft));
                let ends = shaft.scaled([1.75, 1.75, 0.5]);
                let turn = [1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0];
                let low = ends.times(&Mat4::pose(turn, [0.0, 0.0, -2.0]));
                draws.push(of(&shapes.cone, &shapes.plain.cone, low));
                draws.push(of(&shapes.cone, &shapes.plain.cone, ends.moved([0.0, 0.0, 2.0])));
            }
            GeomType::Line => {
                let along = pose.scaled([1.0, 1.0, size[2]]);
                draws.push(look.line(&shapes.line, along, size[0] * self.line_width));
            }
            GeomType::LineBox => {
                draws.push(look.line(&shapes.line_box, scaled, 1.5 * self.line_width));
            }
            GeomType::Triangle => {
                let model = pose.scaled([size[0], size[1], 1.0]);
                draws.push(Draw { cull: Cull::None, ..look.of(&shapes.triangle, model) });
            }
            GeomType::Flex => self.flex(geom, look, draws),
            GeomType::Skin => {
                let skin = usize::try_from(geom.objid).ok();
                let mesh = skin.and_then(|i| self.deformed.skins.get(i));
                draws.extend(mesh.map(|mesh| look.of(mesh, Mat4::IDENTITY)));
            }
            GeomType::Label | GeomType::None => {}
        }
    }

    /// Spheres at the vertices of a flex, rods along its edges, and its faces.
    fn flex(&self, geom: &Geom, look: &Look<'a>, draws: &mut Vec<Draw<'a>>) {
        let flex = &self.scene.flex;
        let Ok(id) = usize::try_from(geom.objid) else { return };
        let Some(&used) = flex.faceused.get(id) else { return };
        let radius = geom.size[0];
        let shapes = &self.assets.shapes;
        let bare = Look { template: Draw { paint: None, ..look.template.clone() }, ..*look };
        let rows = |adr: &[i32], num: &[i32]| {
            let start = adr.get(id).map_or(0, |&a| a.max(0) as usize);
            start..start + num.get(id).map_or(0, |&n| n.max(0) as usize)
        };
        let vertices = flex.vert.get(rows(&flex.vertadr, &flex.vertnum)).unwrap_or(&[]);
        let skinned = flex.skinopt != 0 && used > 0;
        if radius > 0.0 && flex.vertopt != 0 && !skinned {
            for &v in vertices {
                let model = Mat4::translation(v).scaled([radius; 3]);
                draws.push(bare.of(&shapes.sphere, model));
            }
        }
        if radius > 0.0 && flex.edgeopt != 0 && !skinned {
            let edges = flex.edge.get(rows(&flex.edgeadr, &flex.edgenum)).unwrap_or(&[]);
            for edge in edges {
                let end = |k: usize| vertices.get(usize::try_from(edge[k]).ok()?).copied();
                let (Some(a), Some(b)) = (end(0), end(1)) else { continue };
                draws.push(bare.of(&shapes.cylinder_open, rod(a, b, radius)));
            }
        }
        if used > 0 {
            draws.extend(self.deformed.flexes.get(id).map(|m| look.of(m, Mat4::IDENTITY)));
        }
    }
}

/// What all draws of a geom have in common.
struct Look<'a> {
    template: Draw<'a>,
    wires: Option<f32>,
}

impl<'a> Look<'a> {
    fn of(&self, mesh: &'a Mesh, model: Mat4) -> Draw<'a> {
        Draw { mesh, model, wires: self.wires, ..self.template.clone() }
    }

    /// Lines have no sides that light could fall on.
    fn line(&self, mesh: &'a Mesh, model: Mat4, width: f32) -> Draw<'a> {
        Draw { mesh, model, lit: false, wires: Some(width), ..self.template.clone() }
    }
}

/// The unit cylinder between two points.
fn rod(a: V3, b: V3, radius: f32) -> Mat4 {
    let way =
        Vec3::new(b[0] as f64 - a[0] as f64, b[1] as f64 - a[1] as f64, b[2] as f64 - a[2] as f64);
    let length = way.norm();
    let turn = Quat::from_z_to(way).to_mat();
    let mat: [f32; 9] = std::array::from_fn(|i| turn[(i / 3, i % 3)] as f32);
    let middle = [0, 1, 2].map(|i| 0.5 * (a[i] + b[i]));
    Mat4::pose(mat, middle).scaled([radius, radius, (0.5 * length) as f32])
}

/// Repetitions of a flat texture per unit of the mesh's coordinates.
fn repetitions(geom: &Geom, coating: &Coating) -> [f32; 2] {
    std::array::from_fn(|k| {
        let mut repeat = coating.repeat[k];
        let size = geom.size[k];
        if size > 0.0 {
            // Planes of the model, meshes and height fields have their size already.
            if geom.dataid >= 0 {
                repeat /= size.max(1e-15);
            }
            if coating.uniform {
                repeat *= size;
            }
        }
        repeat
    })
}

/// Colour that stands for a geom in a segmentation.
fn segment_colour(segid: i32, scene: &Scene) -> V3 {
    if scene.has(RenderFlag::IdColor) {
        let id = segid.wrapping_add(1);
        return [0, 8, 16].map(|shift| (id >> shift & 0xff) as f32 / 255.0);
    }
    let index = segid.saturating_add(10);
    [2, 3, 5].map(|base| 0.1 + 0.8 * corten_math::halton(index, base) as f32)
}

impl Deformed {
    /// Surfaces of the flexes and skins of a scene.
    pub(crate) fn new(scene: &Scene, assets: &Assets) -> Deformed {
        let shown = |kind: GeomType, id: usize| {
            scene.geoms.iter().any(|g| g.kind == kind.raw() && g.objid == id as i32)
        };
        let flex = |id: usize| {
            if shown(GeomType::Flex, id) { flex_mesh(scene, id) } else { Mesh::default() }
        };
        let skin = |id: usize| {
            if shown(GeomType::Skin, id) { skin_mesh(scene, assets, id) } else { Mesh::default() }
        };
        Deformed {
            flexes: (0..scene.flex.faceused.len()).map(flex).collect(),
            skins: (0..scene.skin.vertnum.len()).map(skin).collect(),
        }
    }
}

fn flex_mesh(scene: &Scene, id: usize) -> Mesh {
    let flex = &scene.flex;
    let mut mesh = Mesh::default();
    let start = flex.faceadr.get(id).map_or(0, |&a| a.max(0) as usize);
    for f in start..start + flex.faceused[id].max(0) as usize {
        let (Some(face), Some(normals)) = (flex.face.get(f), flex.normal.get(f)) else { break };
        let [a, b, c] = [0, 1, 2].map(|k| mesh.vertex(face[k], normals[k]));
        mesh.triangle(a, b, c);
        mesh.uv.extend(flex.texcoord.get(f).copied().unwrap_or_default());
    }
    mesh.bounded()
}

fn skin_mesh(scene: &Scene, assets: &Assets, id: usize) -> Mesh {
    let skin = &scene.skin;
    let Some(topology) = assets.skins.get(id) else { return Mesh::default() };
    let start = skin.vertadr.get(id).map_or(0, |&a| a.max(0) as usize);
    let range = start..start + skin.vertnum[id].max(0) as usize;
    let mut mesh = Mesh {
        pos: skin.vert.get(range.clone()).unwrap_or(&[]).to_vec(),
        normal: skin.normal.get(range).unwrap_or(&[]).to_vec(),
        uv: topology.uv.clone(),
        ..Mesh::default()
    };
    let count = mesh.pos.len() as u32;
    for &[a, b, c] in topology.faces.iter().filter(|f| f.iter().all(|&v| v < count)) {
        mesh.triangle(a, b, c);
    }
    mesh.bounded()
}

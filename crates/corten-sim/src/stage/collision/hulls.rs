//! The hulls of a model's meshes, laid out for the search of extreme vertices.
//!
//! All data of a model share them. Meshes are large, and not compared to notice that somebody has
//! written to them: a search that ends at a vertex that has moved says so, and the next detection
//! makes hulls of the meshes as they are.

use corten_math::memory::Gather;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use corten_geom::Extremes;

use super::shape;
use crate::Model;

/// So often may meshes change before hulls are no longer worth making.
const MAX_CHANGES: u32 = 8;

/// The extreme vertices of each mesh; none for meshes without hull.
#[derive(Debug, Default)]
pub(crate) struct Hulls {
    meshes: Vec<Option<Extremes>>,
    changed: Arc<AtomicBool>,
}

impl Hulls {
    fn new(m: &Model) -> Hulls {
        let changed = Arc::default();
        let hull = |id| shape::mesh(m, id as i32, None)?.tabulate(&changed);
        Hulls { meshes: (0..m.nmesh).map(hull).gather(), changed }
    }

    fn fits(&self, m: &Model) -> bool {
        let fits = |(id, hull): (usize, &Option<Extremes>)| {
            let mesh = shape::mesh(m, id as i32, None);
            match hull {
                Some(hull) => mesh.is_some_and(|mesh| mesh.is_tabulated_by(hull)),
                None => mesh.is_none_or(|mesh| mesh.tabulate(&self.changed).is_none()),
            }
        };
        !self.has_changed()
            && self.meshes.len() == m.nmesh
            && self.meshes.iter().enumerate().all(fits)
    }

    /// Whether a mesh was found to differ from its hull.
    fn has_changed(&self) -> bool {
        self.changed.load(Ordering::Relaxed)
    }

    #[inline]
    pub fn get(&self, mesh: usize) -> Option<&Extremes> {
        self.meshes.get(mesh)?.as_ref()
    }
}

/// The hulls that the data of a model have in common: those that were made last.
#[derive(Debug, Default)]
pub(crate) struct SharedHulls(Mutex<Arc<Hulls>>);

impl SharedHulls {
    /// Starts with what another model had, in case that the meshes are the same.
    pub fn after(other: &SharedHulls) -> SharedHulls {
        SharedHulls(Mutex::new(other.lock().clone()))
    }

    /// The hulls of a model's meshes. Threads wait for each other meanwhile, so that no two make the
    /// same.
    fn get(&self, m: &Model) -> Arc<Hulls> {
        let mut hulls = self.lock();
        if !hulls.fits(m) {
            *hulls = Arc::new(Hulls::new(m));
        }
        hulls.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Hulls>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The hulls that a simulation uses.
#[derive(Clone, Debug, Default)]
pub(super) struct InUse {
    hulls: Arc<Hulls>,
    changes: u32,
}

impl InUse {
    /// Hulls, perhaps none, as they were at the last update.
    pub fn get(&self) -> &Hulls {
        &self.hulls
    }

    /// The hulls of a model whose meshes are not known to have changed.
    pub fn update(&mut self, m: &Model, shared: &SharedHulls) -> &Hulls {
        let has_changed = self.hulls.has_changed();
        if has_changed {
            self.changes += 1;
        }
        if self.changes > MAX_CHANGES {
            self.hulls = Arc::default();
        } else if has_changed || self.hulls.meshes.len() != m.nmesh {
            self.hulls = shared.get(m);
        }
        &self.hulls
    }
}

#[cfg(test)]
mod tests {
    use corten_math::Vec3;

    use super::*;

    /// A mesh with the vertices of a tetrahedron, each three times; the first four are the hull.
    fn tetrahedron() -> Model {
        let mut m = Model::default();
        (m.nmesh, m.nmeshvert, m.nmeshgraph) = (1, 12, 26);
        m.resize();
        let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
        for (k, v) in m.mesh_vert.iter_mut().enumerate() {
            *v = corners[k % 4];
        }
        m.mesh_vertnum[0] = 12;
        let mut graph = vec![4, 4, 0, 4, 8, 12, 0, 1, 2, 3];
        for i in 0..4 {
            graph.extend((0..4).filter(|&j| j != i));
            graph.push(-1);
        }
        m.mesh_graph = graph;
        m
    }

    /// Searches along the first vertex, as a detection would.
    fn search(m: &Model, hulls: &Hulls) {
        let mesh = shape::mesh(m, 0, Some(hulls)).unwrap();
        let geometry = corten_geom::Geometry::Mesh { mesh, faceted: true };
        let pose = corten_geom::Pose::IDENTITY;
        let dir = Vec3::splat(1.0).normalized().0;
        let mut shape = corten_geom::Shape::new(pose, geometry, 0.0);
        assert_eq!(shape.support(dir), mesh.vertex(0));
    }

    #[test]
    fn equal_models_share_hulls_until_one_changes() {
        let mut m = tetrahedron();
        let shared = SharedHulls::default();
        let (mut a, mut b) = (InUse::default(), InUse::default());
        assert!(a.update(&m, &shared).get(0).is_some());
        b.update(&m.clone(), &shared);
        assert!(Arc::ptr_eq(&a.hulls, &b.hulls));

        let original = m.clone();
        m.mesh_vert[0] = [2.0; 3];
        search(&m, a.get());
        assert!(a.get().has_changed());
        a.update(&m, &shared);
        b.update(&original, &shared);
        assert!(!Arc::ptr_eq(&a.hulls, &b.hulls));
        assert!(a.get().fits(&m) && b.get().fits(&original));
        assert!(!a.get().fits(&original));
    }

    #[test]
    fn hulls_of_meshes_that_keep_changing_are_given_up() {
        let mut m = tetrahedron();
        let (mut hulls, shared) = (InUse::default(), SharedHulls::default());
        for k in 0..2 * MAX_CHANGES {
            hulls.update(&m, &shared);
            assert_eq!(hulls.get().get(0).is_some(), k <= MAX_CHANGES);
            m.mesh_vert[0][0] += 0.1;
            search(&m, hulls.get());
        }
    }
}

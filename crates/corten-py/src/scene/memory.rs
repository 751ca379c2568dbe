//! The memory of a scene: a header, and arrays that are attributes of the Python object.

use bytemuck::Pod;
use corten_scene::{FlexSurfaces, Geom, GlCamera, Light, MAX_LIGHT, Scene, SkinSurfaces};
use numpy::Element;
use pyo3::prelude::*;
use pyo3::types::PySlice;

use super::record::{Argument, Header};
use crate::args::type_error;
use crate::memory::Out;

/// The rows of an array of scalars.
fn rows<T: Pod, S: Pod>(name: &str, found: &[T]) -> PyResult<Vec<S>> {
    let width = (size_of::<S>() / size_of::<T>()).max(1);
    if !found.len().is_multiple_of(width) {
        return Err(type_error(format!("the scene's {name} has {} elements", found.len())));
    }
    let row = |row: &[T]| bytemuck::pod_read_unaligned(bytemuck::cast_slice(row));
    Ok(found.chunks_exact(width).map(row).collect())
}

/// A scene argument.
pub struct SceneArgument<'py> {
    object: Bound<'py, PyAny>,
    header: Argument<'py, Header>,
}

impl<'a, 'py> FromPyObject<'a, 'py> for SceneArgument<'py> {
    type Error = PyErr;

    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let header = obj.extract::<Argument<'py, Header>>()?;
        Ok(SceneArgument { object: obj.to_owned(), header })
    }
}

impl<'py> SceneArgument<'py> {
    fn array<T: Element + Copy>(&self, name: &str) -> PyResult<Out<'py, T>> {
        let array = self.object.getattr(name)?;
        array
            .extract()
            .map_err(|_| type_error(format!("the scene's {name} is no array of its own")))
    }

    fn values<T: Element + Pod, S: Pod>(&self, name: &str) -> PyResult<Vec<S>> {
        rows(name, &self.array::<T>(name)?.to_vec())
    }

    fn store_values<T: Element + Pod, S: Pod>(&self, name: &str, values: &[S]) -> PyResult<()> {
        self.array::<T>(name)?.write(bytemuck::cast_slice(values));
        Ok(())
    }

    /// Cameras and numbers: all that functions need that look at no geoms.
    pub fn view(&self) -> PyResult<Scene> {
        let header = self.header.get();
        let cameras: Vec<GlCamera> = self.values::<u8, _>("_camera_memory")?;
        let &[left, right] = &cameras[..] else {
            return Err(type_error("the scene has no cameras"));
        };
        Ok(Scene {
            // What the memory has room for, whatever has been written to the header.
            maxgeom: usize::try_from(header.maxgeom)
                .unwrap_or(0)
                .min(self.object.getattr("_geom_memory")?.len()? / size_of::<Geom>()),
            camera: [left, right],
            enabletransform: header.enabletransform,
            translate: header.translate,
            rotate: header.rotate,
            scale: header.scale,
            stereo: header.stereo,
            flags: header.flags,
            framewidth: header.framewidth,
            framergb: header.framergb,
            status: header.status,
            ..Scene::default()
        })
    }

    /// With surfaces of flexes and skins, but no geoms and lights.
    pub fn surfaces(&self) -> PyResult<Scene> {
        let header = self.header.get();
        let flex = FlexSurfaces {
            edgeadr: self.values::<i32, _>("flexedgeadr")?,
            edgenum: self.values::<i32, _>("flexedgenum")?,
            vertadr: self.values::<i32, _>("flexvertadr")?,
            vertnum: self.values::<i32, _>("flexvertnum")?,
            faceadr: self.values::<i32, _>("flexfaceadr")?,
            facenum: self.values::<i32, _>("flexfacenum")?,
            faceused: self.values::<i32, _>("flexfaceused")?,
            edge: self.values::<i32, _>("flexedge")?,
            vert: self.values::<f32, _>("flexvert")?,
            face: self.values::<f32, _>("flexface")?,
            normal: self.values::<f32, _>("flexnormal")?,
            texcoord: self.values::<f32, _>("flextexcoord")?,
            vertopt: header.flexvertopt,
            edgeopt: header.flexedgeopt,
            faceopt: header.flexfaceopt,
            skinopt: header.flexskinopt,
        };
        let skin = SkinSurfaces {
            facenum: self.values::<i32, _>("skinfacenum")?,
            vertadr: self.values::<i32, _>("skinvertadr")?,
            vertnum: self.values::<i32, _>("skinvertnum")?,
            vert: self.values::<f32, _>("skinvert")?,
            normal: self.values::<f32, _>("skinnormal")?,
        };
        Ok(Scene { flex, skin, ..self.view()? })
    }

    /// Everything.
    pub fn get(&self) -> PyResult<Scene> {
        let header = self.header.get();
        let used = usize::try_from(header.ngeom).unwrap_or(0).saturating_mul(size_of::<Geom>());
        let bytes = PySlice::new(self.object.py(), 0, used as isize, 1);
        let memory = self.object.getattr("_geom_memory")?.get_item(bytes)?;
        let geoms = rows::<u8, Geom>("geoms", &memory.extract::<Out<'_, u8>>()?.to_vec())?;
        let mut lights: Vec<Light> = self.values::<u8, _>("_light_memory")?;
        lights.truncate(usize::try_from(header.nlight).unwrap_or(0).min(MAX_LIGHT));
        let mut geomorder = self.values::<i32, _>("geomorder")?;
        geomorder.truncate(geoms.len());
        Ok(Scene { geoms, lights, geomorder, ..self.surfaces()? })
    }

    /// Writes back geoms, lights, surfaces, cameras and numbers.
    pub fn set(&self, scene: &Scene) -> PyResult<()> {
        self.store_values::<u8, _>("_geom_memory", &scene.geoms)?;
        self.store_values::<i32, _>("geomorder", &scene.geomorder)?;
        let ngeom = scene.geoms.len() as i32;
        self.header.set(&Header { ngeom, ..self.header.get() });
        self.set_lights(scene)?;
        self.set_surfaces(scene)?;
        self.set_view(scene)
    }

    /// Writes back lights.
    pub fn set_lights(&self, scene: &Scene) -> PyResult<()> {
        self.store_values::<u8, _>("_light_memory", &scene.lights)?;
        let nlight = scene.lights.len() as i32;
        self.header.set(&Header { nlight, ..self.header.get() });
        Ok(())
    }

    /// Writes back flexes and skins.
    pub fn set_surfaces(&self, scene: &Scene) -> PyResult<()> {
        self.store_values::<i32, _>("flexfaceused", &scene.flex.faceused)?;
        self.store_values::<f32, _>("flexvert", &scene.flex.vert)?;
        self.store_values::<f32, _>("flexface", &scene.flex.face)?;
        self.store_values::<f32, _>("flexnormal", &scene.flex.normal)?;
        self.store_values::<f32, _>("flextexcoord", &scene.flex.texcoord)?;
        self.store_values::<f32, _>("skinvert", &scene.skin.vert)?;
        self.store_values::<f32, _>("skinnormal", &scene.skin.normal)?;
        self.header.set(&Header {
            flexvertopt: scene.flex.vertopt,
            flexedgeopt: scene.flex.edgeopt,
            flexfaceopt: scene.flex.faceopt,
            flexskinopt: scene.flex.skinopt,
            ..self.header.get()
        });
        Ok(())
    }

    /// Writes back cameras and numbers.
    pub fn set_view(&self, scene: &Scene) -> PyResult<()> {
        self.store_values::<u8, _>("_camera_memory", &scene.camera)?;
        self.header.set(&Header {
            translate: scene.translate,
            rotate: scene.rotate,
            scale: scene.scale,
            stereo: scene.stereo,
            framewidth: scene.framewidth,
            framergb: scene.framergb,
            status: scene.status,
            flags: scene.flags,
            enabletransform: scene.enabletransform,
            ..self.header.get()
        });
        Ok(())
    }

    /// Gives a new scene its memory: arrays by name, with their contents.
    pub fn fill(&self, scene: &Scene) -> PyResult<()> {
        self.header.set(&Header {
            maxgeom: i32::try_from(scene.maxgeom).unwrap_or(i32::MAX),
            nflex: scene.flex.faceadr.len() as i32,
            nskin: scene.skin.vertadr.len() as i32,
            ..self.header.get()
        });
        self.store_values::<i32, _>("flexedgeadr", &scene.flex.edgeadr)?;
        self.store_values::<i32, _>("flexedgenum", &scene.flex.edgenum)?;
        self.store_values::<i32, _>("flexvertadr", &scene.flex.vertadr)?;
        self.store_values::<i32, _>("flexvertnum", &scene.flex.vertnum)?;
        self.store_values::<i32, _>("flexfaceadr", &scene.flex.faceadr)?;
        self.store_values::<i32, _>("flexfacenum", &scene.flex.facenum)?;
        self.store_values::<i32, _>("flexedge", &scene.flex.edge)?;
        self.store_values::<i32, _>("skinfacenum", &scene.skin.facenum)?;
        self.store_values::<i32, _>("skinvertadr", &scene.skin.vertadr)?;
        self.store_values::<i32, _>("skinvertnum", &scene.skin.vertnum)?;
        self.set(scene)
    }
}

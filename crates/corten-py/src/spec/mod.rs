//! Models as their authors write them: what `MjSpec` in Python is made of.
//!
//! An element is named by its kind and the index of its key; the prototypes of default classes by
//! the kind and the index of the class. Python keeps the objects, this module the content.

mod value;

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use corten_model::spec::{
    ActivePlugin, Actuator, Anchor, Body, Camera, Child, DefaultClass, EditError, Element,
    Equality, Exclude, FieldError, Fields, Flex, Frame, Geom, HField, Item, Joint, Key, Keyframe,
    Light, Material, Mesh, Numeric, Pair, Part, Plugin, PluginUse, Sensor, Site, Skin, Source,
    Tendon, Text, Texture, Tuple, Value, Wrap, WrapTarget,
};
use corten_model::{ReadOptions, Spec};
use corten_sim::compile_spec;
use pyo3::exceptions::{PyAttributeError, PyKeyError, PyValueError};
use pyo3::prelude::*;

use crate::errors::{ModelError, model_error};
use crate::load::{Files, Keys, in_memory};
use crate::model::ModelHandle;
use crate::run::protect;
use crate::soft::PyDeformable;

/// Runs `$body` with `$T` the type of the elements of a kind.
macro_rules! by_kind {
    ($kind:expr, $T:ident => $body:expr) => {
        match $kind {
            "mesh" => { type $T = Mesh; $body }
            "hfield" => { type $T = HField; $body }
            "flex" => { type $T = Flex; $body }
            "skin" => { type $T = Skin; $body }
            "texture" => { type $T = Texture; $body }
            "material" => { type $T = Material; $body }
            "pair" => { type $T = Pair; $body }
            "exclude" => { type $T = Exclude; $body }
            "equality" => { type $T = Equality; $body }
            "tendon" => { type $T = Tendon; $body }
            "actuator" => { type $T = Actuator; $body }
            "sensor" => { type $T = Sensor; $body }
            "numeric" => { type $T = Numeric; $body }
            "text" => { type $T = Text; $body }
            "tuple" => { type $T = Tuple; $body }
            "key" => { type $T = Keyframe; $body }
            "plugin" => { type $T = Plugin; $body }
            other => by_tree_kind!(other, $T => $body),
        }
    };
}

/// [`by_kind`] for elements of the tree.
#[rustfmt::skip]
macro_rules! by_tree_kind {
    ($kind:expr, $T:ident => $body:expr) => {
        match $kind {
            "body" => { type $T = Body; $body }
            "frame" => { type $T = Frame; $body }
            "joint" => { type $T = Joint; $body }
            "geom" => { type $T = Geom; $body }
            "site" => { type $T = Site; $body }
            "camera" => { type $T = Camera; $body }
            "light" => { type $T = Light; $body }
            other => Err(PyKeyError::new_err(format!("there are no elements of kind '{other}'"))),
        }
    };
}

/// Runs `$body` with `$record` one of the groups of settings.
macro_rules! by_section {
    ([$($borrow:tt)+] $spec:ident, $section:expr, $record:ident => $body:expr, $fields:ident => $more:expr) => {
        match $section {
            "option" => { let $record = $($borrow)+ $spec.option; $body }
            "visual.global_" => { let $record = $($borrow)+ $spec.visual.global; $body }
            "visual.quality" => { let $record = $($borrow)+ $spec.visual.quality; $body }
            "visual.headlight" => { let $record = $($borrow)+ $spec.visual.headlight; $body }
            "visual.map" => { let $record = $($borrow)+ $spec.visual.map; $body }
            "visual.scale" => { let $record = $($borrow)+ $spec.visual.scale; $body }
            "visual.rgba" => { let $record = $($borrow)+ $spec.visual.rgba; $body }
            "compiler" => { let $fields = $($borrow)+ $spec.compiler; $more }
            "compiler.LRopt" => { let $fields = $($borrow)+ $spec.compiler.lr_opt; $more }
            "stat" => { let $fields = $($borrow)+ $spec.stat; $more }
            "sizes" => { let $fields = $($borrow)+ $spec.sizes; $more }
            _ => Err(FieldError::Unknown),
        }
    };
}

/// The content of a spec.
#[pyclass(module = "corten._corten", frozen, subclass, weakref)]
pub struct SpecBase {
    spec: RwLock<Spec>,
}

type Place = (Option<usize>, Option<usize>);
/// The new body, the new frame; kind, original and copy of every element.
type Attached = (Option<usize>, Option<usize>, Vec<(&'static str, usize, usize)>);

fn gone() -> PyErr {
    edit_error(EditError::Deleted)
}

fn edit_error(e: EditError) -> PyErr {
    PyValueError::new_err(e.to_string())
}

impl SpecBase {
    fn read(&self) -> RwLockReadGuard<'_, Spec> {
        self.spec.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Spec> {
        self.spec.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key<T: Item>(spec: &Spec, index: usize) -> PyResult<Key<T>> {
    T::arena(spec).key(index).ok_or_else(gone)
}

fn class(spec: &Spec, index: Option<usize>) -> PyResult<Option<Key<DefaultClass>>> {
    index.map(|index| spec.defaults.key(index).ok_or_else(gone)).transpose()
}

fn indices<T>(keys: Vec<Key<T>>) -> Vec<usize> {
    keys.into_iter().map(Key::index).collect()
}

/// A field of an element, or of the prototype of a default class.
fn field_of<T: Item>(
    spec: &Spec,
    index: usize,
    prototype: bool,
    field: &str,
) -> PyResult<Result<Value, FieldError>> {
    if !prototype {
        return Ok(T::arena(spec).get(key(spec, index)?).ok_or_else(gone)?.get(field));
    }
    let class = spec.defaults.key(index).and_then(|key| spec.defaults.get(key)).ok_or_else(gone)?;
    Ok(T::prototype(class).get(field))
}

fn plugin_of<'a>(spec: &'a mut Spec, kind: &str, index: usize) -> PyResult<&'a mut PluginUse> {
    Ok(match kind {
        "body" => {
            let key = key::<Body>(spec, index)?;
            &mut spec.bodies[key].plugin
        }
        "geom" => {
            let key = key::<Geom>(spec, index)?;
            &mut spec.geoms[key].plugin
        }
        "mesh" => {
            let key = key::<Mesh>(spec, index)?;
            &mut spec.meshes[key].plugin
        }
        "actuator" => {
            let key = key::<Actuator>(spec, index)?;
            &mut spec.actuators[key].plugin
        }
        "sensor" => {
            let key = key::<Sensor>(spec, index)?;
            &mut spec.sensors[key].plugin
        }
        _ => return Err(PyKeyError::new_err(format!("a {kind} has no plugin"))),
    })
}

fn set<T: Item>(
    spec: &mut Spec,
    index: usize,
    prototype: bool,
    field: &str,
    value: Value,
) -> PyResult<Result<(), FieldError>> {
    if prototype {
        let class = spec.defaults.key(index).ok_or_else(gone)?;
        let found = T::prototype_mut(&mut spec.defaults[class]).ok_or_else(gone)?;
        return Ok(found.set(field, value));
    }
    let key = key::<T>(spec, index)?;
    Ok(T::arena_mut(spec)[key].set(field, value))
}

#[pymethods]
impl SpecBase {
    /// Reads a file, or text if there is no path; without either, an empty model.
    #[new]
    #[pyo3(signature = (path=None, xml=None, assets=None, source=None))]
    fn new(
        py: Python<'_>,
        path: Option<String>,
        xml: Option<String>,
        assets: Option<Files>,
        source: Option<&SpecBase>,
    ) -> PyResult<SpecBase> {
        if let Some(source) = source {
            return Ok(SpecBase { spec: RwLock::new(source.read().clone()) });
        }
        let files = in_memory(assets, Keys::Written)?;
        let spec = protect(py, move || match (path, xml) {
            (Some(path), _) => Spec::read_file(&path, &files, ReadOptions::MUJOCO).map(|r| r.0),
            (None, Some(xml)) => Spec::read_str(&xml, &files, ReadOptions::MUJOCO).map(|r| r.0),
            (None, None) => Ok(Spec::new()),
        })?;
        let spec = spec.map_err(|e| model_error(&e))?;
        Ok(SpecBase { spec: RwLock::new(spec) })
    }

    /// The compiled model.
    #[pyo3(signature = (assets=None))]
    fn compile_model(&self, py: Python<'_>, assets: Option<Files>) -> PyResult<ModelHandle> {
        let (spec, assets) = (self.read().clone(), in_memory(assets, Keys::Written)?);
        let model =
            protect(py, move || compile_spec(&spec, &assets))?.map_err(|e| model_error(&e))?;
        Ok(ModelHandle::new(model))
    }

    /// Number of values that a sensor gives, if the sensor alone tells.
    fn sensor_size(&self, index: usize) -> PyResult<Option<usize>> {
        let spec = self.read();
        Ok(spec.sensors[key(&spec, index)?].data_size())
    }

    /// What an element asks of plugins: whether it does, kind, name and index of the instance.
    fn plugin_use(
        &self,
        kind: &str,
        index: usize,
    ) -> PyResult<(bool, String, String, Option<usize>)> {
        let mut spec = self.write();
        let used = plugin_of(&mut spec, kind, index)?;
        let (kind, name, own) = (used.plugin_name.clone(), used.name.clone(), used.instance);
        let active = used.active;
        let found = if name.is_empty() { own } else { spec.find::<Plugin>(&name) };
        Ok((active, kind, name, found.map(Key::index)))
    }

    /// Writes what an element asks of plugins.
    #[pyo3(signature = (kind, index, active, plugin_name, name, instance=None))]
    fn set_plugin_use(
        &self,
        kind: &str,
        index: usize,
        active: bool,
        plugin_name: String,
        name: String,
        instance: Option<usize>,
    ) -> PyResult<()> {
        let mut spec = self.write();
        let instance = instance.map(|index| key::<Plugin>(&spec, index)).transpose()?;
        *plugin_of(&mut spec, kind, index)? = PluginUse { active, plugin_name, name, instance };
        Ok(())
    }

    /// Adds a body of particles to a body.
    fn register_deformable(&self, parent: usize, name: &str, body: &PyDeformable) -> PyResult<()> {
        let mut spec = self.write();
        let parent = key::<Body>(&spec, parent)?;
        let added = spec.register_deformable(parent, name, &*body.lock());
        added.map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// Declares a kind of plugin.
    fn activate_plugin(&self, name: String) {
        let mut spec = self.write();
        if !spec.active_plugins.iter().any(|active| active.name == name) {
            spec.active_plugins.push(ActivePlugin { name, source: Source::NONE });
        }
    }

    /// Keyframes as they are once the model has been compiled.
    fn settle_keys(&self) {
        self.write().settle_keys();
    }

    /// The model as MJCF text.
    fn write_xml(&self, py: Python<'_>) -> PyResult<String> {
        let spec = self.read().clone();
        protect(py, move || spec.to_xml())?.map_err(|e| ModelError::new_err(e.to_string()))
    }

    /// The model as MJCF text that MuJoCo loads, and what it loses.
    fn write_plain_xml(&self, py: Python<'_>) -> PyResult<(String, Vec<String>)> {
        let spec = self.read().clone();
        let (text, lost) = protect(py, move || {
            let (plain, lost) = spec.without_extensions();
            (plain.to_xml(), lost)
        })?;
        let lost = lost.iter().map(ToString::to_string).collect();
        Ok((text.map_err(|e| ModelError::new_err(e.to_string()))?, lost))
    }

    #[getter]
    fn _address(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    fn get_text(&self, field: &str) -> PyResult<String> {
        let spec = self.read();
        Ok(match field {
            "modelname" => spec.modelname.clone(),
            "comment" => spec.comment.clone(),
            "modelfiledir" => spec.modelfiledir.clone(),
            _ => return Err(PyAttributeError::new_err(field.to_owned())),
        })
    }

    fn set_text(&self, field: &str, text: String) -> PyResult<()> {
        let mut spec = self.write();
        match field {
            "modelname" => spec.modelname = text,
            "comment" => spec.comment = text,
            "modelfiledir" => spec.modelfiledir = text,
            _ => return Err(PyAttributeError::new_err(field.to_owned())),
        }
        Ok(())
    }

    #[getter]
    fn get_strippath(&self) -> i32 {
        self.read().strippath.into()
    }

    #[setter]
    fn set_strippath(&self, strip: i32) {
        self.write().strippath = strip != 0;
    }

    /// Names of the fields of an element, or of a group of settings.
    fn names(&self, kind: &str) -> PyResult<Vec<&'static str>> {
        let spec = self.read();
        let section: Result<Vec<&'static str>, FieldError> =
            by_section!([&] spec, kind, r => Ok(record_names(r)), f => Ok(f.names()));
        match section {
            Ok(names) => Ok(names),
            Err(_) => by_kind!(kind, T => Ok(T::default().names())),
        }
    }

    /// The value of a field of an element.
    #[pyo3(signature = (kind, index, field, prototype=false))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        kind: &str,
        index: usize,
        field: &str,
        prototype: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = {
            let spec = self.read();
            by_kind!(kind, T => field_of::<T>(&spec, index, prototype, field))?
        };
        value::to_python(py, found.map_err(|e| value::error(kind, field, e))?)
    }

    /// Writes a field of an element.
    #[pyo3(signature = (kind, index, field, value, prototype=false))]
    fn set(
        &self,
        kind: &str,
        index: usize,
        field: &str,
        value: &Bound<'_, PyAny>,
        prototype: bool,
    ) -> PyResult<()> {
        let like = {
            let spec = self.read();
            by_kind!(kind, T => field_of::<T>(&spec, index, prototype, field))?
        };
        let like = like.map_err(|e| value::error(kind, field, e))?;
        let value = value::from_python(value, &like)?;
        let mut spec = self.write();
        by_kind!(kind, T => set::<T>(&mut spec, index, prototype, field, value))?
            .map_err(|e| value::error(kind, field, e))
    }

    /// The value of a setting.
    fn get_setting<'py>(
        &self,
        py: Python<'py>,
        section: &str,
        field: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = self.setting(section, field);
        value::to_python(py, found.map_err(|e| value::error(section, field, e))?)
    }

    /// Writes a setting.
    fn set_setting(&self, section: &str, field: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let error = |e| value::error(section, field, e);
        let like = self.setting(section, field).map_err(error)?;
        let value = value::from_python(value, &like)?;
        let mut spec = self.write();
        by_section!([&mut] spec, section,
            r => {
                let kind = r.field(field).ok_or_else(|| error(FieldError::Unknown))?.1.kind();
                value::to_record(kind, &value, |values| r.set_field(field, values))
            },
            f => f.set(field, value))
        .map_err(error)
    }

    /// Adds an element: to a body, to a frame, or to the model.
    #[pyo3(signature = (kind, body=None, frame=None, class=None))]
    fn insert(
        &self,
        kind: &str,
        body: Option<usize>,
        frame: Option<usize>,
        class: Option<usize>,
    ) -> PyResult<usize> {
        let mut spec = self.write();
        let class = self::class(&spec, class)?;
        match (body, frame) {
            (_, Some(frame)) => {
                let frame = key::<Frame>(&spec, frame)?;
                by_tree_kind!(kind, T => Ok(spec.add_child::<T>(frame, class).index()))
            }
            (Some(body), None) => {
                let body = key::<Body>(&spec, body)?;
                if kind == "freejoint" {
                    return Ok(spec.add_free_joint(body).index());
                }
                by_tree_kind!(kind, T => Ok(spec.add_child::<T>(body, class).index()))
            }
            (None, None) => by_kind!(kind, T => Ok(spec.add::<T>(class).index())),
        }
    }

    /// Deletes an element.
    fn remove(&self, kind: &str, index: usize) -> PyResult<()> {
        let mut spec = self.write();
        if kind == "default" {
            let class = spec.defaults.key(index).ok_or_else(gone)?;
            return spec.delete_class(class).map_err(edit_error);
        }
        if kind == "body" && index == Spec::WORLD.index() {
            return Err(edit_error(EditError::World));
        }
        by_kind!(kind, T => {
            let key = key::<T>(&spec, index)?;
            spec.delete(key);
            Ok(())
        })
    }

    fn exists(&self, kind: &str, index: usize) -> PyResult<bool> {
        let spec = self.read();
        if kind == "default" {
            return Ok(spec.defaults.key(index).is_some());
        }
        by_kind!(kind, T => Ok(T::arena(&spec).key(index).is_some()))
    }

    /// The index of the element of this name.
    fn find(&self, kind: &str, name: &str) -> PyResult<Option<usize>> {
        let spec = self.read();
        if kind == "default" {
            return Ok(spec.find_class(name).map(Key::index));
        }
        by_kind!(kind, T => Ok(spec.find::<T>(name).map(Key::index)))
    }

    /// All elements of a kind, in the order in which the compiler numbers them.
    fn order(&self, kind: &str) -> PyResult<Vec<usize>> {
        let spec = self.read();
        by_kind!(kind, T => Ok(indices(spec.order::<T>())))
    }

    /// The elements inside a body, with `deep` also of the bodies below.
    fn children(&self, body: usize, kind: &str, deep: bool) -> PyResult<Vec<usize>> {
        let spec = self.read();
        let body = key::<Body>(&spec, body)?;
        by_tree_kind!(kind, T => Ok(indices(spec.children::<T>(body, deep))))
    }

    /// Body and frame that an element is in.
    fn place(&self, kind: &str, index: usize) -> PyResult<Place> {
        let spec = self.read();
        by_tree_kind!(kind, T => {
            let (body, frame) = T::arena(&spec)[key(&spec, index)?].place();
            Ok((body.map(Key::index), frame.map(Key::index)))
        })
    }

    #[pyo3(signature = (kind, index, frame))]
    fn set_frame(&self, kind: &str, index: usize, frame: Option<usize>) -> PyResult<()> {
        let mut spec = self.write();
        let frame = frame.map(|frame| key::<Frame>(&spec, frame)).transpose()?;
        by_tree_kind!(kind, T => {
            let key = key::<T>(&spec, index)?;
            spec.set_frame(key, frame).map_err(edit_error)
        })
    }

    fn body_to_frame(&self, body: usize) -> PyResult<usize> {
        let mut spec = self.write();
        let body = key(&spec, body)?;
        spec.body_to_frame(body).map(Key::index).map_err(edit_error)
    }

    /// Adds a default class; `None` if the name is taken.
    #[pyo3(signature = (name, parent=None))]
    fn insert_class(&self, name: &str, parent: Option<usize>) -> PyResult<Option<usize>> {
        let mut spec = self.write();
        let parent = class(&spec, parent)?;
        Ok(spec.add_class(name, parent).map(Key::index))
    }

    fn class_name(&self, index: usize) -> PyResult<String> {
        let spec = self.read();
        Ok(spec.defaults[spec.defaults.key(index).ok_or_else(gone)?].name.clone())
    }

    fn set_class_name(&self, index: usize, name: String) -> PyResult<()> {
        let mut spec = self.write();
        let key = spec.defaults.key(index).ok_or_else(gone)?;
        spec.defaults[key].name = name;
        Ok(())
    }

    /// The default class of an element; for bodies and frames, that of what is inside.
    fn class_of(&self, kind: &str, index: usize) -> PyResult<usize> {
        let spec = self.read();
        let class = by_kind!(kind, T => {
            let mut element = T::arena(&spec).get(key(&spec, index)?).ok_or_else(gone)?.clone();
            Ok(*element.header().class)
        })?;
        let class = match kind {
            "body" => spec.bodies[key(&spec, index)?].childclass.or(class),
            "frame" => spec.frames[key(&spec, index)?].childclass.or(class),
            _ => class,
        };
        let class = class.filter(|&class| spec.defaults.contains(class));
        Ok(class.unwrap_or(Spec::MAIN_CLASS).index())
    }

    fn set_class(&self, kind: &str, index: usize, class: usize) -> PyResult<()> {
        let mut spec = self.write();
        let class = self::class(&spec, Some(class))?;
        by_kind!(kind, T => {
            let key = key::<T>(&spec, index)?;
            *T::arena_mut(&mut spec)[key].header().class = class;
            Ok(())
        })
    }

    /// The class of what is inside a body or frame, if it has one of its own.
    fn childclass(&self, kind: &str, index: usize) -> PyResult<Option<usize>> {
        let spec = self.read();
        let class = match kind {
            "body" => spec.bodies[key(&spec, index)?].childclass,
            _ => spec.frames[key(&spec, index)?].childclass,
        };
        Ok(class.map(Key::index))
    }

    #[pyo3(signature = (kind, index, class))]
    fn set_childclass(&self, kind: &str, index: usize, class: Option<usize>) -> PyResult<()> {
        let mut spec = self.write();
        let class = self::class(&spec, class)?;
        if kind == "body" {
            let key = key::<Body>(&spec, index)?;
            spec.bodies[key].childclass = class;
        } else {
            let key = key::<Frame>(&spec, index)?;
            spec.frames[key].childclass = class;
        }
        Ok(())
    }

    /// Copies a part of another spec, or of this one, to an anchor: the new body, the new frame,
    /// and kind, original and copy of every element.
    #[pyo3(signature = (anchor, at, child, part, of, prefix, suffix))]
    #[allow(clippy::too_many_arguments)]
    fn attach_part(
        &self,
        anchor: &str,
        at: usize,
        child: Option<&SpecBase>,
        part: &str,
        of: usize,
        prefix: &str,
        suffix: &str,
    ) -> PyResult<Attached> {
        let child = child.map(|child| child.read().clone());
        let mut spec = self.write();
        let anchor = match anchor {
            "body" => Anchor::Body(key(&spec, at)?),
            "frame" => Anchor::Frame(key(&spec, at)?),
            _ => Anchor::Site(key(&spec, at)?),
        };
        let source = child.as_ref().unwrap_or(&spec);
        let part = match part {
            "body" => Part::Body(key(source, of)?),
            "frame" => Part::Frame(key(source, of)?),
            _ => Part::World,
        };
        let attached = spec
            .attach(anchor, child.as_ref(), part, prefix, suffix)
            .map_err(|e| PyValueError::new_err(e.to_string()))?;
        let copies =
            attached.copies.into_iter().map(|(kind, from, to)| (kind.xml_name(), from, to));
        let copies = copies.filter(|copy| !copy.0.is_empty()).collect();
        Ok((attached.body.map(Key::index), attached.frame.map(Key::index), copies))
    }

    /// Appends to the path of a tendon; the position in the path.
    fn wrap(
        &self,
        tendon: usize,
        kind: &str,
        name: String,
        sidesite: String,
        number: f64,
    ) -> PyResult<usize> {
        let mut spec = self.write();
        let key = key::<Tendon>(&spec, tendon)?;
        let target = match kind {
            "site" => WrapTarget::Site { site: name },
            "geom" => WrapTarget::Geom { geom: name, sidesite },
            "joint" => WrapTarget::Joint { joint: name, coef: number },
            _ => WrapTarget::Pulley { divisor: number },
        };
        let path = &mut spec.tendons[key].path;
        path.push(Wrap { target, source: Source::NONE });
        Ok(path.len() - 1)
    }

    /// The path of a tendon: kind, name, side site, number.
    fn path(&self, tendon: usize) -> PyResult<Vec<(&'static str, String, String, f64)>> {
        let spec = self.read();
        let path = &spec.tendons[key(&spec, tendon)?].path;
        let station = |wrap: &Wrap| match wrap.target.clone() {
            WrapTarget::Site { site } => ("site", site, String::new(), 0.0),
            WrapTarget::Geom { geom, sidesite } => ("geom", geom, sidesite, 0.0),
            WrapTarget::Joint { joint, coef } => ("joint", joint, String::new(), coef),
            WrapTarget::Pulley { divisor } => ("pulley", String::new(), String::new(), divisor),
        };
        Ok(path.iter().map(station).collect())
    }
}

impl SpecBase {
    fn setting(&self, section: &str, field: &str) -> Result<Value, FieldError> {
        let spec = self.read();
        by_section!([&] spec, section,
            r => r.field(field).map(value::of_record).ok_or(FieldError::Unknown),
            f => f.get(field))
    }
}

/// Field names of a record.
fn record_names<R: Record>(_: &R) -> Vec<&'static str> {
    R::NAMES.to_vec()
}

trait Record {
    const NAMES: &'static [&'static str];
}

macro_rules! records {
    ($($record:ident)*) => {$(
        impl Record for corten_model::$record {
            const NAMES: &'static [&'static str] = corten_model::$record::FIELDS;
        }
    )*};
}

records! {
    Options VisualGlobal VisualQuality VisualHeadlight VisualMap VisualScale VisualRgba
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<SpecBase>()
}

//! MuJoCo as a private dynamic library: the handful of functions that a comparison needs.
//!
//! Only functions with plain signatures are used, so that no struct layout enters and several
//! versions can be loaded side by side.

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;

use anyhow::{Context, bail};
use libloading::Library;

type Opaque = *mut c_void;
type Stage = unsafe extern "C" fn(Opaque, Opaque);

/// A loaded MuJoCo library.
pub struct Reference {
    load_xml: unsafe extern "C" fn(*const c_char, *const c_void, *mut c_char, c_int) -> Opaque,
    save_model: unsafe extern "C" fn(Opaque, *const c_char, *mut c_void, c_int),
    load_model: unsafe extern "C" fn(*const c_char, *const c_void) -> Opaque,
    delete_model: unsafe extern "C" fn(Opaque),
    make_data: unsafe extern "C" fn(Opaque) -> Opaque,
    delete_data: unsafe extern "C" fn(Opaque),
    reset_keyframe: unsafe extern "C" fn(Opaque, Opaque, c_int),
    step: Stage,
    state_size: unsafe extern "C" fn(Opaque, c_int) -> c_int,
    get_state: unsafe extern "C" fn(Opaque, Opaque, *mut f64, c_int),
    set_state: unsafe extern "C" fn(Opaque, Opaque, *const f64, c_int),
    version: c_int,
    library: Library,
}

impl Reference {
    pub fn open(path: &Path) -> anyhow::Result<Reference> {
        let context = || format!("cannot load MuJoCo from {}", path.display());
        // SAFETY: loading runs the library's initialisers; it is the MuJoCo library that the user
        // named, whose initialisers only set up its own tables. The function types below are those
        // of its C header, which have been stable from 3.4.0 to 4.0.0.
        unsafe {
            let library = Library::new(path).with_context(context)?;
            macro_rules! symbol {
                ($name:literal) => {
                    *library.get(concat!($name, "\0").as_bytes()).with_context(context)?
                };
            }
            let version: unsafe extern "C" fn() -> c_int = symbol!("mj_version");
            Ok(Reference {
                load_xml: symbol!("mj_loadXML"),
                save_model: symbol!("mj_saveModel"),
                load_model: symbol!("mj_loadModel"),
                delete_model: symbol!("mj_deleteModel"),
                make_data: symbol!("mj_makeData"),
                delete_data: symbol!("mj_deleteData"),
                reset_keyframe: symbol!("mj_resetDataKeyframe"),
                step: symbol!("mj_step"),
                state_size: symbol!("mj_stateSize"),
                get_state: symbol!("mj_getState"),
                set_state: symbol!("mj_setState"),
                version: version(),
                library,
            })
        }
    }

    /// The version as MuJoCo's header has it: 340 is 3.4.0, 4000000 is 4.0.0.
    pub fn version(&self) -> String {
        let v = self.version;
        if v < 10_000 {
            format!("{}.{}.{}", v / 100, v / 10 % 10, v % 10)
        } else {
            format!("{}.{}.{}", v / 1_000_000, v / 1000 % 1000, v % 1000)
        }
    }

    /// Compiles a model from MJCF.
    pub fn load(&self, file: &Path) -> anyhow::Result<ReferenceModel<'_>> {
        let name = CString::new(file.to_string_lossy().as_bytes())?;
        let mut error = [0 as c_char; 1000];
        // SAFETY: the name is a C string, a null VFS means the file system, and the buffer is as
        // long as stated.
        let model = unsafe {
            (self.load_xml)(
                name.as_ptr(),
                std::ptr::null(),
                error.as_mut_ptr(),
                error.len() as c_int,
            )
        };
        if model.is_null() {
            let bytes: Vec<u8> =
                error.iter().take_while(|&&c| c != 0).map(|&c| c.to_ne_bytes()[0]).collect();
            bail!("MuJoCo {}: {}", self.version(), String::from_utf8_lossy(&bytes));
        }
        Ok(ReferenceModel { library: self, model })
    }

    /// Reads a model that [`ReferenceModel::save`] wrote.
    pub fn load_binary(&self, file: &Path) -> anyhow::Result<ReferenceModel<'_>> {
        let name = CString::new(file.to_string_lossy().as_bytes())?;
        // SAFETY: the name is a C string, a null VFS means the file system.
        let model = unsafe { (self.load_model)(name.as_ptr(), std::ptr::null()) };
        if model.is_null() {
            bail!("MuJoCo {} cannot read {}", self.version(), file.display());
        }
        Ok(ReferenceModel { library: self, model })
    }

    /// Functions of a model and its data, by name; those that the version does not have are left
    /// out.
    pub fn stages(&self, names: &[&str]) -> Vec<ReferenceStage> {
        let find = |name: &&str| {
            // SAFETY: every name asked for is a function of a model and its data.
            let stage: Stage = *unsafe { self.library.get(name.as_bytes()) }.ok()?;
            Some(ReferenceStage(stage))
        };
        names.iter().filter_map(find).collect()
    }
}

/// A function of a model and its data.
#[derive(Clone, Copy)]
pub struct ReferenceStage(Stage);

/// A model that MuJoCo has compiled.
pub struct ReferenceModel<'a> {
    library: &'a Reference,
    model: Opaque,
}

impl Drop for ReferenceModel<'_> {
    fn drop(&mut self) {
        // SAFETY: made by this library and not deleted before; data borrow the model.
        unsafe { (self.library.delete_model)(self.model) }
    }
}

impl ReferenceModel<'_> {
    pub fn make_data(&self) -> ReferenceData<'_> {
        // SAFETY: the model is valid.
        ReferenceData { model: self, data: unsafe { (self.library.make_data)(self.model) } }
    }

    pub fn state_size(&self, signature: i32) -> usize {
        // SAFETY: the model is valid.
        unsafe { (self.library.state_size)(self.model, signature) as usize }
    }

    /// Writes the compiled model to a file.
    pub fn save(&self, file: &Path) -> anyhow::Result<()> {
        let name = CString::new(file.to_string_lossy().as_bytes())?;
        // SAFETY: the model is valid; with a file name no buffer is needed.
        unsafe { (self.library.save_model)(self.model, name.as_ptr(), std::ptr::null_mut(), 0) };
        Ok(())
    }
}

/// A simulation in MuJoCo.
pub struct ReferenceData<'a> {
    model: &'a ReferenceModel<'a>,
    data: Opaque,
}

impl Drop for ReferenceData<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `make_data` and not deleted before.
        unsafe { (self.model.library.delete_data)(self.data) }
    }
}

impl ReferenceData<'_> {
    pub fn reset_to_keyframe(&mut self, key: i32) {
        // SAFETY: model and data are valid and belong together; a key out of range only resets.
        unsafe { (self.model.library.reset_keyframe)(self.model.model, self.data, key) }
    }

    pub fn step(&mut self, n: usize) {
        for _ in 0..n {
            // SAFETY: model and data are valid and belong together.
            unsafe { (self.model.library.step)(self.model.model, self.data) }
        }
    }

    pub fn run(&mut self, stage: ReferenceStage) {
        // SAFETY: model and data are valid and belong together; the stage is of the same library.
        unsafe { (stage.0)(self.model.model, self.data) }
    }

    pub fn state(&self, signature: i32) -> Vec<f64> {
        let mut state = vec![0.0; self.model.state_size(signature)];
        // SAFETY: the buffer has the size that MuJoCo asks for.
        unsafe {
            (self.model.library.get_state)(
                self.model.model,
                self.data,
                state.as_mut_ptr(),
                signature,
            );
        }
        state
    }

    pub fn set_state(&mut self, state: &[f64], signature: i32) {
        assert_eq!(state.len(), self.model.state_size(signature));
        // SAFETY: the buffer has the size that MuJoCo asks for.
        unsafe {
            (self.model.library.set_state)(self.model.model, self.data, state.as_ptr(), signature);
        }
    }
}

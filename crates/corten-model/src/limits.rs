//! What a file or a call may ask for.
//!
//! A few characters can stand for more than any machine has: a count, a resolution, files that
//! include each other. Each of these is counted before it is made, and refused beyond a limit, with
//! the element that asks for it and the name of the limit.

/// The name of what the machine itself refuses, where a finding tells the limit that was exceeded.
pub const MEMORY: &str = "memory";

/// How much a file or a call may ask for. The defaults fit a laptop, and no public model meets
/// them; a server that loads models of strangers sets them lower, a researcher higher.
///
/// ```
/// use corten_model::{Assets, Limits, ReadOptions, Spec};
///
/// let text = "<mujoco><worldbody><replicate count='1000'><site/></replicate></worldbody></mujoco>";
/// let limits = Limits { elements: 100, ..Limits::default() };
/// let options = ReadOptions { limits, ..ReadOptions::default() };
/// let errors = Spec::read_str(text, &Assets::memory_only(), options).unwrap_err();
/// assert_eq!(errors.iter().next().unwrap().limit, Some("elements"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Files of MJCF or URDF that a model is read from: included, and attached models.
    pub files: usize,
    /// Bytes of one file.
    pub file_bytes: usize,
    /// Elements that `replicate`, `attach`, `composite` and `flexcomp` make together.
    pub elements: usize,
    /// Points of a mesh that a resolution describes, or of a `flexcomp`.
    pub points: usize,
    /// Bytes of all textures and height fields together, expanded.
    pub image_bytes: usize,
    /// Bytes of the arrays of a model that its numbers ask for: user data, keyframes, the mass
    /// matrix.
    pub model_bytes: usize,
    /// Bytes that pairs, contacts and constraint rows of one simulation may take, and the solver's
    /// matrix.
    pub data_bytes: usize,
    /// Worlds of a batch.
    pub worlds: usize,
    /// Threads; a request beyond is cut.
    pub threads: usize,
}

impl Limits {
    pub const DEFAULT: Limits = Limits {
        files: 1000,
        file_bytes: 1 << 30,
        elements: 1_000_000,
        points: 1 << 18,
        image_bytes: 1 << 29,
        model_bytes: 1 << 31,
        data_bytes: 1 << 31,
        worlds: 1 << 24,
        threads: 1024,
    };

    /// No limits but those of the machine.
    pub const NONE: Limits = Limits {
        files: usize::MAX,
        file_bytes: usize::MAX,
        elements: usize::MAX,
        points: usize::MAX,
        image_bytes: usize::MAX,
        model_bytes: usize::MAX,
        data_bytes: usize::MAX,
        worlds: usize::MAX,
        threads: usize::MAX,
    };

    /// Every limit by its name.
    pub fn fields_mut(&mut self) -> [(&'static str, &mut usize); 9] {
        [
            ("files", &mut self.files),
            ("file_bytes", &mut self.file_bytes),
            ("elements", &mut self.elements),
            ("points", &mut self.points),
            ("image_bytes", &mut self.image_bytes),
            ("model_bytes", &mut self.model_bytes),
            ("data_bytes", &mut self.data_bytes),
            ("worlds", &mut self.worlds),
            ("threads", &mut self.threads),
        ]
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

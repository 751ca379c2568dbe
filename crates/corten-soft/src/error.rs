/// Why a body cannot be made or stepped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SoftError {
    /// A constraint or an element names a particle that does not exist.
    #[error("{what} {index} refers to particle {particle}, but there are {count}")]
    NoSuchParticle {
        /// Constraint, triangle, tetrahedron.
        what: &'static str,
        /// Which one.
        index: usize,
        /// What it refers to.
        particle: usize,
        /// How many there are.
        count: usize,
    },
    /// Arrays of one body with different lengths.
    #[error("{what} has {found} entries for {expected} particles")]
    Length {
        /// Name of the array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// Number of particles.
        expected: usize,
    },
    /// A number outside of what makes sense.
    #[error("{what} is {value}: {expected} is needed")]
    Value {
        /// Name of the number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        expected: &'static str,
    },
    /// An element without area or volume.
    #[error("{what} {index} has no extent: its corners coincide or are in line")]
    Degenerate {
        /// Triangle, tetrahedron, segment.
        what: &'static str,
        /// Which one.
        index: usize,
    },
    /// More particles than indices can name.
    #[error("{count} particles are too many: at most {limit} are possible")]
    TooMany {
        /// What was asked for.
        count: usize,
        /// What is possible.
        limit: usize,
    },
    /// A step led to a position that is not a number.
    #[error(
        "particle {particle} has no finite position after the step: the time step is too long for the \
         velocities, or the body was given bad numbers"
    )]
    NotFinite {
        /// The first such particle.
        particle: usize,
    },
}

/// `value` if `ok`, else an error that says what was expected.
pub(crate) fn expect(
    ok: bool,
    what: &'static str,
    value: f64,
    expected: &'static str,
) -> Result<f64, SoftError> {
    if ok { Ok(value) } else { Err(SoftError::Value { what, value, expected }) }
}

/// A finite number above zero.
pub(crate) fn positive(what: &'static str, value: f64) -> Result<f64, SoftError> {
    expect(value.is_finite() && value > 0.0, what, value, "a number above zero")
}

/// A finite number, zero or above.
pub(crate) fn not_negative(what: &'static str, value: f64) -> Result<f64, SoftError> {
    expect(value.is_finite() && value >= 0.0, what, value, "a number that is not negative")
}

//! What [`super::Prepared`] is made from: to notice that a model has been changed.

use corten_math::memory;
use corten_model::ModelArrays;
use corten_model::enums::DisableBit;

use crate::stage::constraint::is_sparse;

/// Options that decide which pairs of geoms may touch, and in which order they are tested.
const FLAGS: i32 = DisableBit::FilterParent.raw() | DisableBit::MidPhase.raw();

macro_rules! inputs {
    ($($name:ident: $type:ty,)*) => {
        /// Copies of sizes, options and arrays.
        #[allow(non_snake_case)]
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct Inputs {
            pub sizes: Sizes,
            flags: i32,
            sparse: bool,
            $(pub $name: Vec<$type>,)*
        }

        impl Inputs {
            /// Names of the arrays.
            pub const ARRAYS: &'static [&'static str] = &[$(stringify!($name)),*];

            pub fn new(m: &ModelArrays) -> Inputs {
                Inputs {
                    sizes: Sizes::new(m),
                    flags: m.opt.disableflags & FLAGS,
                    sparse: is_sparse(m),
                    $($name: memory::copy_of(bytemuck::cast_slice(&m.$name)),)*
                }
            }

            /// Whether a model still says the same, in all but arrays.
            fn match_scalars(&self, m: &ModelArrays) -> bool {
                self.sizes == Sizes::new(m)
                    && self.flags == m.opt.disableflags & FLAGS
                    && self.sparse == is_sparse(m)
            }

            /// Whether a model still says the same, in those of [`Self::ARRAYS`] whose bit is set.
            pub fn match_arrays(&self, m: &ModelArrays, which: Which) -> bool {
                let mut bits = which.0;
                $(
                    if bits & 1 != 0 && bytes(&self.$name) != bytes(&m.$name) {
                        return false;
                    }
                    bits >>= 1;
                )*
                bits == 0
            }
        }
    };
}

inputs! {
    // The kinematic forest.
    body_parentid: i32,
    body_rootid: i32,
    body_jntnum: i32,
    body_jntadr: i32,
    body_dofnum: i32,
    body_dofadr: i32,
    body_geomnum: i32,
    body_geomadr: i32,
    jnt_type: i32,
    jnt_qposadr: i32,
    jnt_dofadr: i32,
    jnt_axis: u64,
    body_quat: u64,
    body_mocapid: i32,
    dof_treeid: i32,
    M_rownnz: i32,
    M_rowadr: i32,
    M_colind: i32,
    D_rownnz: i32,
    D_rowadr: i32,
    D_colind: i32,

    // Attachments.
    body_sameframe: u8,
    geom_sameframe: u8,
    site_sameframe: u8,
    geom_bodyid: i32,
    site_bodyid: i32,

    // Paths of tendons.
    tendon_adr: i32,
    tendon_num: i32,
    wrap_type: i32,
    wrap_objid: i32,
    wrap_prm: u64,

    // Actuators.
    actuator_trntype: i32,
    actuator_trnid: i32,
    actuator_dyntype: i32,
    actuator_gaintype: i32,
    actuator_biastype: i32,
    actuator_actadr: i32,
    actuator_actnum: i32,
    actuator_actearly: u8,
    actuator_plugin: i32,

    // Sensors.
    sensor_type: i32,
    sensor_objtype: i32,
    sensor_reftype: i32,
    sensor_needstage: i32,
    sensor_adr: i32,
    sensor_dim: i32,

    // Flexes.
    flex_dim: i32,
    flex_interp: i32,
    flex_rigid: u8,
    flex_centered: u8,
    flex_nodeadr: i32,
    flex_nodenum: i32,
    flex_vertadr: i32,
    flex_vertnum: i32,
    flex_edgeadr: i32,
    flex_edgenum: i32,
    flex_elemadr: i32,
    flex_elemnum: i32,
    flex_elemdataadr: i32,
    flex_elemedgeadr: i32,
    flex_nodebodyid: i32,
    flex_vertbodyid: i32,
    flex_vert0: u64,
    flex_edge: i32,
    flex_edgeflap: i32,
    flex_elem: i32,
    flex_elemedge: i32,
    geom_compliance: u64,
    pair_compliance: u64,
    flex_bending_model: i32,
    flex_elasticity_model: i32,
    flex_material: u64,
    flex_rest: u64,

    // What may touch.
    body_weldid: i32,
    body_contype: i32,
    body_conaffinity: i32,
    geom_type: i32,
    geom_contype: i32,
    geom_conaffinity: i32,
    exclude_signature: i32,
    pair_geom1: i32,
    pair_geom2: i32,
}

impl Inputs {
    /// Whether a model still says the same.
    pub fn fit(&self, m: &ModelArrays) -> bool {
        self.match_scalars(m) && self.match_arrays(m, Which::ALL)
    }
}

fn bytes<T: bytemuck::NoUninit>(values: &[T]) -> &[u8] {
    bytemuck::cast_slice(values)
}

/// A set of arrays of [`Inputs`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Which(u128);

impl Which {
    pub const NONE: Which = Which(0);
    pub const ALL: Which = Which(u128::MAX >> (u128::BITS as usize - Inputs::ARRAYS.len()));

    /// The set, a bit per array, in two words.
    pub fn bits(self) -> [u64; 2] {
        [self.0 as u64, (self.0 >> u64::BITS) as u64]
    }

    /// The set of these bits.
    pub fn of_bits([low, high]: [u64; 2]) -> Which {
        Which((u128::from(high) << u64::BITS | u128::from(low)) & Which::ALL.0)
    }

    /// With the array of that name, if it is one of them.
    #[must_use]
    pub fn with(self, name: &str) -> Which {
        let place = Inputs::ARRAYS.iter().position(|array| *array == name);
        place.map_or(self, |place| Which(self.0 | 1 << place))
    }
}

macro_rules! sizes {
    ($($name:ident)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];

        /// The sizes that arrays of [`crate::Data`] depend on.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub(crate) struct Sizes([usize; NAMES.len()]);

        impl Sizes {
            pub fn new(m: &ModelArrays) -> Sizes {
                Sizes([$(m.$name),*])
            }
        }
    };
}

sizes! {
    nq nv nu na nbody nbvhdynamic njnt ntree nC nD ngeom nsite ncam nlight nflexvert nflexedge
    nflexelem neq ntendon nwrap nsensor nmocap nJmom nuserdata nsensordata npluginstate
}

impl Sizes {
    /// The first size that differs: its name, and the two values.
    pub fn difference(&self, other: &Sizes) -> Option<(&'static str, usize, usize)> {
        let mut both = self.0.iter().zip(&other.0).zip(NAMES);
        let ((&own, &other), name) = both.find(|((own, other), _)| own != other)?;
        Some((name, own, other))
    }
}

#[cfg(test)]
mod tests {
    use corten_model::arrays::Columns;

    use super::*;
    use crate::Data;

    #[test]
    fn sizes_are_all_that_data_depend_on() {
        for info in &Data::ARRAYS[..Data::FIXED_ARRAYS] {
            assert!(NAMES.contains(&info.rows), "{}", info.name);
            assert!(!matches!(info.columns, Columns::Sized(..)), "{}", info.name);
        }
    }

    #[test]
    fn each_array_is_an_array_of_the_model() {
        let mut all = Which::NONE;
        for name in Inputs::ARRAYS {
            assert!(ModelArrays::array_index(name).is_some(), "{name}");
            all = all.with(name);
        }
        assert_eq!(all, Which::ALL);
        assert_eq!(all.with("body_mass"), Which::ALL);
    }
}

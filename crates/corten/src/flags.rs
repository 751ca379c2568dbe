//! Bits of `opt.disableflags` and `opt.enableflags` as constants.

use crate::enums::{DisableBit, EnableBit};

/// Declares the bits of one set of flags.
macro_rules! bits {
    ($Bit:ident, $($NAME:ident = $variant:ident, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            pub const $NAME: u32 = $Bit::$variant.raw() as u32;
        )*
    };
}

bits! { DisableBit,
    DISABLE_CONSTRAINT = Constraint, "No constraint solver at all.";
    DISABLE_EQUALITY = Equality, "No equality constraints.";
    DISABLE_FRICTIONLOSS = FrictionLoss, "No friction loss in joints and tendons.";
    DISABLE_LIMIT = Limit, "No limits of joints and tendons.";
    DISABLE_CONTACT = Contact, "No collision detection, no contacts.";
    DISABLE_SPRING = Spring, "No passive springs.";
    DISABLE_DAMPER = Damper, "No passive dampers.";
    DISABLE_GRAVITY = Gravity, "No gravity.";
    DISABLE_CLAMPCTRL = ClampCtrl, "Controls are not clamped to their range.";
    DISABLE_WARMSTART = WarmStart, "The solver starts from the unconstrained acceleration.";
    DISABLE_FILTERPARENT = FilterParent, "Bodies collide with their parents.";
    DISABLE_ACTUATION = Actuation, "No actuator forces.";
    DISABLE_REFSAFE = RefSafe, "Time constants of constraints may be below two time steps.";
    DISABLE_SENSOR = Sensor, "Sensors keep their last values.";
    DISABLE_MIDPHASE = MidPhase, "No bounding volume hierarchies in collision detection.";
    DISABLE_EULERDAMP = EulerDamp, "Joint damping is explicit in the Euler integrator.";
    DISABLE_AUTORESET = AutoReset, "Bad numbers do not reset the simulation.";
    DISABLE_NATIVECCD = NativeCcd, "The older algorithm for collisions of convex shapes.";
    DISABLE_ISLAND = Island, "Constraints are solved as one system.";
}

bits! { EnableBit,
    ENABLE_OVERRIDE = Override, "Contact parameters of the options override all others.";
    ENABLE_ENERGY = Energy, "Energies are computed.";
    ENABLE_FWDINV = FwdInv, "Forward and inverse dynamics are compared.";
    ENABLE_INVDISCRETE = InvDiscrete, "Inverse dynamics of discrete accelerations.";
    ENABLE_MULTICCD = MultiCcd, "Several contacts between convex shapes.";
    ENABLE_SLEEP = Sleep, "Trees at rest fall asleep.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_have_their_places() {
        assert_eq!([DISABLE_CONSTRAINT, DISABLE_GRAVITY, DISABLE_ISLAND], [1, 1 << 7, 1 << 18]);
        assert_eq!([ENABLE_OVERRIDE, ENABLE_SLEEP], [1, 1 << 5]);
    }
}

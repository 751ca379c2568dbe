//! Eight numbers in an array.

use super::Eights;

#[derive(Clone, Copy, Debug)]
pub struct Arrays;

macro_rules! lanewise {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty { $value:expr })*) => {$(
        #[inline(always)]
        fn $name($($argument: $type),*) -> $result {
            let mut out = <$result>::default();
            for k in 0..8 {
                $(let $argument = $argument[k];)*
                out[k] = $value;
            }
            out
        }
    )*};
}

type Floats = [f32; 8];
type Ints = [i32; 8];

impl Eights for Arrays {
    type Floats = Floats;
    type Ints = Ints;

    lanewise! {
        add(a: Floats, b: Floats) -> Floats { a + b }
        sub(a: Floats, b: Floats) -> Floats { a - b }
        mul(a: Floats, b: Floats) -> Floats { a * b }
        div(a: Floats, b: Floats) -> Floats { a / b }
        min(a: Floats, b: Floats) -> Floats { if a < b { a } else { b } }
        max(a: Floats, b: Floats) -> Floats { if a > b { a } else { b } }
        truncated(a: Floats) -> Ints { a as i32 }
        numbers(a: Ints) -> Floats { a as f32 }
        bits(a: Floats) -> Ints { a.to_bits() as i32 }
        from_bits(a: Ints) -> Floats { f32::from_bits(a as u32) }
        add_int(a: Ints, b: Ints) -> Ints { a.wrapping_add(b) }
        sub_int(a: Ints, b: Ints) -> Ints { a.wrapping_sub(b) }
        mul_int(a: Ints, b: Ints) -> Ints { a.wrapping_mul(b) }
        and(a: Ints, b: Ints) -> Ints { a & b }
        or(a: Ints, b: Ints) -> Ints { a | b }
        equal(a: Ints, b: Ints) -> Ints { -i32::from(a == b) }
        gt(a: Ints, b: Ints) -> Ints { -i32::from(a > b) }
        ge(a: Floats, b: Floats) -> Ints { -i32::from(a >= b) }
        lt(a: Floats, b: Floats) -> Ints { -i32::from(a < b) }
        same(a: Floats, b: Floats) -> Ints { -i32::from(a == b) }
        choose(mask: Ints, yes: Ints, no: Ints) -> Ints { mask & yes | !mask & no }
    }

    #[inline(always)]
    fn shifted<const PLACES: i32>(a: Ints) -> Ints {
        a.map(|a| (a as u32 >> PLACES) as i32)
    }

    #[inline(always)]
    fn raised<const PLACES: i32>(a: Ints) -> Ints {
        a.map(|a| a << PLACES)
    }

    #[inline(always)]
    fn signs(a: Ints) -> u32 {
        (0..8).fold(0, |bits, k| bits | (a[k] as u32 >> 31) << k)
    }

    #[inline(always)]
    fn largest(a: Floats) -> f32 {
        a.into_iter().fold(f32::NEG_INFINITY, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn splat(x: f32) -> Floats {
        [x; 8]
    }

    #[inline(always)]
    fn splat_int(x: i32) -> Ints {
        [x; 8]
    }

    #[inline(always)]
    fn load(x: &[f32; 8]) -> Floats {
        *x
    }

    #[inline(always)]
    fn load_int(x: &[i32; 8]) -> Ints {
        *x
    }

    #[inline(always)]
    fn store(a: Floats) -> [f32; 8] {
        a
    }

    #[inline(always)]
    fn store_int(a: Ints) -> [i32; 8] {
        a
    }
}

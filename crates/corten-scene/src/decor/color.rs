//! Colours that depend on the state.

use corten_math::halton;

/// Colour of an island, by its first degree of freedom; grey without one. What sleeps is paler.
pub fn island(first_dof: Option<i32>, awake: bool) -> [f32; 4] {
    let (mut hue, mut saturation, mut value) = (1.0, 0.0, 0.7);
    if let Some(dof) = first_dof.filter(|dof| *dof >= 0) {
        let index = dof.saturating_add(1);
        hue = halton(index, 7) as f32;
        saturation = (0.5 + 0.5 * halton(index, 3)) as f32;
        value = (0.6 + 0.4 * halton(index, 5)) as f32;
    }
    if !awake {
        value *= 0.6;
        saturation *= 0.7;
    }
    let [r, g, b] = hsv_to_rgb(hue, saturation, value);
    [r, g, b, 1.0]
}

/// Hue, saturation and value, all from 0 to 1.
fn hsv_to_rgb(hue: f32, saturation: f32, value: f32) -> [f32; 3] {
    if saturation <= 0.0 {
        return [value; 3];
    }
    let sector = (hue * 6.0).trunc();
    let within = hue * 6.0 - sector;
    let low = value * (1.0 - saturation);
    let falling = value * (1.0 - saturation * within);
    let rising = value * (1.0 - saturation * (1.0 - within));
    match sector as i32 {
        0 => [value, rising, low],
        1 => [falling, value, low],
        2 => [low, value, rising],
        3 => [low, falling, value],
        4 => [rising, low, value],
        _ => [value, low, falling],
    }
}

/// Colour of what a perturbation shows: red and green are exchanged for the second device.
pub fn perturbation(base: [f32; 4], first: bool, second: bool) -> [f32; 4] {
    let [r, g, b, a] = base;
    let part = |own: f32, other: f32| {
        let by_first = if first { own } else { 0.0 };
        if second { by_first.max(other) } else { by_first }
    };
    [part(r, g), part(g, r), b, a]
}

/// Between two colours, opacity apart.
pub fn mix(from: [f32; 4], to: [f32; 4], share: f64) -> [f32; 4] {
    let mut rgba = from;
    for k in 0..3 {
        rgba[k] = ((1.0 - share) * f64::from(from[k]) + share * f64::from(to[k])) as f32;
    }
    rgba
}

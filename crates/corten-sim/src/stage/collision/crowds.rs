//! Bodies of many geoms: which of these may touch another body.
//!
//! Two geoms of different bodies meet where the boxes around both bodies overlap. Where few bodies
//! have many geoms each, most of them are elsewhere, and need not be swept.

use std::ops::Range;

use corten_math::Vec3;

use super::collidable::Collidable;
use super::filter::Rules;

/// Working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowds {
    crowds: Vec<Crowd>,
    is_near: Vec<bool>,
    near: Vec<Collidable>,
}

/// Collidables that follow each other and are fixed to each other, and the box around their spheres.
#[derive(Clone, Debug)]
struct Crowd {
    weld: i32,
    members: Range<usize>,
    low: Vec3,
    high: Vec3,
}

impl Crowds {
    /// Those of a list that may meet one that they are not fixed to; all of them where bodies are so many
    /// that to compare each with each would take longer than the sweep.
    pub fn select<'a>(
        &'a mut self,
        list: &'a [Collidable],
        spheres: &[(Vec3, f64)],
        rules: &Rules,
    ) -> &'a [Collidable] {
        if !self.gather(list, spheres, rules) {
            return list;
        }
        let Crowds { crowds, is_near, near } = self;
        is_near.clear();
        is_near.resize(list.len(), false);
        for (i, a) in crowds.iter().enumerate() {
            for b in &crowds[i + 1..] {
                let (low, high) = (a.low.max(b.low), a.high.min(b.high));
                if a.weld == b.weld || !(0..3).all(|k| low[k] <= high[k]) {
                    continue;
                }
                for k in a.members.clone().chain(b.members.clone()) {
                    let (center, radius) = spheres[list[k].index()];
                    let reach = Vec3::splat(radius);
                    let (first, last) = (center - reach, center + reach);
                    is_near[k] |= (0..3).all(|k| first[k] <= high[k] && low[k] <= last[k]);
                }
            }
        }
        near.clear();
        near.reserve(list.len());
        near.extend(list.iter().zip(&*is_near).filter(|&(_, &is_near)| is_near).map(|(&c, _)| c));
        near
    }

    /// Finds the crowds of a list; `false` if they are too many, or one has no finite box.
    fn gather(&mut self, list: &[Collidable], spheres: &[(Vec3, f64)], rules: &Rules) -> bool {
        self.crowds.clear();
        for (k, &c) in list.iter().enumerate() {
            let (center, radius) = spheres[c.index()];
            let reach = Vec3::splat(radius);
            let (low, high) = (center - reach, center + reach);
            if !(low.is_finite() && high.is_finite()) {
                return false;
            }
            let weld = rules.weld(c);
            match self.crowds.last_mut().filter(|crowd| crowd.weld == weld) {
                Some(crowd) => {
                    crowd.members.end = k + 1;
                    (crowd.low, crowd.high) = (crowd.low.min(low), crowd.high.max(high));
                }
                None => {
                    let count = self.crowds.len() + 1;
                    if count * count > list.len() {
                        return false;
                    }
                    self.crowds.push(Crowd { weld, members: k..k + 1, low, high });
                }
            }
        }
        true
    }
}

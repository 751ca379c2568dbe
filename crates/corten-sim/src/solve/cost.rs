//! All rows of a problem together: cost, forces and states at a residual `x = J·qacc − aref`, by the
//! formulas of `row_cost`. Answers to `mj_constraintUpdate`.

use corten_math::array::MapInline;
use corten_math::fours::{map_fours, sum_fours};
use corten_math::{Wide, wide};

use super::problem::Rows;
use super::problem::inlined::{padded, write};
use super::row_cost::{CONE, Friction, QUADRATIC, Quadratic, RowCost, SATISFIED, Unilateral};
use super::rows::{Kind, MAX_RANK};

/// What [`update`] found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Update {
    pub cost: f64,
    /// Rows that are not satisfied.
    pub active: i32,
    /// Rows whose state is not what it was.
    pub changed: i32,
    /// Rows that became or ceased to be quadratic, and all rows of cones in the middle zone:
    /// those in which the Hessian differs.
    pub hessian: i32,
    /// Whether a contact left the middle zone of its cone, which takes its share of the Hessian away
    /// even if that counts as no update.
    pub left_cone: bool,
}

impl Update {
    #[inline]
    fn count(&mut self, old: i32, new: i32) {
        self.active += i32::from(new != SATISFIED);
        self.changed += i32::from(new != old);
        self.hessian += i32::from((old == QUADRATIC) != (new == QUADRATIC));
        self.hessian += i32::from(new == CONE);
        self.left_cone |= old == CONE && new != CONE;
    }
}

wide! {
    /// Forces and states at the residual `x`; `state` holds the previous states.
    pub fn update(rows: &Rows<'_>, x: &[f64], force: &mut [f64], state: &mut [i32]) -> Update {
        let mut found = Update::default();
        let range = rows.equalities();
        equalities::<Simd>(
            [&rows.d[range.clone()], &x[range.clone()]],
            &mut force[range.clone()],
            &mut state[range],
            &mut found,
        );
        add_others::<Simd>(rows, x, force, state, &mut found);
        found
    }

    /// [`update`] at a residual that moves by `step` along `v`, where the states of equalities are known.
    pub fn advance(
        rows: &Rows<'_>,
        step: f64,
        v: &[f64],
        x: &mut [f64],
        force: &mut [f64],
        state: &mut [i32],
    ) -> Update {
        let mut found = Update::default();
        let range = rows.equalities();
        let cost = advance_equalities::<Simd>(
            &rows.d[range.clone()],
            step,
            &v[range.clone()],
            &mut x[range.clone()],
            &mut force[range.clone()],
        );
        found.cost -= 0.5 * cost;
        found.active += range.len() as i32;
        for (x, v) in x[range.end..].iter_mut().zip(&v[range.end..]) {
            *x += step * v;
        }
        add_others::<Simd>(rows, x, force, state, &mut found);
        found
    }
}

/// [`update`] of all rows but equalities, which come first.
#[inline(always)]
fn add_others<S: Wide>(
    rows: &Rows<'_>,
    x: &[f64],
    force: &mut [f64],
    state: &mut [i32],
    found: &mut Update,
) {
    let range = rows.frictions();
    if !range.is_empty() {
        let given = [rows.d, rows.r, rows.frictionloss].map_inline(|v| &v[range.clone()]);
        frictions::<S>(
            given,
            &x[range.clone()],
            &mut force[range.clone()],
            &mut state[range],
            found,
        );
    }
    let range = rows.inequalities();
    inequalities(
        &rows.d[range.clone()],
        &x[range.clone()],
        &mut force[range.clone()],
        &mut state[range],
        found,
    );
    for b in rows.cone_blocks() {
        let range = b.rows();
        let (d, x) = (&rows.d[range.clone()], &x[range.clone()]);
        let (force, state) = (&mut force[range.clone()], &mut state[range]);
        if b.kind == Kind::Elliptic {
            let (cost, new) = rows.elliptic(b).value(x, force);
            found.cost += cost;
            for s in state {
                found.count(*s, new);
                *s = new;
            }
        } else {
            inequalities(d, x, force, state, found);
        }
    }
}

/// The cost at the residual `x`.
pub fn total(rows: &Rows<'_>, x: &[f64]) -> f64 {
    let range = rows.equalities();
    let mut cost = equality_cost(&rows.d[range.clone()], &x[range]);
    for i in rows.frictions() {
        cost -= 0.5 * rows.friction(i).value(x[i]).0;
    }
    let range = rows.inequalities();
    cost += inequality_cost(&rows.d[range.clone()], &x[range]);
    for b in rows.cone_blocks() {
        let x = &x[b.rows()];
        cost += if b.kind == Kind::Elliptic {
            rows.elliptic(b).value(x, &mut [0.0; MAX_RANK]).0
        } else {
            inequality_cost(&rows.d[b.rows()], x)
        };
    }
    cost
}

/// [`total`], and the states there.
pub fn total_and_states(rows: &Rows<'_>, x: &[f64], state: &mut [i32]) -> f64 {
    let range = rows.equalities();
    let mut cost = equality_cost(&rows.d[range.clone()], &x[range.clone()]);
    state[range].fill(QUADRATIC);
    for i in rows.frictions() {
        let friction = rows.friction(i);
        cost -= 0.5 * friction.value(x[i]).0;
        state[i] = friction.state(x[i]);
    }
    let range = rows.inequalities();
    cost += inequality_cost(&rows.d[range.clone()], &x[range.clone()]);
    unilateral_states(&x[range.clone()], &mut state[range]);
    for b in rows.cone_blocks() {
        let (x, state) = (&x[b.rows()], &mut state[b.rows()]);
        if b.kind == Kind::Elliptic {
            let (value, of_all) = rows.elliptic(b).value(x, &mut [0.0; MAX_RANK]);
            cost += value;
            state.fill(of_all);
        } else {
            cost += inequality_cost(&rows.d[b.rows()], x);
            unilateral_states(x, state);
        }
    }
    cost
}

/// The states of unilateral rows.
pub fn unilateral_states(x: &[f64], state: &mut [i32]) {
    for (state, x) in state.iter_mut().zip(x) {
        *state = Unilateral::state(*x);
    }
}

#[inline(always)]
fn equalities<S: Wide>(
    [d, x]: [&[f64]; 2],
    force: &mut [f64],
    state: &mut [i32],
    found: &mut Update,
) {
    map_fours::<S, 2, 1>([d, x], [force], |[d, x]| [Quadratic { d }.value(x).1]);
    found.cost -= 0.5 * equality_values::<S>(d, x);
    if state.iter().all(|&state| state == QUADRATIC) {
        found.active += state.len() as i32;
        return;
    }
    for state in state {
        found.count(*state, QUADRATIC);
        *state = QUADRATIC;
    }
}

/// Moves residuals of equalities, with the forces there; minus twice the cost.
#[inline(always)]
fn advance_equalities<S: Wide>(
    d: &[f64],
    step: f64,
    v: &[f64],
    x: &mut [f64],
    force: &mut [f64],
) -> f64 {
    let step = S::splat(step);
    let mut sum = S::splat(0.0);
    let n = x.len();
    let ((ds, d), (vs, v)) = (d[..n].as_chunks::<4>(), v[..n].as_chunks::<4>());
    let ((xs, x), (forces, force)) = (x.as_chunks_mut::<4>(), force[..n].as_chunks_mut::<4>());
    for b in 0..n / 4 {
        (xs[b], forces[b]) = advance_four([ds[b], vs[b], xs[b]], step, &mut sum);
    }
    if !x.is_empty() {
        let (moved, pull) = advance_four([padded(d), padded(v), padded(x)], step, &mut sum);
        write(&moved, x);
        write(&pull, force);
    }
    sum.sum()
}

// Not a closure: those are compiled without the vector instructions of their surroundings.
#[inline(always)]
fn advance_four<S: Wide>([d, v, x]: [[f64; 4]; 3], step: S, sum: &mut S) -> ([f64; 4], [f64; 4]) {
    let x = S::load(x) + step * S::load(v);
    let (value, force) = Quadratic { d: S::load(d) }.value(x);
    *sum += value;
    (x.store(), force.store())
}

/// Minus twice the cost.
#[inline(always)]
fn equality_values<S: Wide>(d: &[f64], x: &[f64]) -> f64 {
    let [sum] = sum_fours::<S, 2, 1>([d, x], |[d, x]| [Quadratic { d }.value(x).0]);
    sum
}

wide! {
    fn equality_cost(d: &[f64], x: &[f64]) -> f64 {
        -0.5 * equality_values::<Simd>(d, x)
    }
}

/// Rows that go through at once.
const LANES: usize = 4;

/// Sums over rows, in lanes.
#[derive(Default)]
struct Sums {
    /// Minus twice the cost.
    value: [f64; LANES],
    /// A count, as numbers that go along with those of the cost.
    active: [f64; LANES],
    changed: [i32; LANES],
}

impl Sums {
    /// Four rows, given their old states: their forces and states. Without branches, so that they go
    /// through at once.
    #[inline(always)]
    fn add(
        &mut self,
        d: &[f64; LANES],
        x: &[f64; LANES],
        old: &[i32; LANES],
    ) -> ([f64; LANES], [i32; LANES]) {
        let mut force = [0.0; LANES];
        let state = x.map_inline(Unilateral::state);
        for k in 0..LANES {
            let value;
            (value, force[k]) = Unilateral { d: d[k] }.value(x[k]);
            self.value[k] += value;
            self.active[k] += if x[k] >= 0.0 { 0.0 } else { 1.0 };
            self.changed[k] += i32::from(state[k] != old[k]);
        }
        (force, state)
    }
}

#[inline(always)]
fn inequalities(d: &[f64], x: &[f64], force: &mut [f64], state: &mut [i32], found: &mut Update) {
    let mut sums = Sums::default();
    let ((d, d_rest), (x, x_rest)) = (d.as_chunks::<LANES>(), x.as_chunks::<LANES>());
    let (force, force_rest) = force.as_chunks_mut::<LANES>();
    let (state, state_rest) = state.as_chunks_mut::<LANES>();
    let n = x.len();
    let (d, force, state) = (&d[..n], &mut force[..n], &mut state[..n]);
    for i in 0..n {
        (force[i], state[i]) = sums.add(&d[i], &x[i], &state[i]);
    }
    if !x_rest.is_empty() {
        // Zeros are satisfied, and stay so.
        let old = padded(state_rest);
        let (force, state) = sums.add(&padded(d_rest), &padded(x_rest), &old);
        write(&force, force_rest);
        write(&state, state_rest);
    }
    let Sums { value, active, changed } = sums;
    found.cost -= 0.5 * ((value[0] + value[2]) + (value[1] + value[3]));
    found.active += active.iter().sum::<f64>() as i32;
    let changed = changed.iter().sum::<i32>();
    found.changed += changed;
    found.hessian += changed;
}

wide! {
    fn inequality_cost(d: &[f64], x: &[f64]) -> f64 {
        let mut sum = [0.0; LANES];
        let mut add = |d: &[f64; LANES], x: &[f64; LANES]| {
            for k in 0..LANES {
                sum[k] += Unilateral { d: d[k] }.value(x[k]).0;
            }
        };
        let ((d, d_rest), (x, x_rest)) = (d.as_chunks::<LANES>(), x.as_chunks::<LANES>());
        for (d, x) in d.iter().zip(x) {
            add(d, x);
        }
        if !x_rest.is_empty() {
            add(&padded(d_rest), &padded(x_rest));
        }
        -0.5 * ((sum[0] + sum[2]) + (sum[1] + sum[3]))
    }
}

/// Rows of dry friction, given `D`, `R` and `frictionloss`.
#[inline(always)]
fn frictions<S: Wide>(
    given: [&[f64]; 3],
    x: &[f64],
    force: &mut [f64],
    state: &mut [i32],
    found: &mut Update,
) {
    let count = x.len();
    let mut sum = S::splat(0.0);
    let whole = given.map_inline(|v| v.as_chunks::<LANES>().0);
    let fours = force.as_chunks_mut::<LANES>().0;
    for (i, (x, to)) in x.as_chunks::<LANES>().0.iter().zip(fours).enumerate() {
        let given = [S::load(whole[0][i]), S::load(whole[1][i]), S::load(whole[2][i])];
        let (value, force) = Friction::new(given).value(S::load(*x));
        sum += value;
        *to = force.store();
    }
    let mut sum = sum.store();
    for i in count / LANES * LANES..count {
        let value;
        (value, force[i]) = Friction::new(given.map_inline(|v| v[i])).value(x[i]);
        sum[i % LANES] += value;
    }
    let given = given.map_inline(|v| &v[..count]);
    let (mut changed, mut hessian) = (0, 0);
    for (i, state) in state[..count].iter_mut().enumerate() {
        let (old, new) = (*state, Friction::new(given.map_inline(|v| v[i])).state(x[i]));
        changed += i32::from(new != old);
        hessian += i32::from((old == QUADRATIC) != (new == QUADRATIC));
        *state = new;
    }
    found.cost -= 0.5 * ((sum[0] + sum[2]) + (sum[1] + sum[3]));
    found.active += count as i32;
    found.changed += changed;
    found.hessian += hessian;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaving_a_cone_changes_the_hessian() {
        for new in [SATISFIED, QUADRATIC, CONE] {
            let mut found = Update::default();
            found.count(CONE, new);
            assert!(found.left_cone || found.hessian > 0, "{new}");
        }
        let mut found = Update::default();
        found.count(SATISFIED, SATISFIED);
        assert!(!found.left_cone && found.hessian == 0);
    }
}

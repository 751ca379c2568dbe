//! The search at zero tolerance: MuJoCo's order of operations.
//!
//! Without a tolerance, the solvers stop where rounding keeps the cost from falling, and what they
//! return is as much a result of rounding as of the problem: where regularisation is weak, forces
//! differ by more than they weigh. This module therefore computes each sum, update and decision in
//! the order of MuJoCo's `mj_solCGNewton`, so that equal problems end in equal bits. It answers
//! when accuracy is asked for at any price; [`super::primal`] does when speed counts.

mod factor;
mod products;

pub use products::{Layout, dot_stored, mul_inertia};

use corten_math::MIN_VAL;

use super::cost::{CONE, LINEAR_NEG, LINEAR_POS, QUADRATIC, SATISFIED};
use super::line_search::{ConeTerm, Point};
use super::primal::{Iterate, Method, Outcome};
use super::problem::{Inertia, Limits, Problem, Rows};
use super::rows::{Jacobian, Kind, MAX_RANK};
use crate::SolverStat;
use factor::Factor;
use products::{Table, dot, norm, solve_inertia};

/// Working memory.
#[derive(Clone, Debug, Default)]
pub struct Exact {
    rows: Table,
    columns: Table,
    factor: Factor,
    weight: Vec<f64>,
    terms: Vec<Term>,
    cones: Vec<ConeTerm>,
    old_state: Vec<i32>,
    jv: Vec<f64>,
    mv: Vec<f64>,
    grad: Vec<f64>,
    mgrad: Vec<f64>,
    search: Vec<f64>,
    grad_old: Vec<f64>,
    mgrad_old: Vec<f64>,
    difference: Vec<f64>,
    places: Vec<u32>,
}

/// A row's contribution to the cost along the line: what it adds where it is quadratic.
type Term = [f64; 3];

/// What the search along the line works on.
struct Line<'a> {
    rows: &'a Rows<'a>,
    jar: &'a [f64],
    jv: &'a [f64],
    gauss: Term,
    terms: &'a [Term],
    cones: &'a [ConeTerm],
    evaluations: usize,
}

/// Step and scaled slope at its end; 1 if that was not computed.
struct Step {
    alpha: f64,
    slope: f64,
    evaluations: usize,
}

/// Cost, and rows in the middle of their cones.
#[derive(Clone, Copy, Debug, Default)]
struct Value {
    cost: f64,
    gauss: f64,
    cones: usize,
    active: i32,
}

impl Exact {
    /// `J·x` in the layout's order of sums.
    pub fn product(&mut self, layout: Layout, jacobian: &Jacobian<'_>, x: &[f64], out: &mut [f64]) {
        self.rows.expand(jacobian);
        self.rows.mul(layout, x, out);
    }

    /// `J·x − aref`.
    pub fn residual(
        &mut self,
        layout: Layout,
        jacobian: &Jacobian<'_>,
        x: &[f64],
        aref: &[f64],
        out: &mut [f64],
    ) {
        self.product(layout, jacobian, x, out);
        for (r, a) in out.iter_mut().zip(aref) {
            *r -= a;
        }
    }

    /// `Jᵀ·f`, row by row.
    pub fn transposed(&mut self, jacobian: &Jacobian<'_>, f: &[f64], y: &mut [f64]) {
        self.rows.expand(jacobian);
        self.rows.tmul(f, y);
    }

    /// `x ← M⁻¹ x`.
    pub fn solve_inertia(&mut self, inertia: &Inertia<'_>, x: &mut [f64]) {
        solve_inertia(inertia, &mut self.places, x);
    }

    /// Minimises the cost from `x.qacc` on; `x.jar` holds the reference acceleration at first.
    pub fn solve(
        &mut self,
        layout: Layout,
        problem: &Problem<'_>,
        method: Method,
        limits: &Limits,
        x: &mut Iterate<'_>,
        mut record: impl FnMut(usize, SolverStat),
    ) -> Outcome {
        let (n, rows) = (x.qacc.len(), &problem.rows);
        let newton = method == Method::Newton;
        for v in [
            &mut self.mv,
            &mut self.grad,
            &mut self.mgrad,
            &mut self.search,
            &mut self.grad_old,
            &mut self.mgrad_old,
            &mut self.difference,
        ] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.jv.clear();
        self.jv.resize(rows.len(), 0.0);
        self.rows.expand(&rows.jacobian);
        if layout == Layout::Sparse {
            self.rows.transpose(n, &mut self.columns);
        }
        mul_inertia(&problem.inertia, x.qacc, x.ma);
        self.rows.mul(layout, x.qacc, &mut self.jv);
        for (jar, j) in x.jar.iter_mut().zip(&self.jv) {
            *jar = j - *jar;
        }

        let mut outcome = Outcome::default();
        let mut value = self.update(layout, problem, x);
        let mut updates = 0;
        if newton {
            self.factor.analyze(layout, &problem.inertia, &self.rows, n);
            outcome.singular += self.remake(problem, x, value.cones > 0);
            outcome.nonzeros = self.factor.len();
        }
        self.gradient(problem, newton, value.cones > 0, x);
        for (s, g) in self.search.iter_mut().zip(&self.mgrad) {
            *s = -g;
        }

        let scale = problem.scale;
        while outcome.iterations < limits.iterations {
            let step = self.line(layout, problem, limits, value.gauss, x);
            if step.alpha == 0.0 {
                break;
            }
            add_scaled(x.qacc, step.alpha, &self.search);
            add_scaled(x.ma, step.alpha, &self.mv);
            add_scaled(x.jar, step.alpha, &self.jv);
            self.grad_old.copy_from_slice(&self.grad);
            self.mgrad_old.copy_from_slice(&self.mgrad);
            self.old_state.clear();
            self.old_state.extend_from_slice(x.state);
            let old = value.cost;

            value = self.update(layout, problem, x);
            if newton {
                let (bad, count) = self.follow(problem, x, value.cones > 0);
                outcome.singular += bad;
                updates = count;
            }
            self.gradient(problem, newton, value.cones > 0, x);
            let changed = self.old_state.iter().zip(&*x.state).filter(|(a, b)| a != b).count();
            let improvement = scale * (old - value.cost);
            let gradient = scale * norm(&self.grad);
            let stat = SolverStat {
                improvement,
                gradient,
                lineslope: step.slope,
                nactive: value.active,
                nchange: changed as i32,
                neval: step.evaluations as i32,
                nupdate: updates as i32,
            };
            record(outcome.iterations, stat);
            outcome.iterations += 1;
            if improvement < limits.tolerance || gradient < limits.tolerance || value.cost.is_nan()
            {
                break;
            }
            let beta = if newton { 0.0 } else { self.polak_ribiere() };
            for (s, g) in self.search.iter_mut().zip(&self.mgrad) {
                *s = if newton { -g } else { -g + beta * *s };
            }
        }
        outcome
    }

    /// Forces, states and `qfrc_constraint` at the iterate.
    fn update(&mut self, layout: Layout, problem: &Problem<'_>, x: &mut Iterate<'_>) -> Value {
        let mut value =
            Value { cost: cost(&problem.rows, x.jar, x.force, x.state), ..Value::default() };
        match layout {
            Layout::Dense => self.rows.tmul(x.force, x.qfrc_constraint),
            Layout::Sparse => self.columns.mul(Layout::Sparse, x.force, x.qfrc_constraint),
        }
        value.active = x.state.iter().filter(|&&s| s != SATISFIED).count() as i32;
        value.cones = x.state.iter().filter(|&&s| s == CONE).count();
        for i in 0..x.qacc.len() {
            value.gauss +=
                0.5 * (x.ma[i] - problem.qfrc_smooth[i]) * (x.qacc[i] - problem.qacc_smooth[i]);
        }
        value.cost += value.gauss;
        value
    }

    fn gradient(&mut self, problem: &Problem<'_>, newton: bool, cones: bool, x: &Iterate<'_>) {
        for i in 0..self.grad.len() {
            self.grad[i] = x.ma[i] - problem.qfrc_smooth[i] - x.qfrc_constraint[i];
        }
        self.mgrad.copy_from_slice(&self.grad);
        if newton {
            self.factor.solve(cones, &mut self.mgrad);
        } else {
            solve_inertia(&problem.inertia, &mut self.places, &mut self.mgrad);
        }
    }

    fn polak_ribiere(&mut self) -> f64 {
        for i in 0..self.mgrad.len() {
            self.difference[i] = self.mgrad[i] - self.mgrad_old[i];
        }
        let beta =
            dot(&self.grad, &self.difference) / dot(&self.grad_old, &self.mgrad_old).max(MIN_VAL);
        if beta < 0.0 { 0.0 } else { beta }
    }

    /// The Hessian from its rows.
    fn remake(&mut self, problem: &Problem<'_>, x: &Iterate<'_>, cones: bool) -> usize {
        self.weight.clear();
        let active = |(&d, &s): (&f64, &i32)| if s == QUADRATIC { d } else { 0.0 };
        self.weight.extend(problem.rows.d.iter().zip(&*x.state).map(active));
        let bad = self.factor.build(&problem.inertia, &self.rows, &self.weight);
        if cones {
            self.add_cones(problem, x);
        }
        bad
    }

    /// Follows the states that changed; returns bad pivots, and rows that were updated.
    fn follow(&mut self, problem: &Problem<'_>, x: &Iterate<'_>, cones: bool) -> (usize, usize) {
        let mut count = 0;
        for row in 0..self.old_state.len() {
            let [was, is] = [self.old_state[row], x.state[row]].map(|s| s == QUADRATIC);
            if was == is {
                continue;
            }
            let (columns, values) = self.rows.row(row);
            let root = problem.rows.d[row].sqrt();
            count += 1;
            if !self.factor.update(columns, values.iter().map(|v| v * root), is) {
                return (self.remake(problem, x, cones), self.old_state.len());
            }
        }
        if cones {
            count += self.add_cones(problem, x);
        }
        (0, count)
    }

    /// Adds the contacts in the middle of their cones; returns their number of rows.
    fn add_cones(&mut self, problem: &Problem<'_>, x: &Iterate<'_>) -> usize {
        self.factor.begin_cones();
        let mut count = 0;
        for b in problem.rows.cone_blocks().iter().filter(|b| b.kind == Kind::Elliptic) {
            let range = b.rows();
            if x.state[range.start] != CONE {
                continue;
            }
            let cone = &problem.rows.jacobian.cones[b.cone as usize];
            let contact =
                Contact { mu: cone.mu, friction: &cone.friction, d: problem.rows.d[range.start] };
            let mut h = contact.hessian(&x.jar[range.clone()]);
            self.factor.add_cone(&self.rows, range.start, &mut h, range.len());
            count += range.len();
        }
        count
    }

    fn line(
        &mut self,
        layout: Layout,
        problem: &Problem<'_>,
        limits: &Limits,
        gauss: f64,
        x: &Iterate<'_>,
    ) -> Step {
        let length = norm(&self.search);
        if length < MIN_VAL {
            return Step { alpha: 0.0, slope: 1.0, evaluations: 0 };
        }
        mul_inertia(&problem.inertia, &self.search, &mut self.mv);
        self.rows.mul(layout, &self.search, &mut self.jv);
        let gauss = [
            gauss,
            dot(&self.search, x.ma) - dot(problem.qfrc_smooth, &self.search),
            0.5 * dot(&self.search, &self.mv),
        ];
        prepare(&problem.rows, x.jar, &self.jv, &mut self.terms, &mut self.cones);
        let line = Line {
            rows: &problem.rows,
            jar: x.jar,
            jv: &self.jv,
            gauss,
            terms: &self.terms,
            cones: &self.cones,
            evaluations: 0,
        };
        let tolerance = limits.tolerance * limits.ls_tolerance * length / problem.scale;
        line.search(tolerance, problem.scale / length, limits.ls_iterations)
    }
}

/// Cost of the rows in their order, with forces and states.
pub fn cost(rows: &Rows<'_>, jar: &[f64], force: &mut [f64], state: &mut [i32]) -> f64 {
    let mut total = 0.0;
    let quadratic = |i: usize| 0.5 * rows.d[i] * jar[i] * jar[i];
    for (i, f) in force.iter_mut().enumerate() {
        *f = -rows.d[i] * jar[i];
    }
    for i in rows.equalities() {
        total += quadratic(i);
        state[i] = QUADRATIC;
    }
    for i in rows.frictions() {
        let (loss, bound) = (rows.frictionloss[i], rows.r[i] * rows.frictionloss[i]);
        if jar[i] <= -bound {
            total += -0.5 * rows.r[i] * loss * loss - loss * jar[i];
            (force[i], state[i]) = (loss, LINEAR_NEG);
        } else if jar[i] >= bound {
            total += -0.5 * rows.r[i] * loss * loss + loss * jar[i];
            (force[i], state[i]) = (-loss, LINEAR_POS);
        } else {
            total += quadratic(i);
            state[i] = QUADRATIC;
        }
    }
    let inequality = |i: usize, total: &mut f64, force: &mut [f64], state: &mut [i32]| {
        if jar[i] >= 0.0 {
            (force[i], state[i]) = (0.0, SATISFIED);
        } else {
            *total += quadratic(i);
            state[i] = QUADRATIC;
        }
    };
    for i in rows.inequalities() {
        inequality(i, &mut total, force, state);
    }
    for b in rows.cone_blocks() {
        if b.kind != Kind::Elliptic {
            for i in b.rows() {
                inequality(i, &mut total, force, state);
            }
        } else {
            let range = b.rows();
            let cone = &rows.jacobian.cones[b.cone as usize];
            let contact = Contact { mu: cone.mu, friction: &cone.friction, d: rows.d[range.start] };
            let (u, t) = contact.scaled(&jar[range.clone()]);
            let (mu, normal) = (cone.mu, u[0]);
            let new = if normal >= mu * t || (t <= 0.0 && normal >= 0.0) {
                force[range.clone()].fill(0.0);
                SATISFIED
            } else if mu * normal + t <= 0.0 || (t <= 0.0 && normal < 0.0) {
                for i in range.clone() {
                    total += quadratic(i);
                }
                QUADRATIC
            } else {
                let (dm, gap) = (contact.stiffness(), normal - mu * t);
                total += 0.5 * dm * gap * gap;
                let first = -dm * gap * mu;
                force[range.start] = first;
                for (j, i) in range.clone().enumerate().skip(1) {
                    force[i] = -first / t * u[j] * cone.friction[j - 1];
                }
                CONE
            };
            state[range].fill(new);
        }
    }
    total
}

/// Inertia term of the cost, added to that of the rows one degree of freedom at a time.
pub fn add_gauss(
    cost: f64,
    inertia: &Inertia<'_>,
    ma: &mut [f64],
    qacc: &[f64],
    qfrc_smooth: &[f64],
    qacc_smooth: &[f64],
) -> f64 {
    mul_inertia(inertia, qacc, ma);
    let mut total = cost;
    for i in 0..qacc.len() {
        total += 0.5 * (ma[i] - qfrc_smooth[i]) * (qacc[i] - qacc_smooth[i]);
    }
    total
}

struct Contact<'a> {
    mu: f64,
    friction: &'a [f64; 5],
    /// Of the normal row.
    d: f64,
}

impl Contact<'_> {
    /// Residual in the space where the cone is circular, and the length of its tangential part.
    fn scaled(&self, jar: &[f64]) -> ([f64; MAX_RANK], f64) {
        let mut u = [0.0; MAX_RANK];
        u[0] = jar[0] * self.mu;
        for j in 1..jar.len() {
            u[j] = jar[j] * self.friction[j - 1];
        }
        let tangential = norm(&u[1..jar.len()]);
        (u, tangential)
    }

    fn stiffness(&self) -> f64 {
        self.d / (self.mu * self.mu * (1.0 + self.mu * self.mu))
    }

    /// Second derivative in the middle zone; see [`super::cost::cone_hessian`].
    fn hessian(&self, jar: &[f64]) -> [[f64; MAX_RANK]; MAX_RANK] {
        let (u, t) = self.scaled(jar);
        let (mu, normal, dim) = (self.mu, u[0], jar.len());
        let mut h = [[0.0; MAX_RANK]; MAX_RANK];
        let first = -mu / t;
        h[0][0] = 1.0;
        for j in 1..dim {
            h[0][j] = first * u[j];
        }
        let outer = mu * normal / (t * t * t);
        for k in 1..dim {
            for j in k..dim {
                h[k][j] = outer * u[j] * u[k];
            }
        }
        let diagonal = mu * mu - mu * normal / t;
        for j in 1..dim {
            h[j][j] += diagonal;
        }
        let factor = |j: usize| if j == 0 { mu } else { self.friction[j - 1] };
        for k in 0..dim {
            let scale = self.stiffness() * factor(k);
            for j in k..dim {
                h[k][j] *= scale * factor(j);
                h[j][k] = h[k][j];
            }
        }
        h
    }
}

/// Coefficients of the cost along the line.
fn prepare(
    rows: &Rows<'_>,
    jar: &[f64],
    jv: &[f64],
    terms: &mut Vec<Term>,
    cones: &mut Vec<ConeTerm>,
) {
    let row = |i: usize| {
        let dj = rows.d[i] * jar[i];
        [jar[i] * dj, jv[i] * dj, jv[i] * rows.d[i] * jv[i]]
    };
    let halved = |[a, b, c]: Term| [a * 0.5, b, c * 0.5];
    terms.clear();
    terms.extend((0..rows.len()).map(|i| halved(row(i))));
    cones.clear();
    for b in rows.cone_blocks().iter().filter(|b| b.kind == Kind::Elliptic) {
        let (range, cone) = (b.rows(), &rows.jacobian.cones[b.cone as usize]);
        let (first, mu) = (range.start, cone.mu);
        let mut quad = row(first);
        let (mut uu, mut uv, mut vv) = (0.0, 0.0, 0.0);
        for (i, friction) in range.skip(1).zip(cone.friction) {
            add(&mut quad, row(i));
            let (u, v) = (jar[i] * friction, jv[i] * friction);
            uu += u * u;
            uv += u * v;
            vv += v * v;
        }
        let dm = rows.d[first] / ((mu * mu) * (1.0 + (mu * mu)));
        let (u0, v0) = (jar[first] * mu, jv[first] * mu);
        cones.push(ConeTerm { quad: halved(quad), mu, u0, v0, uu, uv, vv, dm });
    }
}

impl Line<'_> {
    fn at(&mut self, alpha: f64) -> Point {
        let rows = self.rows;
        let (mut cost, mut slope, mut curvature) = (0.0, 0.0, 0.0);
        let mut quad = self.gauss;
        for i in rows.equalities() {
            add(&mut quad, self.terms[i]);
        }
        for i in rows.frictions() {
            let (start, v, loss) = (self.jar[i], self.jv[i], rows.frictionloss[i]);
            let (x, bound) = (start + alpha * v, rows.r[i] * loss);
            if -bound < x && x < bound {
                add(&mut quad, self.terms[i]);
            } else if x <= -bound {
                add(&mut quad, [loss * (-0.5 * bound - start), -loss * v, 0.0]);
            } else {
                add(&mut quad, [loss * (-0.5 * bound + start), loss * v, 0.0]);
            }
        }
        let inequality = |i: usize, quad: &mut Term| {
            if self.jar[i] + alpha * self.jv[i] < 0.0 {
                add(quad, self.terms[i]);
            }
        };
        for i in rows.inequalities() {
            inequality(i, &mut quad);
        }
        let mut cones = self.cones.iter();
        for b in rows.cone_blocks() {
            if b.kind != Kind::Elliptic {
                for i in b.rows() {
                    inequality(i, &mut quad);
                }
                continue;
            }
            let Some(c) = cones.next() else { continue };
            let normal = c.u0 + alpha * c.v0;
            let squared = c.uu + alpha * (2.0 * c.uv + alpha * c.vv);
            if squared <= 0.0 {
                if normal < 0.0 {
                    add(&mut quad, c.quad);
                }
                continue;
            }
            let t = squared.sqrt();
            if normal >= c.mu * t {
                continue;
            }
            if c.mu * normal + t <= 0.0 {
                add(&mut quad, c.quad);
                continue;
            }
            let t1 = (c.uv + alpha * c.vv) / t;
            let t2 = c.vv / t - (c.uv + alpha * c.vv) * t1 / (t * t);
            let (gap, rate) = (normal - c.mu * t, c.v0 - c.mu * t1);
            cost += 0.5 * c.dm * gap * gap;
            slope += c.dm * gap * rate;
            curvature += c.dm * (rate * rate + gap * (-c.mu * t2));
        }
        cost += alpha * alpha * quad[2] + alpha * quad[1] + quad[0];
        slope += 2.0 * alpha * quad[2] + quad[1];
        curvature += 2.0 * quad[2];
        if curvature <= 0.0 {
            curvature = MIN_VAL;
        }
        self.evaluations += 1;
        Point { alpha, cost, slope, curvature }
    }

    /// As [`super::line_search`], but that only a slope below the tolerance ends the search.
    fn search(mut self, tolerance: f64, scale: f64, iterations: usize) -> Step {
        let flat = |p: &Point| p.slope.abs() < tolerance;
        let end = |line: &Self, p: Point| Step {
            alpha: p.alpha,
            slope: p.slope.abs() * scale,
            evaluations: line.evaluations,
        };
        let origin = self.at(0.0);
        let mut p1 = self.at(origin.newton());
        if origin.cost < p1.cost {
            p1 = origin;
        }
        if flat(&p1) {
            return end(&self, p1);
        }
        let direction = if p1.slope < 0.0 { 1.0 } else { -1.0 };
        let mut previous = None;
        while p1.slope * direction <= -tolerance && self.evaluations < iterations {
            previous = Some(p1);
            p1 = self.at(p1.newton());
            if flat(&p1) {
                return end(&self, p1);
            }
        }
        let (Some(mut p2), true) = (previous, self.evaluations < iterations) else {
            return end(&self, p1);
        };
        let mut p2_next = p1;
        let mut p1_next = self.at(p1.newton());
        while self.evaluations < iterations {
            let middle = self.at(0.5 * (p1.alpha + p2.alpha));
            let candidates = [p1_next, p2_next, middle];
            let mut best: Option<Point> = None;
            for c in candidates {
                if flat(&c) && best.is_none_or(|b| c.cost < b.cost) {
                    best = Some(c);
                }
            }
            if let Some(best) = best {
                return end(&self, best);
            }
            let moved1 = self.tighten(&mut p1, &candidates, &mut p1_next);
            let moved2 = self.tighten(&mut p2, &candidates, &mut p2_next);
            if !moved1 && !moved2 {
                return end(&self, middle);
            }
        }
        if p1.cost <= p2.cost && p1.cost < origin.cost {
            end(&self, p1)
        } else if p2.cost <= p1.cost && p2.cost < origin.cost {
            end(&self, p2)
        } else {
            Step { alpha: 0.0, slope: 1.0, evaluations: self.evaluations }
        }
    }

    fn tighten(&mut self, end: &mut Point, candidates: &[Point; 3], next: &mut Point) -> bool {
        let mut moved = false;
        for c in candidates {
            if (end.slope < 0.0 && c.slope < 0.0 && end.slope < c.slope)
                || (end.slope > 0.0 && c.slope > 0.0 && end.slope > c.slope)
            {
                *end = *c;
                moved = true;
            }
        }
        if moved {
            *next = self.at(end.newton());
        }
        moved
    }
}

fn add_scaled(y: &mut [f64], s: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += x * s;
    }
}

#[inline]
fn add(a: &mut Term, b: Term) {
    for k in 0..3 {
        a[k] += b[k];
    }
}

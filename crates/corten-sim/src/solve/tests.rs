//! The solvers on problems made by hand: closed forms, agreement with each other, optimality.

use corten_math::{Four, TreePattern};

use super::dual::Dual;
use super::hessian::dense8::Dense8;
use super::hessian::tiles64::{MAX_DOFS, Tiles64};
use super::hessian::{NewtonSystem, SparseTiles};
use super::primal::{Iterate, Method, Outcome, Primal};
use super::problem::{Inertia, Limits, Problem, Rows};
use super::rows::{Block, Cone, Jacobian, Kind, Run, push_runs};
use super::{cost, noslip, pgs, row_cost};

/// A problem with everything that it borrows from.
#[derive(Default)]
struct Case {
    pattern: TreePattern,
    matrix: Vec<f64>,
    factor: Vec<f64>,
    diaginv: Vec<f64>,
    blocks: Vec<Block>,
    columns: Vec<u32>,
    runs: Vec<Run>,
    values: Vec<f64>,
    cones: Vec<Cone>,
    d: Vec<f64>,
    r: Vec<f64>,
    frictionloss: Vec<f64>,
    aref: Vec<f64>,
    ne: usize,
    nf: usize,
    qacc_smooth: Vec<f64>,
    qfrc_smooth: Vec<f64>,
}

struct Solution {
    qacc: Vec<f64>,
    force: Vec<f64>,
    outcome: Outcome,
}

/// Reproducible numbers in −1..1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

impl Case {
    /// A mass matrix on the tree given by parents, diagonally dominant, and random accelerations.
    fn new(parents: &[i32], numbers: &mut Numbers) -> Case {
        let (mut len, mut start, mut columns) = (Vec::new(), Vec::new(), Vec::<i32>::new());
        for (i, &parent) in parents.iter().enumerate() {
            start.push(columns.len() as i32);
            if parent >= 0 {
                let (s, n) = (start[parent as usize] as usize, len[parent as usize] as usize);
                columns.extend_from_within(s..s + n);
            }
            columns.push(i as i32);
            len.push(columns.len() as i32 - start[i]);
        }
        let pattern = TreePattern::new(&len, &start, &columns).unwrap();
        let mut case = Case { pattern, ..Case::default() };
        for i in 0..parents.len() {
            for k in case.pattern.row(i) {
                let diagonal = k == case.pattern.diagonal_entry(i);
                case.matrix.push(if diagonal { 3.0 } else { 0.3 * numbers.next() });
            }
        }
        let n = parents.len();
        case.factor = case.matrix.clone();
        case.diaginv = vec![0.0; n];
        case.pattern.factor(&mut case.factor, &mut case.diaginv);
        case.qacc_smooth = (0..n).map(|_| 5.0 * numbers.next()).collect();
        let mut qfrc_smooth = vec![0.0; n];
        case.inertia().mul(&case.qacc_smooth, &mut qfrc_smooth);
        case.qfrc_smooth = qfrc_smooth;
        case
    }

    fn inertia(&self) -> Inertia<'_> {
        Inertia {
            dofs: None,
            pattern: &self.pattern,
            matrix: &self.matrix,
            factor: &self.factor,
            diaginv: &self.diaginv,
        }
    }

    fn jacobian(&self) -> Jacobian<'_> {
        Jacobian {
            blocks: &self.blocks,
            columns: &self.columns,
            runs: &self.runs,
            values: &self.values,
            cones: &self.cones,
        }
    }

    fn rows(&self) -> Rows<'_> {
        let (ne, nf) = (self.ne, self.nf);
        Rows::new(self.jacobian(), &self.d, &self.r, &self.frictionloss, ne, nf)
    }

    fn problem(&self) -> Problem<'_> {
        Problem {
            rows: self.rows(),
            inertia: self.inertia(),
            qfrc_smooth: &self.qfrc_smooth,
            qacc_smooth: &self.qacc_smooth,
            scale: 1.0,
        }
    }

    /// Appends a block with the given rows; all of a kind belong together, in solver order.
    fn push(&mut self, kind: Kind, columns: &[u32], rows: &[Vec<f64>], aref: f64, r: f64) {
        let rank = rows.len();
        let block = Block {
            kind,
            rank: rank as u32,
            row: self.d.len() as u32,
            col: self.columns.len() as u32,
            ncol: columns.len() as u32,
            run: self.runs.len() as u32,
            nrun: 0,
            val: self.values.len() as u32,
            cone: self.cones.len() as u32,
        };
        self.columns.extend_from_slice(columns);
        push_runs(columns, &mut self.runs);
        let nrun = self.runs.len() as u32 - block.run;
        self.blocks.push(Block { nrun, ..block });
        self.values.extend(rows.iter().flatten());
        let friction: [f64; 5] = [0.6, 0.6, 0.05, 0.02, 0.02];
        let count = self.blocks.last().unwrap().rows().len();
        for k in 0..count {
            // Regularisation of an elliptic contact as its rows are made, with impratio 1.
            let ratio = match (kind, k) {
                (Kind::Elliptic, k) if k > 1 => (friction[0] / friction[k - 1]).powi(2),
                _ => 1.0,
            };
            self.r.push(r * ratio);
            self.d.push(1.0 / (r * ratio));
            self.aref.push(if kind == Kind::Elliptic && k > 0 { 0.0 } else { aref });
            self.frictionloss.push(if kind == Kind::Friction { 0.4 } else { 0.0 });
        }
        match kind {
            Kind::Equality => self.ne += count,
            Kind::Friction => self.nf += count,
            Kind::Pyramid | Kind::Elliptic => {
                self.cones.push(Cone { mu: friction[0], friction });
            }
            Kind::Inequality => {}
        }
    }

    fn jar(&self, qacc: &[f64]) -> Vec<f64> {
        let mut jar = vec![0.0; self.d.len()];
        self.jacobian().mul(qacc, &mut jar);
        jar.iter().zip(&self.aref).map(|(x, a)| x - a).collect()
    }

    fn primal(&self, method: Method, iterations: usize) -> Solution {
        self.primal_to(method, iterations, 1e-16)
    }

    fn primal_to(&self, method: Method, iterations: usize, tolerance: f64) -> Solution {
        let limits = Limits {
            iterations,
            tolerance,
            ls_iterations: 50,
            ls_tolerance: 0.01,
            ..Limits::default()
        };
        let (n, nefc) = (self.qacc_smooth.len(), self.d.len());
        let mut qacc = self.qacc_smooth.clone();
        let (mut force, mut state) = (vec![0.0; nefc], vec![0; nefc]);
        let outcome = Primal::default().solve(
            &self.problem(),
            method,
            &limits,
            false,
            &mut Iterate {
                jar: &mut self.jar(&qacc),
                ma: &mut self.qfrc_smooth.clone(),
                qacc: &mut qacc,
                force: &mut force,
                state: &mut state,
                qfrc_constraint: &mut vec![0.0; n],
            },
            &mut |_, _| {},
        );
        Solution { qacc, force, outcome }
    }

    /// Gauss-Seidel from zero force, or noslip from given forces.
    fn dual(&self, start: Option<&[f64]>, iterations: usize) -> Solution {
        let (n, nefc) = (self.qacc_smooth.len(), self.d.len());
        let mut dual = Dual::default();
        dual.build(n, &self.inertia(), &self.jacobian());
        let mut force = start.map_or_else(|| vec![0.0; nefc], <[f64]>::to_vec);
        let mut qacc = vec![0.0; n];
        let limits = Limits { iterations, ..Limits::default() };
        let solve = if start.is_some() { noslip::solve } else { pgs::solve };
        let mut x = Iterate {
            qacc: &mut qacc,
            ma: &mut [],
            jar: &mut self.jar(&self.qacc_smooth),
            force: &mut force,
            state: &mut vec![0; nefc],
            qfrc_constraint: &mut vec![0.0; n],
        };
        let iterations = solve(&self.problem(), &limits, &mut dual, &mut x, &mut |_, _| {});
        Solution { qacc, force, outcome: Outcome { iterations, ..Outcome::default() } }
    }
}

/// Two branches on a trunk and a second tree, with rows of every kind across them.
fn everything(cone: Kind, dim: usize, seed: u64) -> Case {
    let mut numbers = Numbers(seed);
    let mut case = Case::new(&[-1, 0, 1, 2, 3, 2, 5, -1, 7, 8], &mut numbers);
    // Rows after the first are shorter: Gauss-Seidel finds no first normal force for an elliptic
    // contact whose friction couples to it more than it does itself.
    let mut rows = |rank: usize, n: usize| -> Vec<Vec<f64>> {
        let size = |k: usize| if k == 0 { 1.0 } else { 0.3 };
        (0..rank).map(|k| (0..n).map(|_| size(k) * numbers.next()).collect()).collect()
    };
    case.push(Kind::Equality, &[1, 8], &rows(1, 2), 0.3, 0.02);
    case.push(Kind::Equality, &[0, 1, 2, 7], &rows(3, 4), -0.1, 0.05);
    case.push(Kind::Friction, &[3], &rows(1, 1), 0.0, 0.1);
    case.push(Kind::Friction, &[9], &rows(1, 1), 0.0, 0.1);
    case.push(Kind::Inequality, &[4], &rows(1, 1), 1.0, 0.05);
    case.push(Kind::Inequality, &[6], &rows(1, 1), 2.0, 0.05);
    case.push(cone, &[3, 4, 5, 6], &rows(dim, 4), 2.0, 0.03);
    case.push(Kind::Inequality, &[2, 5], &rows(1, 2), 1.5, 0.05);
    case.push(cone, &[0, 1, 2, 3, 7, 8, 9], &rows(dim, 7), 1.0, 0.03);
    case.push(cone, &[7, 8], &rows(dim, 2), 3.0, 0.03);
    case
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |d, (a, b)| f64::max(d, (a - b).abs()))
}

#[test]
fn resting_mass_has_the_closed_form_force() {
    // min ½ m (x + g)² + ½ D (x − a)² over x < a has x = (D a − m g)/(D + m).
    let mut case = Case::new(&[-1], &mut Numbers(1));
    let (mass, g, a, r) = (case.matrix[0], 9.81, 0.7, 0.004);
    (case.qacc_smooth[0], case.qfrc_smooth[0]) = (-g, -mass * g);
    case.push(Kind::Inequality, &[0], &[vec![1.0]], a, r);
    let x = (a / r - mass * g) / (1.0 / r + mass);
    for s in [
        case.primal(Method::Newton, 10),
        case.primal(Method::ConjugateGradient, 10),
        case.dual(None, 100),
    ] {
        assert!((s.qacc[0] - x).abs() < 1e-12);
        assert!((s.force[0] - (a - x) / r).abs() < 1e-9);
    }
}

#[test]
fn solvers_agree_on_every_kind_of_row() {
    for (cone, dims) in [(Kind::Pyramid, [3, 4, 6]), (Kind::Elliptic, [3, 4, 6])] {
        for dim in dims {
            for seed in 1..5 {
                let case = everything(cone, dim, seed);
                let newton = case.primal(Method::Newton, 100);
                let cg = case.primal(Method::ConjugateGradient, 2000);
                let pgs = case.dual(None, 20000);
                let label = format!("{cone:?} {dim} {seed}");
                let quick = case.primal_to(Method::Newton, 100, 1e-10);
                assert!(quick.outcome.iterations < 20, "{label}");
                assert!(distance(&newton.qacc, &cg.qacc) < 1e-6, "{label}: conjugate gradients");
                assert!(distance(&newton.qacc, &pgs.qacc) < 1e-6, "{label}: Gauss-Seidel");
                assert!(distance(&newton.force, &pgs.force) < 1e-5, "{label}: forces");
            }
        }
    }
}

#[test]
fn newton_ends_where_the_gradient_vanishes() {
    for seed in 1..10 {
        let case = everything(Kind::Elliptic, 4, seed);
        let s = case.primal(Method::Newton, 100);
        let mut gradient = vec![0.0; s.qacc.len()];
        case.inertia().mul(&s.qacc, &mut gradient);
        let mut constraint = vec![0.0; s.qacc.len()];
        case.jacobian().tmul_add(&s.force, &mut constraint);
        for (i, g) in gradient.iter().enumerate() {
            assert!((g - case.qfrc_smooth[i] - constraint[i]).abs() < 1e-9);
        }
    }
}

#[test]
fn no_slip_pass_reduces_slip_and_keeps_normal_forces() {
    for cone in [Kind::Pyramid, Kind::Elliptic] {
        let mut numbers = Numbers(3);
        let mut case = Case::new(&[-1, -1, -1], &mut numbers);
        case.qacc_smooth.copy_from_slice(&[-9.81, 1.0, -0.5]);
        for i in 0..3 {
            case.qfrc_smooth[i] = case.matrix[i] * case.qacc_smooth[i];
        }
        let unit = |k: usize| (0..3).map(|i| f64::from(u8::from(i == k))).collect::<Vec<_>>();
        case.push(cone, &[0, 1, 2], &[unit(0), unit(1), unit(2)], 0.5, 0.1);
        let slipping = case.primal(Method::Newton, 100);
        let held = case.dual(Some(&slipping.force), 100);
        let slip = |s: &Solution| s.qacc[1].hypot(s.qacc[2]);
        assert!(slip(&slipping) > 1e-2, "{}", slip(&slipping));
        assert!(slip(&held) < 1e-6, "{}", slip(&held));
        let normal = |s: &Solution| match cone {
            Kind::Pyramid => s.force.iter().sum::<f64>(),
            _ => s.force[0],
        };
        assert!((normal(&held) - normal(&slipping)).abs() < 1e-9);
    }
}

#[test]
fn hessian_solves_across_branches_and_trees() {
    let case = everything(Kind::Elliptic, 3, 7);
    let n = case.qacc_smooth.len();
    let problem = case.problem();
    let jar = case.jar(&case.qacc_smooth);
    let (mut force, mut state) = (vec![0.0; jar.len()], vec![0; jar.len()]);
    cost::update(&problem.rows, &jar, &mut force, &mut state);
    // H v is the change of the gradient along v; compare with H⁻¹ (H v).
    let gradient = |x: &[f64]| {
        let mut g = vec![0.0; n];
        case.inertia().mul(x, &mut g);
        let (mut f, mut s) = (vec![0.0; jar.len()], vec![0; jar.len()]);
        cost::update(&problem.rows, &case.jar(x), &mut f, &mut s);
        let mut c = vec![0.0; n];
        case.jacobian().tmul_add(&f, &mut c);
        g.iter().zip(&c).map(|(g, c)| g - c).collect::<Vec<_>>()
    };
    let mut numbers = Numbers(11);
    let v: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
    let h = 1e-7;
    let at = |s: f64| case.qacc_smooth.iter().zip(&v).map(|(a, v)| a + s * v).collect::<Vec<_>>();
    let (up, down) = (gradient(&at(h)), gradient(&at(-h)));
    let mut x: Vec<f64> = up.iter().zip(&down).map(|(u, d)| (u - d) / (2.0 * h)).collect();
    x.iter_mut().for_each(|x| *x = -*x);
    let gradient = x.clone();
    macro_rules! check {
        ($system:expr) => {{
            let mut system = $system;
            system.load(n, &problem.inertia, &problem.rows.jacobian);
            assert_eq!(system.factor(&problem, &jar, &state, false), 0);
            system.solve_direction::<Four>(&gradient);
            x.copy_from_slice(system.direction());
            assert!(distance(&x, &v) < 1e-5, "{}", distance(&x, &v));
        }};
    }
    check!(SparseTiles::default());
    check!(Tiles64::default());
}

#[test]
fn a_tiny_problem_gives_the_same_in_full() {
    for (cone, dim) in
        [Kind::Pyramid, Kind::Elliptic].into_iter().flat_map(|k| [3, 4, 6].map(|d| (k, d)))
    {
        let mut numbers = Numbers(5 + dim as u64);
        let mut case = Case::new(&[-1, 0, 1, 2, 1, 4, -1], &mut numbers);
        let mut rows = |rank: usize, n: usize| -> Vec<Vec<f64>> {
            (0..rank).map(|_| (0..n).map(|_| numbers.next()).collect()).collect()
        };
        case.push(Kind::Equality, &[1, 6], &rows(1, 2), 0.3, 0.02);
        case.push(Kind::Equality, &[0, 1, 4, 5], &rows(3, 4), -0.1, 0.05);
        case.push(Kind::Friction, &[3], &rows(1, 1), 0.0, 0.1);
        case.push(Kind::Inequality, &[5], &rows(1, 1), 2.0, 0.05);
        case.push(cone, &[0, 1, 2, 3], &rows(dim, 4), 2.0, 0.03);
        case.push(cone, &[0, 1, 4, 5, 6], &rows(dim, 5), 1.0, 0.03);
        // A contact within one rigid group, and one whose columns start where that one has none.
        case.push(cone, &[], &rows(dim, 0), 1.0, 0.03);
        case.push(cone, &[2, 6], &rows(dim, 2), 3.0, 0.03);
        let n = case.qacc_smooth.len();
        let problem = case.problem();
        macro_rules! results {
            ($system:expr) => {{
                let (mut system, mut results) = ($system, Vec::new());
                system.load(n, &problem.inertia, &problem.rows.jacobian);
                for (step, known) in [(1.0, false), (-3.0, true), (0.2, true)] {
                    let x: Vec<f64> = case.qacc_smooth.iter().map(|a| step * a).collect();
                    let jar = case.jar(&x);
                    let (mut force, mut state) = (vec![0.0; jar.len()], vec![0; jar.len()]);
                    cost::update(&problem.rows, &jar, &mut force, &mut state);
                    assert_eq!(system.factor(&problem, &jar, &state, known), 0);
                    let mut gradient = vec![0.0; n];
                    system.tmul_jacobian(&problem.rows.jacobian, &force, &mut gradient);
                    system.solve_direction::<Four>(&gradient);
                    let (mut mv, mut jv) = (vec![0.0; n], vec![0.0; jar.len()]);
                    system.mul_inertia::<Four>(&mut mv);
                    system.mul_jacobian::<Four>(&problem.rows.jacobian, &mut jv);
                    results.extend([gradient, system.direction().to_vec(), mv, jv].concat());
                    system.set_vector(&x);
                    let mut jx = vec![0.0; jar.len()];
                    system.mul_jacobian::<Four>(&problem.rows.jacobian, &mut jx);
                    let mut direct = vec![0.0; jar.len()];
                    case.jacobian().mul(&x, &mut direct);
                    assert!(distance(&jx, &direct) < 1e-13);
                    results.extend(jx);
                }
                results.push(system.nonzeros(&problem) as f64);
                results
            }};
        }
        let (a, b) = (results!(Dense8::default()), results!(Tiles64::default()));
        let size = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        assert!(
            size > 1.0 && distance(&a, &b) < 1e-12 * size,
            "{cone:?} {dim}: {}",
            distance(&a, &b)
        );
    }
}

#[test]
fn hessian_solves_whatever_the_order_of_elimination() {
    // Trees of six with a branch, alone, in a chain, and in a web that is worth reordering.
    for (trees, step) in [(1, 0), (5, 1), (30, 7)] {
        let parents: Vec<i32> = (0..6 * trees)
            .map(|i| match i % 6 {
                0 => -1,
                3 => i - 2,
                _ => i - 1,
            })
            .collect();
        let mut numbers = Numbers(trees as u64);
        let mut case = Case::new(&parents, &mut numbers);
        for tree in 0..trees {
            for other in [tree + 1, tree + step] {
                let [a, b] = [6 * tree, 6 * (other % trees)];
                let [a, b] = [a.min(b) as u32, a.max(b) as u32];
                // A branch of one tree and the trunk of another.
                let columns: Vec<u32> =
                    if a == b { vec![a, a + 1] } else { vec![a, a + 1, a + 3, b, b + 1, b + 2] };
                let mut row = || columns.iter().map(|_| numbers.next()).collect::<Vec<_>>();
                let rows = [row(), row(), row()];
                case.push(Kind::Equality, &columns, &rows, 0.0, 0.1);
            }
        }
        let n = parents.len();
        let problem = case.problem();
        let (jar, state) = (vec![0.0; case.d.len()], vec![row_cost::QUADRATIC; case.d.len()]);
        let v: Vec<f64> = (0..n).map(|_| numbers.next()).collect();
        let mut product = vec![0.0; n];
        case.inertia().mul(&v, &mut product);
        let mut force = vec![0.0; case.d.len()];
        case.jacobian().mul(&v, &mut force);
        force.iter_mut().zip(&case.d).for_each(|(f, d)| *f *= d);
        case.jacobian().tmul_add(&force, &mut product);
        product.iter_mut().for_each(|x| *x = -*x);
        macro_rules! check {
            ($system:expr) => {{
                let mut system = $system;
                system.load(n, &problem.inertia, &problem.rows.jacobian);
                // From other states, and anew.
                let none = vec![row_cost::SATISFIED; state.len()];
                assert_eq!(system.factor(&problem, &jar, &none, false), 0);
                assert_eq!(system.factor(&problem, &jar, &state, true), 0);
                let mut x = vec![0.0; n];
                system.solve_direction::<Four>(&product);
                x.copy_from_slice(system.direction());
                assert!(distance(&x, &v) < 1e-10, "{}", distance(&x, &v));
                system.nonzeros(&problem)
            }};
        }
        let nonzeros = check!(SparseTiles::default());
        if n <= MAX_DOFS {
            assert_eq!(check!(Tiles64::default()), nonzeros);
        }
    }
}

#[test]
fn rows_that_are_not_numbers_end_the_search() {
    for method in [Method::Newton, Method::ConjugateGradient] {
        let mut case = everything(Kind::Elliptic, 3, 2);
        case.values[3] = f64::NAN;
        let s = case.primal_to(method, usize::MAX, 0.0);
        assert!(s.outcome.iterations <= 1);
        assert!(s.qacc.iter().any(|x| x.is_nan()));
    }
    let mut case = everything(Kind::Pyramid, 3, 2);
    case.aref[0] = f64::NAN;
    assert!(case.dual(None, usize::MAX).outcome.iterations <= 1);
}

#[test]
fn a_singular_inertia_is_reported_and_bounded() {
    let mut case = Case::new(&[-1, -1], &mut Numbers(5));
    case.matrix[1] = 0.0;
    case.push(Kind::Inequality, &[0], &[vec![1.0]], 10.0, 0.1);
    let s = case.primal(Method::Newton, 100);
    assert!(s.outcome.singular > 0);
    assert!(s.outcome.iterations <= 100);
}

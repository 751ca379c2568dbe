"""Nonlinear least squares within bounds, under the names of MuJoCo's module.

A Levenberg-Marquardt method: at x, with residual r, Jacobian J and norm n, the step minimises the quadratic model
g·dx + dx·(H + mu·I)·dx/2 within the bounds (`mju_boxQP`), where g and H are gradient and Gauss-Newton Hessian of
n(r(x)). mu grows until the step lowers the objective by a hundredth of what the gradient promises; after that it falls,
faster and faster, where the step achieved three quarters of what the model promised, and grows where it achieved less
than one (Bazaraa, Sherali and Shetty, Nonlinear Programming).
"""
import abc
import dataclasses
import enum
import sys
import time

import numpy as np

from .._corten import mju_boxQP


class Verbosity(enum.Enum):
    """How much is printed."""

    SILENT = 0
    FINAL = 1
    ITER = 2
    FULLITER = 3


class Status(enum.Enum):
    """Why the search ended."""

    FACTORIZATION_FAILED = enum.auto()
    NO_IMPROVEMENT = enum.auto()
    MAX_ITER = enum.auto()
    DX_TOL = enum.auto()
    G_TOL = enum.auto()


_REASONS = {
    Status.FACTORIZATION_FAILED: "factorization failed.",
    Status.NO_IMPROVEMENT: "insufficient reduction.",
    Status.MAX_ITER: "maximum iterations reached.",
    Status.DX_TOL: "norm(dx) < tol.",
    Status.G_TOL: "norm(gradient) < tol.",
}


@dataclasses.dataclass(frozen=True)
class IterLog:
    """One iteration: where it began, the objective there, by how much it fell, and the regularizer; on request also
    residual, Jacobian, gradient and step."""

    candidate: np.ndarray
    objective: np.float64
    reduction: np.float64
    regularizer: np.float64
    residual: np.ndarray | None = None
    jacobian: np.ndarray | None = None
    grad: np.ndarray | None = None
    step: np.ndarray | None = None


class Norm(abc.ABC):
    """A measure of residuals that is minimised."""

    @abc.abstractmethod
    def value(self, r):
        """The norm of the column r."""

    @abc.abstractmethod
    def grad_hess(self, r, proj):
        """`proj.T @ gradient` and `proj.T @ Hessian @ proj` of the norm at the column r."""


class Quadratic(Norm):
    """Half the sum of squares."""

    def value(self, r):
        return 0.5 * float(np.vdot(r, r))

    def grad_hess(self, r, proj):
        return proj.T @ r, proj.T @ proj


# Share of the reduction that the gradient promises, which a step must reach.
_SUFFICIENT = 1e-2
# Shares of the reduction that the model promises, from which mu falls, and below which it grows.
_GOOD, _BAD = 0.75, 0.25


class _Counted:
    """The residual, with how often and for how long it was evaluated."""

    def __init__(self, residual):
        self.residual, self.count, self.seconds = residual, 0, 0.0

    def __call__(self, x):
        start = time.perf_counter()
        values = np.asarray(self.residual(x), dtype=np.float64).reshape(-1, x.shape[1])
        self.seconds += time.perf_counter() - start
        self.count += x.shape[1]
        return values


def _checked_bounds(bounds, x):
    if bounds is None:
        return None
    if len(bounds) != 2:
        raise ValueError("bounds must have 2 elements.")
    lower, upper = (np.asarray(b, dtype=np.float64) for b in bounds)
    if lower.size != x.size or upper.size != x.size:
        raise ValueError("bounds must have as many elements as x0.")
    if not (np.all(np.isfinite(lower)) and np.all(np.isfinite(upper))):
        raise ValueError("bounds must be finite.")
    if not np.all(lower < upper):
        raise ValueError("lower bounds must be smaller than upper bounds.")
    return [lower.reshape(-1, 1), upper.reshape(-1, 1)]


def jacobian_fd(residual, x, r, eps, n_res, bounds=None):
    """The Jacobian of a residual by differences towards the inside of the bounds, and the number of evaluations."""
    n = x.size
    step = np.full(n, float(eps))
    if bounds is not None:
        middle = 0.5 * (bounds[0] + bounds[1]).ravel()
        step = np.where(x.ravel() > middle, -step, step)
    points = x + np.diag(step)
    return (np.asarray(residual(points)).reshape(-1, n) - r) / step, n_res + n


def check_jacobian(residual, x, r, jac, eps, n_res, bounds=None, output=None, name="Jacobian"):
    """Compares a Jacobian with differences; ValueError where they disagree. Returns the number of evaluations."""
    found, n_res = jacobian_fd(residual, x, r, eps, n_res, bounds)
    # Differences are good to about the root of their own step.
    if np.allclose(np.asarray(jac), found, rtol=1e-4, atol=1e-4 * max(1.0, np.abs(found).max(initial=0.0))):
        print(f"User-provided {name} matches finite differences.", file=output)
        return n_res
    raise ValueError(f"User-provided {name} does not match finite differences: largest deviation "
                     f"{np.abs(np.asarray(jac) - found).max():g}.")


def check_norm(r, norm, eps, output=None):
    """Compares gradient and Hessian of a norm with differences; ValueError where they disagree."""
    unit = np.eye(r.size)
    grad, hess = norm.grad_hess(r, unit)
    if not np.allclose(hess, hess.T, rtol=1e-9, atol=1e-9):
        raise ValueError("User-provided norm Hessian is not symmetric.")
    try:
        np.linalg.cholesky(hess + 1e-9 * max(1.0, np.abs(hess).max()) * unit)
    except np.linalg.LinAlgError:
        raise ValueError("User-provided norm Hessian is not positive definite.") from None

    def values(v):
        return np.array([[norm.value(v[:, i:i + 1]) for i in range(v.shape[1])]])

    def gradients(v):
        return np.hstack([norm.grad_hess(v[:, i:i + 1], unit)[0].reshape(-1, 1) for i in range(v.shape[1])])

    for of, at, given, name in ((values, values(r), grad.T, "norm gradient"),
                                (gradients, grad, hess, "norm Hessian")):
        found, _ = jacobian_fd(of, r, at, eps, 0)
        if not np.allclose(given, found, rtol=1e-5, atol=1e-5):
            raise ValueError(f"User-provided {name} does not match finite differences.")
        print(f"User-provided {name} matches finite differences.", file=output)


class _Regularizer:
    """mu: grows by one factor, falls by growing powers of it."""

    def __init__(self, least, most, factor):
        self.least, self.most, self.factor, self.value, self.falls = least, most, factor, 0.0, 0

    def grow(self):
        self.value, self.falls = max(self.least, self.factor * self.value), 0
        return self.value <= self.most

    def fall(self):
        smaller = self.value * self.factor ** -(2.0**self.falls)
        self.value = smaller if smaller >= self.least else 0.0
        self.falls += 1


def _step(x, grad, hess, mu, bounds, dx):
    """The minimiser of the regularised model within the bounds; None if it has none."""
    n = x.size
    h = np.ascontiguousarray(hess + mu * np.eye(n))
    lower, upper = (None, None) if bounds is None else ((b - x).ravel() for b in bounds)
    # A good start: the last step, as far as it stays inside.
    result = np.zeros(n) if bounds is None else np.clip(dx, lower, upper)
    rank = mju_boxQP(result, np.zeros((n, n + 7)), np.zeros(n, np.int32), h, grad.ravel().copy(), lower, upper)
    return result.reshape(-1, 1) if rank >= 0 else None


def least_squares(x0, residual, bounds=None, jacobian=None, norm=Quadratic(), eps=np.finfo(np.float64).eps ** 0.5,
                  mu_min=1e-6, mu_max=1e8, mu_factor=10.0**0.1, xtol=1e-8, gtol=1e-8, max_iter=100,
                  verbose=Verbosity.ITER, output=None, iter_callback=None, check_derivatives=False):
    """Minimises norm(residual(x)) within bounds, from x0.

    `residual` takes points as columns and returns residuals as columns. `jacobian`, if given, takes a point and its
    residual; without it differences of size `eps` are taken. Returns the best point, and an IterLog per iteration.
    """
    start = time.perf_counter()
    output = sys.stdout if output is None else output
    verbose = Verbosity(verbose).value
    if mu_factor <= 1:
        raise ValueError("mu_factor must be larger than 1.")
    x0 = np.asarray(x0)
    n, x = x0.size, x0.astype(np.float64).reshape(-1, 1)
    bounds = _checked_bounds(bounds, x)
    if bounds is not None:
        x = np.clip(x, *bounds)
    residual = _Counted(residual)
    mu, trace, status, dx = _Regularizer(mu_min, mu_max, mu_factor), [], Status.MAX_ITER, np.zeros(n)

    def derivatives(x, r):
        if jacobian is None:
            jac, _ = jacobian_fd(residual, x, r, eps, 0, bounds)
        else:
            jac = np.asarray(jacobian(x, r), dtype=np.float64)
        grad, hess = norm.grad_hess(r, jac)
        return jac, np.asarray(grad).reshape(-1, 1), hess

    def record(**values):
        full = {"residual": r, "jacobian": jac, "grad": grad} if verbose >= Verbosity.FULLITER.value else {}
        step = values.pop("step", None)
        if full and step is not None:
            full["step"] = step
        trace.append(IterLog(candidate=x, objective=y, regularizer=mu.value, **values, **full))
        if iter_callback is not None:
            iter_callback(trace)

    r = residual(x)
    y = norm.value(r)
    if check_derivatives:
        if jacobian is not None:
            check_jacobian(residual, x, r, jacobian(x, r), eps, 0, bounds, output)
        if not isinstance(norm, Quadratic):
            check_norm(r, norm, eps, output)
    jac, grad, hess = derivatives(x, r)
    for i in range(max_iter):
        free = np.ones((n, 1), bool)
        if bounds is not None:
            free = ~(((x <= bounds[0]) & (grad > 0)) | ((x >= bounds[1]) & (grad < 0)))
        slope = np.linalg.norm(grad[free])
        if slope <= gtol:
            status = Status.G_TOL
            if slope == 0:
                print("The gradient is zero: exact minimum found?", file=output)
            break
        status, accepted = _search(x, y, grad, hess, mu, bounds, dx, residual, norm)
        if accepted is None:
            break
        step, r_new, y_new = accepted
        if verbose >= Verbosity.ITER.value:
            print(f"iter: {i:<4} y: {y:<11.4g} log10mu: {np.log10(mu.value) if mu.value else -np.inf:<6.2g} "
                  f"norm(dx): {np.linalg.norm(step):<9.3g} norm(g): {slope:<9.3g} "
                  f"reduction: {y - y_new:.3g}", file=output)
        record(reduction=y - y_new, step=step)
        small = np.linalg.norm(step) < xtol * (xtol + np.linalg.norm(x))
        promised = -float((grad.T @ step + 0.5 * step.T @ hess @ step).item())
        share = (y - y_new) / promised if promised > 0 else 0.0
        x, r, y, dx = x + step, r_new, y_new, step.ravel()
        if bounds is not None:
            x = np.clip(x, *bounds)
        status = Status.MAX_ITER
        if small:
            status = Status.DX_TOL
            break
        if share > _GOOD:
            mu.fall()
        elif share < _BAD:
            mu.grow()
        jac, grad, hess = derivatives(x, r)
    if verbose >= Verbosity.FULLITER.value:
        jac, grad, hess = derivatives(x, r)
    record(reduction=0.0)
    if verbose >= Verbosity.FINAL.value:
        print(f"Terminated after {len(trace) - 1} iterations: {_REASONS[status]} y: {y:.4g}, residual evals: "
              f"{residual.count}, time: {1e3 * (time.perf_counter() - start):.1f} ms, in residuals: "
              f"{1e3 * residual.seconds:.1f} ms", file=output)
    return x.reshape(x0.shape), trace


def _search(x, y, grad, hess, mu, bounds, dx, residual, norm):
    """The first step, under growing regularisation, that lowers the objective enough; or why there is none."""
    while True:
        step = _step(x, grad, hess, mu.value, bounds, dx)
        if step is None:
            if not mu.grow():
                return Status.FACTORIZATION_FAILED, None
            continue
        x_new = x + step if bounds is None else np.clip(x + step, *bounds)
        r_new = residual(x_new)
        y_new = norm.value(r_new)
        if y - y_new >= -_SUFFICIENT * float((grad.T @ step).item()):
            return Status.MAX_ITER, (step, r_new, y_new)
        if not mu.grow():
            return Status.NO_IMPROVEMENT, None

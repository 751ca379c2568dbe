"""Nonlinear least squares, and meshes turned into text."""
import io

import numpy as np
import pytest
from corten.mujoco import minimize, msh2obj


def rosenbrock(x):
    return np.stack([1 - x[0, :], 10 * (x[1, :] - x[0, :] ** 2)])


def test_the_valley_is_followed_to_its_end():
    out = io.StringIO()
    x, trace = minimize.least_squares(np.zeros(2), rosenbrock, output=out)
    np.testing.assert_allclose(x, [1, 1], atol=1e-6)
    assert "norm(gradient) < tol" in out.getvalue() and trace[0].objective == 0.5
    assert all(a.objective >= b.objective for a, b in zip(trace, trace[1:]))


@pytest.mark.parametrize("upper", [[2.0, 2.0], [0.5, 3.0], [0.5, 2.0]])
def test_at_bounds_the_gradient_points_outwards(upper):
    bounds = [np.array([-2.0, -2.0]), np.array(upper)]
    x, trace = minimize.least_squares(np.zeros(2), rosenbrock, bounds=bounds, output=io.StringIO(), verbose=3)
    for xi, low, high, g in zip(x, *bounds, trace[-1].grad.ravel()):
        assert g > 0 if xi == low else g < 0 if xi == high else abs(g) < 1e-4
        assert low <= xi <= high


def test_linear_problems_have_the_solution_of_linear_algebra():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(9, 4)), rng.normal(size=(9, 1))
    x, _ = minimize.least_squares(np.zeros(4), lambda x: a @ x - b, jacobian=lambda x, r: a, output=io.StringIO())
    np.testing.assert_allclose(x, np.linalg.lstsq(a, b, rcond=None)[0].ravel(), atol=1e-7)


def test_what_is_wrong_is_refused():
    for bounds in ([0, 1, 2], [np.zeros(3), np.ones(3)], [np.zeros(2), np.array([1, np.inf])], [np.ones(2), np.zeros(2)]):
        with pytest.raises(ValueError):
            minimize.least_squares(np.zeros(2), rosenbrock, bounds=bounds, output=io.StringIO())
    with pytest.raises(ValueError, match="Jacobian does not match"):
        minimize.least_squares(np.zeros(2), rosenbrock, jacobian=lambda x, r: np.eye(2), check_derivatives=True,
                               output=io.StringIO())


def test_meshes(tmp_path):
    file = tmp_path / "a.msh"
    counts, vertices = np.array([3, 0, 3, 1], np.int32), np.arange(9, dtype=np.float32)
    texture, face = np.array([0, 0, 1, 0, 0, 1], np.float32), np.array([0, 1, 2], np.int32)
    file.write_bytes(counts.tobytes() + vertices.tobytes() + texture.tobytes() + face.tobytes())
    lines = msh2obj.msh_to_obj(file).splitlines()
    assert lines[0] == "v 0.0 1.0 2.0" and lines[3] == "vt 0.0 1.0" and lines[-1] == "f 1/1 2/2 3/3"
    file.write_bytes(counts.tobytes())
    with pytest.raises(ValueError, match="bytes"):
        msh2obj.msh_to_obj(file)

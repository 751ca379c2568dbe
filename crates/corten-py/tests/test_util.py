"""Utility functions against MuJoCo's own, on the same random arguments."""
import re

import numpy as np
import pytest

import corten.mujoco as corten

mujoco = pytest.importorskip("mujoco")

# Functions that take vectors of any length: here, of this length.
N = 5
FIXED = re.compile(r'\[(\d+), 1\]')


def signature(function):
    """Argument names and type descriptions from a docstring of MuJoCo's package."""
    line = function.__doc__.split("\n")[0]
    inside = line[line.index("(") + 1:line.rindex(")")]
    depth, parts, start = 0, [], 0
    for i, c in enumerate(inside):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            parts.append(inside[start:i])
            start = i + 1
    parts.append(inside[start:])
    return [tuple(p.strip().split(": ", 1)) for p in parts if p.strip()]


def argument(kind, rng):
    if "NDArray" in kind:
        fixed = FIXED.search(kind)
        shape = (int(fixed[1]),) if fixed else (N, N) if "[m, n]" in kind else (N,)
        if "int32" in kind:
            return rng.integers(0, 9, shape).astype(np.int32)
        return rng.standard_normal(shape).astype(np.float32 if "float32" in kind else np.float64)
    if "SupportsFloat" in kind or kind.startswith("float"):
        return float(rng.standard_normal())
    if "SupportsInt" in kind or kind.startswith("int"):
        return int(rng.integers(0, 3))
    return None


SPECIAL = """band2Dense bandDiag bandMulMatVec boxQP cholFactor cholFactorBand cholSolve cholSolveBand cholUpdate
decodePyramid dense2Band dense2sparse encodePyramid euler2Quat getXMLDependencies Halton isBad mat2Rot mat2Quat
printMat printMatSparse rayFlex rayGeom raySkin sparse2dense standardNormal str2Type type2Str warningText writeLog
writeNumBytes eig3 sqrMatTD""".split()
PLAIN = [n for n in dir(mujoco) if n.startswith("mju_") and n[4:] not in SPECIAL]


@pytest.mark.parametrize("name", PLAIN)
def test_same_results(name):
    expected, found = getattr(mujoco, name), getattr(corten, name)
    kinds = signature(expected)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        args = [argument(kind, rng) for _, kind in kinds]
        copies = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        want, got = expected(*args), found(*copies)
        if isinstance(want, float):
            assert got == pytest.approx(want, rel=1e-12, abs=1e-14)
        else:
            assert got == want
        for a, b in zip(args, copies):
            if isinstance(a, np.ndarray):
                np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", PLAIN)
def test_same_argument_names(name):
    import inspect
    names = [n for n, _ in signature(getattr(mujoco, name))]
    assert list(inspect.signature(getattr(corten, name)).parameters) == names


def random_rotation(rng):
    q = rng.standard_normal(4)
    return q / np.linalg.norm(q)


def positive(rng, n=N):
    a = rng.standard_normal((n, n))
    return a @ a.T + np.eye(n)


@pytest.mark.parametrize("seed", range(5))
def test_rotations_from_matrices(seed):
    rng = np.random.default_rng(seed)
    mat = np.zeros(9)
    mujoco.mju_quat2Mat(mat, random_rotation(rng))
    a, b = np.zeros(4), np.zeros(4)
    mujoco.mju_mat2Quat(a, mat)
    corten.mju_mat2Quat(b, mat)
    np.testing.assert_allclose(b, a, atol=1e-15)
    noisy = mat + 0.1 * rng.standard_normal(9)
    a, b = random_rotation(rng), None
    b = a.copy()
    assert mujoco.mju_mat2Rot(a, noisy) == corten.mju_mat2Rot(b, noisy)
    np.testing.assert_allclose(b, a, atol=1e-12)


@pytest.mark.parametrize("seq", ["xyz", "XYZ", "zYx", "yzy"])
def test_euler(seq):
    euler = np.array([0.3, -1.2, 2.5])
    a, b = np.zeros(4), np.zeros(4)
    mujoco.mju_euler2Quat(a, euler, seq)
    corten.mju_euler2Quat(b, euler, seq)
    np.testing.assert_allclose(b, a, atol=1e-15)


def test_euler_errors():
    with pytest.raises(corten.FatalError, match="3 characters"):
        corten.mju_euler2Quat(np.zeros(4), np.zeros(3), "xy")
    with pytest.raises(corten.FatalError, match="should be one of x"):
        corten.mju_euler2Quat(np.zeros(4), np.zeros(3), "xyw")


@pytest.mark.parametrize("seed", range(5))
def test_eig3(seed):
    rng = np.random.default_rng(seed)
    mat = positive(rng, 3).ravel()
    a = [np.zeros(3), np.zeros(9), np.zeros(4)]
    b = [np.zeros(3), np.zeros(9), np.zeros(4)]
    mujoco.mju_eig3(*a, mat)
    corten.mju_eig3(*b, mat)
    for x, y in zip(a, b):
        np.testing.assert_allclose(y, x, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_cholesky(seed):
    rng = np.random.default_rng(seed)
    a = positive(rng)
    b, v = a.copy(), rng.standard_normal(N)
    assert mujoco.mju_cholFactor(a, 1e-10) == corten.mju_cholFactor(b, 1e-10) == N
    np.testing.assert_allclose(b, a, atol=1e-13)
    x, y = np.zeros(N), np.zeros(N)
    mujoco.mju_cholSolve(x, a, v)
    corten.mju_cholSolve(y, b, v)
    np.testing.assert_allclose(y, x, atol=1e-12)
    for plus in (1, 0):
        v1, v2 = v.copy(), v.copy()
        assert mujoco.mju_cholUpdate(a, v1, plus) == corten.mju_cholUpdate(b, v2, plus)
        np.testing.assert_allclose(b, a, atol=1e-12)
    singular = np.zeros((N, N))
    assert corten.mju_cholFactor(singular.copy(), 1e-10) == mujoco.mju_cholFactor(singular, 1e-10) == 0


@pytest.mark.parametrize("ndense", [0, 2, 5])
@pytest.mark.parametrize("nband", [1, 3])
def test_band(nband, ndense):
    rng = np.random.default_rng(3)
    size = (N - ndense) * nband + ndense * N
    dense = positive(rng) + 5 * np.eye(N)
    a, b = np.zeros(size), np.zeros(size)
    mujoco.mju_dense2Band(a, dense, N, nband, ndense)
    corten.mju_dense2Band(b, dense, N, nband, ndense)
    np.testing.assert_array_equal(b, a)
    for sym in (0, 1):
        da, db = np.zeros((N, N)), np.zeros((N, N))
        mujoco.mju_band2Dense(da, a, N, nband, ndense, sym)
        corten.mju_band2Dense(db, a, N, nband, ndense, sym)
        np.testing.assert_array_equal(db, da)
        v, x, y = rng.standard_normal(N), np.zeros(N), np.zeros(N)
        mujoco.mju_bandMulMatVec(x, a.reshape(-1, 1), v.reshape(-1, 1), N, nband, ndense, 1, sym)
        corten.mju_bandMulMatVec(y, a.reshape(-1, 1), v.reshape(-1, 1), N, nband, ndense, 1, sym)
        np.testing.assert_allclose(y, x, atol=1e-13)
    for i in range(N):
        assert corten.mju_bandDiag(i, N, nband, ndense) == mujoco.mju_bandDiag(i, N, nband, ndense)
    smallest = mujoco.mju_cholFactorBand(a, N, nband, ndense, 0.1, 0.2)
    assert corten.mju_cholFactorBand(b, N, nband, ndense, 0.1, 0.2) == pytest.approx(smallest, rel=1e-12)
    np.testing.assert_allclose(b, a, atol=1e-12)
    v, x, y = rng.standard_normal(N), np.zeros(N), np.zeros(N)
    mujoco.mju_cholSolveBand(x, a, v, N, nband, ndense)
    corten.mju_cholSolveBand(y, b, v, N, nband, ndense)
    np.testing.assert_allclose(y, x, atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_box_qp(seed):
    rng = np.random.default_rng(seed)
    H, g = positive(rng), 3 * rng.standard_normal(N)
    bounds = [(None, None), (-np.ones(N), np.ones(N)), (-np.ones(N), None)][seed % 3]
    out = []
    for package in (mujoco, corten):
        x, R, index = np.zeros(N), np.zeros((N, N + 7)), np.zeros(N, np.int32)
        nfree = package.mju_boxQP(x, R, index, H, g, *bounds)
        out.append((nfree, x, index[:nfree].copy()))
    assert out[0][0] == out[1][0]
    np.testing.assert_allclose(out[1][1], out[0][1], atol=1e-9)
    np.testing.assert_array_equal(out[1][2], out[0][2])


def test_sparse():
    rng = np.random.default_rng(0)
    dense = rng.standard_normal((4, 6)) * (rng.random((4, 6)) < 0.5)
    nnz = np.count_nonzero(dense)
    for room in (nnz, nnz - 2, 0):
        out = []
        for package in (mujoco, corten):
            arrays = [np.zeros(room), *(np.zeros(n, np.int32) for n in (4, 4, room))]
            out.append((package.mju_dense2sparse(arrays[0], dense, *arrays[1:]), arrays))
        assert out[0][0] == out[1][0]
        for a, b in zip(out[0][1], out[1][1]):
            np.testing.assert_array_equal(b, a)
        if room == nnz:
            back = np.ones((4, 6))
            corten.mju_sparse2dense(back, *out[1][1])
            np.testing.assert_array_equal(back, dense)
    with pytest.raises(TypeError, match="outside"):
        corten.mju_sparse2dense(np.zeros((1, 2)), [1.0], [1], [0], [7])


def test_square_product():
    rng = np.random.default_rng(0)
    mat, diag = rng.standard_normal((4, 3)), rng.standard_normal(4)
    for d in (diag, None):
        a, b = np.zeros((3, 3)), np.zeros((3, 3))
        mujoco.mju_sqrMatTD(a, mat, d)
        corten.mju_sqrMatTD(b, mat, d)
        np.testing.assert_allclose(b, a, atol=1e-14)


def test_pyramid():
    force, mu = np.array([4.0, 0.5, -0.3, 0.1]), np.array([1.0, 0.8, 0.5])
    a, b = np.zeros(6), np.zeros(6)
    mujoco.mju_encodePyramid(a, force, mu)
    corten.mju_encodePyramid(b, force, mu)
    np.testing.assert_allclose(b, a, atol=1e-15)
    fa, fb = np.zeros(4), np.zeros(4)
    mujoco.mju_decodePyramid(fa, a, mu)
    corten.mju_decodePyramid(fb, a, mu)
    np.testing.assert_allclose(fb, fa, atol=1e-15)


def test_names_of_types():
    for value in mujoco.mjtObj.__members__.values():
        try:
            name = mujoco.mju_type2Str(int(value))
        except Exception:
            continue
        assert corten.mju_type2Str(int(value)) == name
        if name:
            assert corten.mju_str2Type(name) == mujoco.mju_str2Type(name)


def test_numbers():
    for x in (0, 1023, 1024, 3 << 20, 5 << 30, 12345):
        assert corten.mju_writeNumBytes(x) == mujoco.mju_writeNumBytes(x)
    for x in (np.nan, np.inf, -1e11, 1e10, 0.0):
        assert corten.mju_isBad(x) == mujoco.mju_isBad(x)
    for index in (0, 1, 7, 100):
        for base in (2, 3, 5):
            assert corten.mju_Halton(index, base) == mujoco.mju_Halton(index, base)
    samples = [corten.mju_standardNormal(None) for _ in range(2000)]
    assert abs(np.mean(samples)) < 0.1 and abs(np.std(samples) - 1) < 0.1


def test_output_may_be_an_input():
    q = np.array([0.5, 0.5, -0.5, 0.5])
    want = np.zeros(4)
    corten.mju_mulQuat(want, q, q)
    corten.mju_mulQuat(q, q, q)
    np.testing.assert_array_equal(q, want)


def test_wrong_arguments():
    with pytest.raises(TypeError, match="vector of 4(.|\n)*res"):
        corten.mju_mulQuat(np.zeros(3), np.zeros(4), np.zeros(4))
    with pytest.raises(TypeError, match="writable NumPy array"):
        corten.mju_mulQuat([0, 0, 0, 0], np.zeros(4), np.zeros(4))
    with pytest.raises(TypeError, match="float64"):
        corten.mju_mulQuat(np.zeros(4, np.float32), np.zeros(4), np.zeros(4))
    frozen = np.zeros(4)
    frozen.flags.writeable = False
    with pytest.raises(TypeError, match="read-only"):
        corten.mju_mulQuat(frozen, np.zeros(4), np.zeros(4))
    with pytest.raises(TypeError, match="same size"):
        corten.mju_copy(np.zeros(3), np.zeros(4))
    with pytest.raises(TypeError):
        corten.mju_norm(np.zeros((2, 2)))
    out = np.zeros(4)
    corten.mju_mulQuat(out, [1, 0, 0, 0], (0, 1, 0, 0))
    np.testing.assert_array_equal(out, [0, 1, 0, 0])

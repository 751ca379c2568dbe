"""Bodies of particles, stepped by extended position-based dynamics."""
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__: list[str]

class Material:
    young: float
    poisson: float
    density: float
    friction: float
    damping: float
    def __init__(self, young: float, poisson: float, density: float, friction: float = 0.5, damping: float = 0.0) -> None: ...
    @staticmethod
    def named(name: str) -> Material: ...
    @staticmethod
    def names() -> list[str]: ...

class Constraint:
    kind: str
    particles: list[int]
    compliance: float
    @staticmethod
    def distance(ends: Sequence[int], rest: float, compliance: float = 0.0) -> Constraint: ...
    @staticmethod
    def angle(points: Sequence[int], rest: float = 0.0, compliance: float = 0.0) -> Constraint: ...
    @staticmethod
    def dihedral(hinge: Sequence[int], wings: Sequence[int], rest: float = 0.0, compliance: float = 0.0) -> Constraint: ...
    @staticmethod
    def volume(corners: Sequence[int], rest: float, compliance: float = 0.0) -> Constraint: ...
    @staticmethod
    def stretch(corners: Sequence[int], along: Sequence[float], compliance: float = 0.0) -> Constraint: ...
    @staticmethod
    def shear(
        corners: Sequence[int], warp: Sequence[float], weft: Sequence[float], compliance: float = 0.0
    ) -> Constraint: ...
    @staticmethod
    def twist(points: Sequence[int], rest: float = 0.0, compliance: float = 0.0) -> Constraint: ...
    @staticmethod
    def collision(
        particle: int, normal: ArrayLike, offset: float, friction: float = 0.0, velocity: ArrayLike = ...
    ) -> Constraint: ...
    def value(self, positions: ArrayLike) -> float | None: ...

class Deformable:
    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    radius: float
    def __init__(
        self,
        positions: ArrayLike,
        masses: ArrayLike,
        constraints: Sequence[Constraint],
        material: Material | str,
        radius: float = 0.0,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def inverse_masses(self) -> NDArray[np.float64]: ...
    @property
    def constraints(self) -> list[Constraint]: ...
    @property
    def surface(self) -> NDArray[np.uint32]: ...
    @property
    def material(self) -> Material: ...
    @property
    def mass(self) -> float: ...
    @property
    def momentum(self) -> list[float]: ...
    @property
    def angular_momentum(self) -> list[float]: ...
    @property
    def kinetic_energy(self) -> float: ...
    @property
    def elastic_energy(self) -> float: ...
    def pin(self, *particles: int) -> None: ...
    def add_constraint(self, constraint: Constraint) -> None: ...
    def wake(self) -> None: ...
    def copy(self) -> Deformable: ...

class Cloth(Deformable):
    def __init__(
        self,
        vertices: ArrayLike,
        triangles: ArrayLike,
        thickness: float,
        material: Material | str,
        weave: ArrayLike | None = None,
    ) -> None: ...
    @staticmethod
    def grid(
        origin: ArrayLike, count: Sequence[int], spacing: float, preset: str, weave: ArrayLike | None = None
    ) -> Cloth: ...
    @staticmethod
    def presets() -> list[str]: ...

class SoftBody(Deformable):
    def __init__(
        self, vertices: ArrayLike, tetrahedra: ArrayLike, material: Material | str, radius: float = 0.0
    ) -> None: ...
    @staticmethod
    def grid(
        origin: ArrayLike, count: Sequence[int], spacing: float, preset: str, radius: float | None = None
    ) -> SoftBody: ...
    @staticmethod
    def presets() -> list[str]: ...

class CapsuleChain(Deformable):
    def __init__(
        self,
        points: ArrayLike,
        radius: float,
        material: Material | str,
        bending: float = 1.0,
        twist: bool = False,
    ) -> None: ...
    @staticmethod
    def straight(
        start: ArrayLike, end: ArrayLike, segments: int, preset: str, twist: bool = False
    ) -> CapsuleChain: ...
    @staticmethod
    def presets() -> list[str]: ...

class XpbdSolver:
    def __init__(
        self,
        substeps: int = 10,
        iterations: int = 1,
        damping: float = 0.0,
        sleep_speed: float = 0.0,
        sleep_after: float = 0.5,
    ) -> None: ...
    def step(self, body: Deformable, dt: float, gravity: ArrayLike = ..., count: int = 1) -> None: ...
    def is_asleep(self, body: Deformable) -> bool: ...

"""Bodies of particles, stepped by extended position-based dynamics: cloth, soft bodies, chains, and those of your own.

    from corten import soft

    flag = soft.Cloth.grid((0, 0, 0), (20, 20), 0.05, "cotton")
    flag.pin(0, 19)
    solver = soft.XpbdSolver(10, damping=0.5)
    for _ in range(200):
        solver.step(flag, 0.01)

`MjSpec.register_deformable` makes a body a part of a model, where it touches rigid bodies.
"""
from ._corten import CapsuleChain, Cloth, Constraint, Deformable, Material, SoftBody, XpbdSolver

__all__ = ["CapsuleChain", "Cloth", "Constraint", "Deformable", "Material", "SoftBody", "XpbdSolver"]

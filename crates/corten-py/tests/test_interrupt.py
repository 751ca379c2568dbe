"""Ctrl-C ends long calls at once, in the state of the last whole step; forked processes do not hang."""
import os
import signal
import threading
import time

import numpy as np
import pytest

import corten
from corten import mujoco as MJ, soft
from corten.mujoco import rollout

PENDULUM = "<mujoco><worldbody><body><joint damping='.1'/><geom size='.1' pos='1 0 0'/></body></worldbody></mujoco>"
# Many bodies in one place: a step takes long.
HEAP = "<mujoco><worldbody><replicate count='{}'><body><freejoint/><geom size='.1'/></body></replicate></worldbody></mujoco>"
AFTER = 0.3
# Mostly hundredths of a second; the rest is for a busy machine.
LIMIT = 1.5


@pytest.fixture(autouse=True)
def ctrl_c_raises():
    """A shell starts background processes with the signal ignored, and Python then leaves it so."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)


def interrupted(call):
    """Seconds from Ctrl-C to the exception."""
    sent = []

    def send():
        time.sleep(AFTER)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        call()
        thread.join()
        time.sleep(5)
    delay = time.perf_counter() - sent[0]
    thread.join()
    return delay


def whole_steps(time, m):
    steps = time / m.opt.timestep
    return steps > 0 and abs(steps - round(steps)) < 1e-3


def test_bodies_of_particles():
    body, solver = soft.CapsuleChain.straight((0, 0, 0), (1, 0, 0), 5, "rope"), soft.XpbdSolver()
    assert interrupted(lambda: solver.step(body, 0.001, count=2**40)) < LIMIT
    solver.step(body, 0.001)
    m = corten.load_model("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
    m.set_contact_solver("xpbd", substeps=2**31 - 1)
    m.opt.tolerance, m.opt.iterations = 0, 2**31 - 1
    d = m.make_data()
    assert interrupted(lambda: d.step()) < LIMIT
    assert d.time == 0


def test_steps():
    m = MJ.MjModel.from_xml_string(PENDULUM)
    d, other = MJ.MjData(m), MJ.MjData(m)
    assert interrupted(lambda: MJ.mj_step(m, d, nstep=2**31 - 1)) < LIMIT
    assert whole_steps(d.time, m)
    # The state is that of so many steps, and stepping goes on.
    MJ.mj_step(m, other, nstep=round(d.time / m.opt.timestep))
    assert np.array_equal(d.qpos, other.qpos) and np.array_equal(d.qvel, other.qvel)
    MJ.mj_step(m, d)
    MJ.mj_step(m, other)
    assert np.array_equal(d.qpos, other.qpos)


def test_a_long_step():
    m = MJ.MjModel.from_xml_string(HEAP.format(400))
    d = MJ.MjData(m)
    assert interrupted(lambda: MJ.mj_step(m, d, nstep=1000)) < 2 * LIMIT
    assert abs(d.time / m.opt.timestep - round(d.time / m.opt.timestep)) < 1e-6


@pytest.mark.parametrize("threads", [1, 2])
def test_rollouts(threads):
    m = MJ.MjModel.from_xml_string(PENDULUM)
    data = [MJ.MjData(m) for _ in range(threads)]
    start = np.zeros((8, MJ.mj_stateSize(m, MJ.mjtState.mjSTATE_FULLPHYSICS)))
    with rollout.Rollout(nthread=threads) as r:
        call = lambda: r.rollout(m, data, start, nstep=3_000_000)
        assert interrupted(call) < 2 * LIMIT
        state, _ = r.rollout(m, data, start, nstep=3)
    assert state.shape[1] == 3


@pytest.mark.parametrize("threads", [1, 2])
def test_batches(threads):
    m = corten.load_model(PENDULUM)
    batch = corten.BatchSim(m, 9, threads=threads)
    assert interrupted(lambda: batch.step(2**63)) < LIMIT
    # Worlds go one after the other: some have not begun.
    assert all(t == 0 or whole_steps(t, m) for t in batch.time.ravel()) and not batch.failed.any()
    assert batch.time.max() > 0
    before = batch.time.copy()
    batch.step()
    assert (batch.time > before).all()


def test_loads():
    text = HEAP.format(100_000)
    assert interrupted(lambda: MJ.MjModel.from_xml_string(text)) < LIMIT
    assert MJ.MjModel.from_xml_string(PENDULUM).nv == 1


def test_a_handler_that_raises_nothing():
    m = MJ.MjModel.from_xml_string(PENDULUM)
    d = MJ.MjData(m)
    seen = []

    def handler(number, frame):
        with pytest.raises(RuntimeError, match="using the object"):
            MJ.mj_forward(m, d)
        seen.append(number)

    old = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        MJ.mj_step(m, d, nstep=700_000)
    finally:
        signal.signal(signal.SIGALRM, old)
    assert seen == [signal.SIGALRM]
    assert round(d.time / m.opt.timestep) == 700_000


def test_fork_while_a_thread_steps():
    m = MJ.MjModel.from_xml_string(HEAP.format(40))
    d = MJ.MjData(m)
    going = True

    def work():
        while going:
            MJ.mj_step(m, d, nstep=20)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(4):
            time.sleep(0.05)
            child = os.fork()
            if child == 0:
                try:
                    MJ.mj_step(m, d)
                except RuntimeError as error:
                    os._exit(0 if "forked" in str(error) else 1)
                # What the other thread did not use at that moment can be used.
                fresh = MJ.MjData(m)
                MJ.mj_step(m, fresh)
                os._exit(0 if fresh.time > 0 else 1)
            end = time.time() + 20
            pid, status = 0, 0
            while pid == 0 and time.time() < end:
                pid, status = os.waitpid(child, os.WNOHANG)
                time.sleep(0.01)
            if pid == 0:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            assert pid == child and status == 0
    finally:
        going = False
        thread.join()

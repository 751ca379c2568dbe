#!/usr/bin/env python3
"""How collision detection grows with the number of falling bodies, against MuJoCo 3.4.0.

    tools/growth_collision.py           # writes docs/growth_collision.svg and prints the table for docs

Bodies of four kinds start as a loose lattice over a plane and sink, each at its own speed. Every size
runs in a process of its own, for each engine. Time is that of `mj_collision`, the median over the
frames, in processor time; memory is what the process grew by from before the data exist to after the
last frame. MuJoCo also gets the part of its arena that it used.
"""
import argparse, json, pathlib, resource, statistics, subprocess, sys, time
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = [10, 30, 100, 300, 1000, 3000, 10000]
FRAMES = 6
KINDS = ["type='sphere' size='.1'", "type='box' size='.1 .08 .06'", "type='capsule' size='.06 .06'", "type='cylinder' size='.08 .08'"]


def scene(n):
    side = max(2, round((n / 2) ** (1 / 3)))
    bodies = []
    for k in range(n):
        x, y, z = k % side, k // side % side, k // side**2
        bodies.append(f"<body pos='{.21 * x:.2f} {.21 * y:.2f} {.15 + .21 * z:.2f}'><freejoint/><geom {KINDS[(x + y + z) % 4]}/></body>")
    return ("<mujoco><size memory='3G'/><worldbody><geom type='plane' size='50 50 1'/>" + "".join(bodies) + "</worldbody></mujoco>")


def measure(engine, n):
    """Microseconds per detection, contacts, bytes: in this process."""
    if engine == "mujoco":
        import mujoco as mj
    else:
        import corten.mujoco as mj
    m = mj.MjModel.from_xml_string(scene(n))
    rss = lambda: int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    before = rss()
    d = mj.MjData(m)
    rng = np.random.default_rng(n)
    start = np.array(d.qpos).reshape(n, 7)
    start[:, 3:] += 0.3 * rng.standard_normal((n, 4))
    speed = rng.uniform(0.5, 1, n)
    times = []
    for frame in range(FRAMES + 2):
        q = start.copy()
        q[:, 2] -= 0.004 * frame * speed
        d.qpos[:] = q.ravel()
        mj.mj_kinematics(m, d)
        mj.mj_comPos(m, d)
        t = time.thread_time()
        mj.mj_collision(m, d)
        times.append(time.thread_time() - t)
    arena = int(d.maxuse_arena) if engine == "mujoco" else None
    return dict(us=1e6 * statistics.median(times[2:]), contacts=int(d.ncon), bytes=rss() - before, arena=arena)


def svg(panels):
    """Lines on logarithmic axes, one panel per quantity; dashed: proportional to the number of bodies."""
    width, height, left, top = 380, 280, 60, 40
    out = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {len(panels) * (width + 40)} {height + 90}' font-family='sans-serif' font-size='11'>",
           "<rect width='100%' height='100%' fill='white'/>"]
    colors = ["#b4532a", "#2a6fb4", "#777777"]
    for p, (title, unit, lines) in enumerate(panels):
        x0 = left + p * (width + 40)
        xs = [x for points in lines.values() for x, _ in points]
        ys = [y for points in lines.values() for _, y in points]
        lo, hi = np.floor(np.log10(min(ys))), np.ceil(np.log10(max(ys)))
        sx = lambda x: x0 + (width - left) * (np.log10(x) - np.log10(min(xs))) / (np.log10(max(xs)) - np.log10(min(xs)))
        sy = lambda y: top + height * (hi - np.log10(y)) / (hi - lo)
        out.append(f"<text x='{x0}' y='{top - 18}' font-size='13'>{title}</text>")
        for e in range(int(lo), int(hi) + 1):
            out.append(f"<line x1='{x0}' x2='{x0 + width - left}' y1='{sy(10.0**e):.1f}' y2='{sy(10.0**e):.1f}' stroke='#ddd'/>"
                       f"<text x='{x0 - 6}' y='{sy(10.0**e) + 4:.1f}' text-anchor='end'>{10.0**e:g}</text>")
        for x in sorted(set(xs)):
            out.append(f"<text x='{sx(x):.1f}' y='{top + height + 16}' text-anchor='middle'>{x:g}</text>")
        out.append(f"<text x='{x0 + 140}' y='{top + height + 34}' text-anchor='middle'>bodies; {unit}</text>")
        first = next(iter(lines.values()))[-1]
        ideal = [(x, first[1] * x / first[0]) for x in (min(xs), max(xs)) if first[1] * x / first[0] >= 10**lo]
        if len(ideal) == 2:
            out.append("<polyline fill='none' stroke='#999' stroke-dasharray='4 4' points='" + " ".join(f"{sx(x):.1f},{sy(y):.1f}" for x, y in ideal) + "'/>")
        for (name, points), color in zip(lines.items(), colors):
            out.append(f"<polyline fill='none' stroke='{color}' stroke-width='2' points='" + " ".join(f"{sx(x):.1f},{sy(y):.1f}" for x, y in points) + "'/>")
            k = list(lines).index(name)
            out.append(f"<text x='{x0 + 8}' y='{top + 12 + 14 * k}' fill='{color}'>{name}</text>")
    return "\n".join(out) + "\n</svg>\n"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--one", nargs=2, metavar=("ENGINE", "BODIES"), help="measure one size in this process")
    one = arguments.parse_args().one
    if one:
        return print(json.dumps(measure(one[0], int(one[1]))))
    result = {}
    print("| bodies | contacts | CortenForge µs | MuJoCo µs | ratio | CortenForge MB | MuJoCo MB | of which arena used |\n|---|---|---|---|---|---|---|---|")
    for n in SIZES:
        row = {e: json.loads(subprocess.run([sys.executable, __file__, "--one", e, str(n)], capture_output=True, text=True, check=True).stdout) for e in ("corten", "mujoco")}
        result[n] = row
        a, b = row["corten"], row["mujoco"]
        mark = "" if a["contacts"] == b["contacts"] else f" ({b['contacts']})"
        print(f"| {n} | {a['contacts']}{mark} | {a['us']:.1f} | {b['us']:.1f} | {b['us'] / a['us']:.2f} | {a['bytes'] / 1e6:.1f} | {b['bytes'] / 1e6:.1f} | {b['arena'] / 1e6:.1f} |", flush=True)
    series = lambda engine, key, scale: [(n, max(scale * r[engine][key], 1e-3)) for n, r in result.items()]
    panels = [
        ("Collision detection", "µs", {"CortenForge": series("corten", "us", 1), "MuJoCo 3.4.0": series("mujoco", "us", 1)}),
        ("Memory of a state", "MB", {"CortenForge": series("corten", "bytes", 1e-6), "MuJoCo 3.4.0": series("mujoco", "bytes", 1e-6), "MuJoCo's arena, used": series("mujoco", "arena", 1e-6)}),
    ]
    (ROOT / "docs/growth_collision.svg").write_text(svg(panels))


if __name__ == "__main__":
    main()

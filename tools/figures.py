#!/usr/bin/env python3
"""Writes the measured tables of README.md and docs/, and checks that they are not stale.

    tools/figures.py --corpus CORPUS              # measure and write all tables
    tools/figures.py --corpus CORPUS times        # those of times and memory: a quarter of an hour on a quiet machine
    tools/figures.py --corpus CORPUS results      # those that do not depend on what else the machine does
    tools/figures.py --corpus CORPUS NAME ...     # those named
    tools/figures.py --check                      # fail where a table is older than the engine it was measured with
    tools/figures.py --drop                       # replace such tables by a sentence that says so
    tools/figures.py --list                       # names and sources

A table stands between `<!-- figures NAME -->` and `<!-- end of figures -->`, and ends with the commit, machine and day it was
measured on. conformance/figures.json keeps these together with the instruction counts of the gate at that time. A table of times,
memory or instructions is stale when one of those counts has moved by more than 3 % since, that of conformance when the baseline has,
and any table when somebody edited it by hand. The Python package has to be that of the commit (`./tools/test` installs it).
"""
import argparse, datetime, hashlib, json, math, pathlib, platform, re, subprocess, sys, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "conformance" / "figures.json"
BASELINE = ROOT / "conformance" / "baseline.json"
GATE = ROOT / "conformance" / "instructions.txt"
MOVED = 0.03

STAGES = {
    "compile": "arrays and sizes of the compiled model, but for bounding volumes, drawing and names",
    "smooth": "poses, inertias, velocities, smooth forces and accelerations",
    "contact": "contact points, frames, parameters",
    "rows": "constraint rows",
    "solve": "acceleration, constraint forces (converged)",
    "default": "cost of the solution at the model's own solver options, no higher than MuJoCo's but for the tolerance",
    "sensor": "sensor readings",
    "inverse": "inverse dynamics",
    "traj": "positions and velocities after 100 steps",
    "all": "all stages",
}
ROLLOUTS = ["mujoco/humanoid/humanoid.xml", "menagerie/franka_emika_panda/scene.xml",
            "menagerie/anybotics_anymal_c/scene.xml", "menagerie/shadow_hand/scene_right.xml"]
LANES = ["menagerie/flexiv_rizon4/scene.xml", "menagerie/franka_emika_panda/panda_nohand.xml", "menagerie/trs_so_arm100/scene.xml",
         "menagerie/ufactory_xarm7/xarm7_nohand.xml", "menagerie/unitree_h1/scene.xml", "menagerie/kinova_gen3/scene.xml",
         "mujoco/humanoid/humanoid.xml", "menagerie/anybotics_anymal_c/scene.xml", "menagerie/shadow_hand/scene_right.xml"]

ENGINE = ["crates/corten-math", "crates/corten-geom", "crates/corten-sim"]


def run(command, may_fail=False):
    """Output of a command in the project's root; what it reports on the way goes to the terminal."""
    print("+", " ".join(map(str, command)), file=sys.stderr, flush=True)
    done = subprocess.run(list(map(str, command)), cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode and not may_fail:
        sys.exit(f"{command[0]} ended with {done.returncode}")
    return done.stdout


def bench(*arguments, may_fail=False):
    return run(["cargo", "run", "--profile", "dist", "--quiet", "-p", "corten-bench", "--", *arguments], may_fail)


def python(*arguments):
    venv = ROOT / ".venv" / "bin" / "python"
    return run([venv if venv.exists() else sys.executable, *arguments])


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(r) + " |" for r in rows])


def short(scene):
    """A robot is known by its folder, an example by its file."""
    folder, _, file = scene.rpartition("/")
    return folder if file.startswith("scene") else file.removesuffix(".xml")


# -- Tables: each takes the corpus and returns Markdown by block

def conformance(corpus):
    """What the baseline holds; tools/conformance.py measures it and fails where a model falls behind."""
    models = list(json.loads(BASELINE.read_text()).values())
    share = lambda passed: f"{100 * sum(map(passed, models)) / len(models):.1f} %"
    stages = [name for name in STAGES if name != "all"]
    rows = [[name, share(lambda m: name in m), STAGES[name]] for name in stages]
    rows.append(["all", share(lambda m: all(name in m for name in stages)), STAGES["all"]])
    return {"conformance": f"{len(models)} models.\n\n" + table(["stage", "equal", "what is compared"], rows)}


def means(text, versions, what="time"):
    """Sentence of the geometric means that the benchmark prints."""
    parts = []
    for version in versions:
        found = dict(re.findall(rf"^{what} against {re.escape(version)}, (\w+): geometric mean ([\d.]+x, lowest [\d.]+x)", text, re.M))
        if found:
            regimes = "; ".join(f"{r} {found[r]}" for r in ("falling", "settled", "active") if r in found)
            parts.append(f"against MuJoCo {version} {regimes}")
    return "Geometric means: " + ", ".join(parts) + "."


def markdown_rows(text):
    lines = [l for l in text.splitlines() if l.startswith("| ")]
    cells = [[c.strip() for c in l.strip("|").split("|")] for l in lines]
    return cells[0], cells[1:]


def timed(corpus, list_name, *options):
    """The table of the benchmark against the first version of MuJoCo, and against all of them."""
    text = bench("--list", corpus / list_name, "--markdown", *options)
    head, rows = markdown_rows(text)
    versions = [h.removeprefix("MuJoCo ").removesuffix(" [µs]") for h in head if h.startswith("MuJoCo ")]
    for row in rows:
        row[0] = short(row[0])
    first = versions[0]
    keep = [i for i, h in enumerate(head) if "/" not in h and not (h.startswith("MuJoCo ") and first not in h)
            or h.endswith(f"/ {first}")]
    brief = table([head[i].removesuffix(f" / {first}") for i in keep], [[row[i] for i in keep] for row in rows])
    note = means(text, versions)
    return f"{brief}\n\n{note}", f"{table(head, rows)}\n\n{note}"


def speed(corpus):
    brief, full = timed(corpus, "BENCH.txt", "--rounds", 8)
    return {"speed": brief, "speed-by-version": full}


def flexes(corpus):
    brief, _ = timed(corpus, "BENCH_FLEX.txt", "--rounds", 3, "--regime", "settled")
    return {"speed-of-flexes": brief}


def memory(corpus):
    rows = []
    for line in (corpus / "BENCH.txt").read_text().split("\n"):
        if not line.strip():
            continue
        scene = line.split()[0]
        text = bench("--memory", "--untimed", corpus / scene)
        found = re.findall(r"KB per environment (\d+), against (\d+) \(([\d.]+)x\).*?; per world of a batch ([\d.]+)", text)
        if len(found) != 3:
            continue
        settled = found[1]
        rows.append([short("/".join(scene.split("/")[-2:])), settled[0], settled[1]] + [f"{f[2]}x" for f in found] + [settled[3]])
    head = ["scene", "`Data` [KB]", "MuJoCo [KB]", "falling", "settled", "active", "world of a batch [KB]"]
    return {"memory": table(head, rows)}


def rollouts(corpus):
    text = python("tools/bench_rollout.py", "--rounds", 15, *(corpus / m for m in ROLLOUTS))
    pattern = r"^(\S+)\s+([\d.]+)us\s+([\d.]+)us\s+([\d.]+x)\s+([\d.]+)-([\d.]+)\s+([\d.]+x)"
    rows = [[short(f[0]), f[1], f[2], f[3], f"{f[4]} to {f[5]}", f[6]] for f in re.findall(pattern, text, re.M)]
    return {"rollouts": table(["scene", "MuJoCo [µs]", "CortenForge [µs]", "wall time", "range", "processor time"], rows)}


def lanes(corpus):
    rows = []
    for model in LANES:
        text = bench("--batch", "--untimed", "--regime", "active", corpus / model)
        found = re.search(r"alone ([\d.]+), rollout ([\d.]+) \(([-+\d.]+) %\), batch ([\d.]+) \(([-+\d.]+) %\)", text)
        ratio = lambda percent: f"{1 / (1 + float(percent) / 100):.2f}x"
        rows.append([short("/".join(model.split("/")[-2:])), found[1], f"{found[2]} ({ratio(found[3])})", f"{found[4]} ({ratio(found[5])})"])
    return {"lanes": table(["scene", "alone [µs]", "rollout [µs]", "batch [µs]"], rows)}


def loading(corpus):
    text = python("tools/load_time.py", corpus, "--repeat", 2)
    found = re.findall(r"^(\w+): geometric mean of the ratios ([\d.]+); below 1: (\d+) of (\d+)", text, re.M)
    rows = [[name, f"{mean}x", f"{below} of {count}"] for name, mean, below, count in found]
    return {"loading": table(["", "geometric mean", "models where MuJoCo needs less"], rows)}


def cloth(corpus):
    text = bench("--cloth", "docs")
    head = [m.strip() for m in text.splitlines()[0].partition(":")[2].split(";")]
    rows = [[l.split()[0], *l.split()[3:]] for l in text.splitlines()[1:] if " vertices " in l]
    slopes = text.splitlines()[-1].split()[3:]
    return {"growth-of-cloth": table(["side", *head], rows + [["slope", *slopes]])}


def growth(corpus):
    text = bench("--growth", "docs")
    return {"growth": "```text\n" + text.strip() + "\n```"}


def iterations(corpus):
    return {"iterations": python("tools/iterations.py").strip()}


def collision(corpus):
    text = python("tools/collision_bench.py", "--root", corpus, "--states", 200)
    pattern = r"^(\S+\.xml)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+x)\s+([\d.]+x)"
    rows = [[short("/".join(f[0].split("/")[-2:])), *f[1:]] for f in re.findall(pattern, text, re.M)]
    head = ["scene", "contacts", "MuJoCo [µs]", "unmarked [µs]", "CortenForge [µs]", "ratio", "unmarked"]
    return {"collision": table(head, rows) + "\n\n" + text.strip().splitlines()[-1].capitalize() + "."}


def growth_of_collision(corpus):
    return {"growth-of-collision": python("tools/growth_collision.py").strip()}


def integrators(corpus):
    text = run(["cargo", "run", "--profile", "dist", "--quiet", "-p", "corten-sim", "--example", "integrators"])
    drift, cost = text.split("time per step")
    drifts = [line.split() for line in drift.splitlines()[2:] if line.strip()]
    rows = []
    for line in cost.splitlines()[1:]:
        found = re.findall(r"(\w+) [\d.]+ \(([\d.]+)\)", line)
        rows.append([line.split(".xml")[0], *(ratio for _, ratio in found)])
    names = [name for name, _ in found]
    return {"energy-of-integrators": table(["integrator", "h = 0.01", "0.002", "0.0005"], drifts),
            "cost-of-integrators": table(["scene", *names], rows)}


def derivatives(corpus):
    pattern = r"(\d+) models: qfrc_fluid (\S+), qDeriv (\S+) from MuJoCo; (\S+) from differences on (\d+)"
    rows = []
    for name, match in (("MuJoCo Menagerie", "menagerie/"), ("MuJoCo's examples", "mujoco/"), ("MuJoCo's tests", "mujoco_test/")):
        count, fluid, ours, differences, on = re.search(pattern, python("tools/derivatives.py", corpus, "--match", match)).groups()
        rows.append([f"{name}, {count}", fluid, ours, f"{differences} on {on}"])
    head = ["models", "`qfrc_fluid` from MuJoCo's", "`qDeriv` from MuJoCo's", "`qDeriv` from central differences"]
    return {"derivatives": table(head, rows)}


def derivatives_at_size(corpus):
    lines = python("tools/derivatives.py", "--time").strip().splitlines()[1:]
    found = (re.match(r"(.+?)\s{2,}(.+)", line).groups() for line in lines)
    head = ["scene", "nv", "entries of `qDeriv`", "CortenForge [µs]", "MuJoCo [µs]", "ratio", "largest difference"]
    return {"derivatives-at-size": table(head, [[name, *values.split()] for name, values in found])}


def spread(corpus):
    """How far MuJoCo is from itself, and from the exact answer, where the engines differ."""
    def measure(models, steps=100):
        text = python("tools/sensitivity.py", "--steps", steps, *(corpus / m for m in models))
        return [(short("/".join(m.split("/")[-2:])), line.split()[1:]) for m, line in zip(models, text.splitlines()[1:])]
    tests = "mujoco_test/engine/testdata"
    paths = measure(["menagerie/iit_softfoot/scene.xml", f"{tests}/collision_convex/perf/boxmesh.xml", "mujoco/replicate/bunnies.xml"])
    sleepers = measure([f"{tests}/sleep/contact.xml", f"{tests}/sleep/contactpair.xml"], 1500)
    sleepers = [(f"{name}, after 1500 steps", found) for name, found in sleepers]
    stiff = measure(["mujoco/cube/cube_3x3x3.xml", f"{tests}/collision_convex/perf/ellipsoid.xml", f"{tests}/collision_convex/perf/mixed.xml",
                     f"{tests}/collision_primitive/spheres_cylinders.xml", "mujoco/replicate/particle_free2d.xml"])
    head = ["model", "after 100 steps, here and MuJoCo", "MuJoCo and itself, one unit in the last place away"]
    return {"spread-of-paths": table(head, [[name, found[5], found[6]] for name, found in paths + sleepers]),
            "stiff-contacts": table(["model", "MuJoCo", "here", "between the two", "from the same `qacc`"],
                                    [[name, *found[1:5]] for name, found in stiff])}


COSTS = {
    "costs-of-sleep": ["sleep-saves", "sleep-overhead", "sleeper", "mass-matrix", "factor"],
    "costs-of-solvers": ["islands-sum", "islands-overhead", "islands-save", "cg-pgs"],
    "costs-of-runge-kutta": ["rk4"],
}


def costs(corpus):
    # It fails where a bound is missed: the table says so.
    text = bench("costs", "--list", corpus / "BENCH.txt", may_fail=True)
    found = re.findall(r"^(\S+)\s+(.+?)\s+([\d.]+), (at \w+ [\d.]+): (\w+)", text, re.M)
    return {part: table(["instructions", "measured", "bound", ""], [row[1:] for row in found if row[0] in names])
            for part, names in COSTS.items()}


# Tables of times and memory, and tables that come out the same on a busy machine; each with what they depend on.
TIMES = {
    "speed": (speed, ENGINE),
    "flexes": (flexes, ENGINE),
    "memory": (memory, ENGINE + ["crates/corten-batch"]),
    "rollouts": (rollouts, ENGINE + ["crates/corten-batch", "crates/corten-py"]),
    "lanes": (lanes, ENGINE + ["crates/corten-batch"]),
    "loading": (loading, ["crates/corten-geom", "crates/corten-model", "crates/corten-sim"]),
    "cloth": (cloth, ENGINE + ["crates/corten-model"]),
    "growth": (growth, ENGINE + ["crates/corten-batch"]),
    "collision": (collision, ENGINE),
    "growth-of-collision": (growth_of_collision, ENGINE),
    "integrators": (integrators, ENGINE),
    "derivatives-at-size": (derivatives_at_size, ENGINE),
}
RESULTS = {
    "conformance": (conformance, ["conformance/baseline.json"]),
    "costs": (costs, ENGINE),
    "iterations": (iterations, ["crates/corten-sim"]),
    "derivatives": (derivatives, ["crates/corten-sim"]),
    "spread": (spread, ["crates/corten-sim"]),
}
TABLES = TIMES | RESULTS
GROUPS = {"times": TIMES, "results": RESULTS}
# Whose figures do not depend on how fast a step is.
OF_RESULTS = {"conformance", "iterations", "derivatives", "spread"}


# -- Writing and checking

MISSING = "Not measured since the engine changed: `tools/figures.py {}` writes this table."


def documents():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def block(name):
    return re.compile(rf"(<!-- figures {re.escape(name)} -->\n)(.*?)(<!-- end of figures -->)", re.S)


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def gate_counts():
    lines = (l.split() for l in GATE.read_text().splitlines() if l and not l.startswith(("#", "made")))
    return {f"{w[0]} {w[1]}": int(w[2]) for w in lines if len(w) == 3}


def machine():
    try:
        model = re.search(r"model name\s*:\s*(.+)", pathlib.Path("/proc/cpuinfo").read_text())[1]
    except (OSError, TypeError):
        model = platform.processor() or platform.machine()
    return re.sub(r"\s+|\((R|TM)\)", " ", model).strip().replace("  ", " ")


def recorded():
    return json.loads(RECORD.read_text()) if RECORD.exists() else {}


def record(entries):
    RECORD.write_text(json.dumps(entries, indent=1, sort_keys=True) + "\n")


def place(part, body):
    """Writes a table wherever it is shown."""
    places = [p for p in documents() if block(part).search(p.read_text())]
    if not places:
        sys.exit(f"no document has a place for '{part}': <!-- figures {part} --> ... <!-- end of figures -->")
    for path in places:
        path.write_text(block(part).sub(lambda m: m[1] + body + m[3], path.read_text()))


def write(names, corpus):
    commit = run(["git", "rev-parse", "--short", "HEAD"]).strip()
    if run(["git", "status", "--porcelain", "--", "crates"]).strip():
        sys.exit("crates/ has changes that are not committed: a figure names the commit it was measured at")
    day = datetime.date.today().isoformat()
    for name in names:
        function, sources = TABLES[name]
        start = time.monotonic()
        for part, text in function(corpus).items():
            body = f"\n{text}\n\nMeasured at `{commit}` on {machine()}, {day}, by `tools/figures.py {name}`.\n\n"
            place(part, body)
            entry = dict(table=name, commit=commit, machine=machine(), date=day, sources=sources, text=digest(body),
                         counts={} if name in OF_RESULTS else gate_counts())
            record(recorded() | {part: entry})
        print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)


def stale(name, entry):
    """Why a table is not that of the present engine, or None."""
    if name == "conformance" and conformance(None)[name] not in shown(name):
        return "the baseline has changed"
    now = gate_counts()
    for scene, count in entry["counts"].items():
        change = now.get(scene, math.inf) / count - 1
        if abs(change) > MOVED:
            return f"{scene} moved by {100 * change:+.1f} % since {entry['commit']}"
    return None


def shown(name):
    """The text of a table, wherever it is."""
    found = (block(name).search(p.read_text()) for p in documents())
    return "".join(m[2] for m in found if m)


def check():
    entries, wrong, missing = recorded(), [], []
    present = {}
    for path in documents():
        for name in re.findall(r"<!-- figures (.+?) -->", path.read_text()):
            present.setdefault(name, []).append((path.name, block(name).search(path.read_text())))
    for name, places in present.items():
        entry = entries.get(name)
        if not entry:
            missing += [name for _, found in places[:1] if found and MISSING.split("{")[0] in found[2]]
            wrong += [f"{path}: '{name}' has no record" for path, found in places if name not in missing]
            continue
        again = f"tools/figures.py --corpus CORPUS {entry['table']}"
        for path, found in places:
            if not found or digest(found[2]) != entry["text"]:
                wrong.append(f"{path}: '{name}' was edited by hand: {again}")
        why = stale(name, entry)
        if why:
            wrong.append(f"'{name}' is stale, {why}: {again}")
    wrong += [f"no document shows '{name}' any more: remove it from {RECORD.name}" for name in entries if name not in present]
    for line in wrong:
        print(line)
    print(f"{len(present)} tables, {len(wrong)} to renew, {len(missing)} not measured")
    return 1 if wrong else 0


def drop():
    """Takes out what is stale."""
    entries = recorded()
    for name, entry in list(entries.items()):
        if stale(name, entry):
            place(name, f"\n{MISSING.format(entry['table'])}\n\n")
            del entries[name]
            print(f"dropped {name}")
    record(entries)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("names", nargs="*", choices=[[], *GROUPS, *TABLES], metavar="NAME", help=", ".join([*GROUPS, *TABLES]))
    ap.add_argument("--corpus", type=pathlib.Path)
    ap.add_argument("--check", action="store_true")
    ap.add_argument("--drop", action="store_true")
    ap.add_argument("--list", action="store_true")
    a = ap.parse_args()
    if a.check:
        return check()
    if a.drop:
        return drop()
    if a.list:
        for name, (_, sources) in TABLES.items():
            print(f"{name:20s} {'times' if name in TIMES else 'results':8s} depends on {', '.join(sources)}")
        return 0
    if not a.corpus:
        ap.error("--corpus CORPUS is needed to measure")
    names = [name for asked in a.names or GROUPS for name in GROUPS.get(asked, [asked])]
    write(names, a.corpus.resolve())
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Writes the measured tables of README.md and docs/, and checks that they are not stale.

    tools/figures.py --corpus CORPUS [NAME ...]   # measure all tables, or those named, and write them
    tools/figures.py --check                      # fail where a table is older than the engine it was measured with
    tools/figures.py --list                       # names, commands and sources

A table stands between `<!-- figures NAME -->` and `<!-- end of figures -->`, and ends with the commit, machine and day it was
measured on. conformance/figures.json keeps these together with the instruction counts of the gate at that time. A table of times
or memory is stale when one of those counts has moved by more than 3 % since, and any table when somebody edited it by hand.
"""
import argparse, datetime, hashlib, json, math, pathlib, platform, re, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "conformance" / "figures.json"
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


def run(command):
    """Output of a command in the project's root; what it reports on the way goes to the terminal."""
    print("+", " ".join(map(str, command)), file=sys.stderr, flush=True)
    done = subprocess.run(list(map(str, command)), cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{command[0]} ended with {done.returncode}")
    return done.stdout


def bench(*arguments):
    return run(["cargo", "run", "--profile", "dist", "--quiet", "-p", "corten-bench", "--", *arguments])


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
    text = python("tools/conformance.py", corpus, corpus.parent / "oracle" / "compare.py")
    rows, count = [], 0
    for name, meaning in STAGES.items():
        found = re.search(rf"^{name}\s+(\d+) of (\d+)\s+([\d.]+) %", text, re.M)
        count = int(found[2])
        rows.append([name, f"{found[3]} %", meaning])
    return {"conformance": f"{count} models.\n\n" + table(["stage", "equal", "what is compared"], rows)}


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


def timed(corpus, list_name, rounds):
    text = bench("--list", corpus / list_name, "--markdown", "--rounds", rounds)
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
    brief, full = timed(corpus, "BENCH.txt", 12)
    return {"speed": brief, "speed-by-version": full}


def flexes(corpus):
    brief, _ = timed(corpus, "BENCH_FLEX.txt", 6)
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
    text = python("tools/load_time.py", corpus, "--repeat", 1)
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


TABLES = {
    "conformance": (conformance, ENGINE + ["crates/corten-model", "crates/corten-py"]),
    "speed": (speed, ENGINE),
    "flexes": (flexes, ENGINE),
    "memory": (memory, ENGINE + ["crates/corten-batch"]),
    "rollouts": (rollouts, ENGINE + ["crates/corten-batch", "crates/corten-py"]),
    "lanes": (lanes, ENGINE + ["crates/corten-batch"]),
    "loading": (loading, ["crates/corten-geom", "crates/corten-model", "crates/corten-sim"]),
    "cloth": (cloth, ENGINE + ["crates/corten-model"]),
    "growth": (growth, ENGINE + ["crates/corten-batch"]),
    "iterations": (iterations, ["crates/corten-sim"]),
}
# Whose figures do not depend on how fast a step is.
OF_RESULTS = {"conformance", "iterations"}


# -- Writing and checking

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


def write(names, corpus):
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    commit = run(["git", "rev-parse", "--short", "HEAD"]).strip()
    if run(["git", "status", "--porcelain", "--", "crates"]).strip():
        sys.exit("crates/ has changes that are not committed: a figure names the commit it was measured at")
    day = datetime.date.today().isoformat()
    for name in names:
        function, sources = TABLES[name]
        for part, text in function(corpus).items():
            body = f"\n{text}\n\nMeasured at `{commit}` on {machine()}, {day}, by `tools/figures.py {name}`.\n\n"
            places = [p for p in documents() if block(part).search(p.read_text())]
            if not places:
                sys.exit(f"no document has a place for '{part}': <!-- figures {part} --> ... <!-- end of figures -->")
            for place in places:
                place.write_text(block(part).sub(lambda m: m[1] + body + m[3], place.read_text()))
            record[part] = dict(table=name, commit=commit, machine=machine(), date=day, sources=sources, text=digest(body),
                                counts={} if name in OF_RESULTS else gate_counts())
            RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")


def check():
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    now, wrong = gate_counts(), []
    present = {}
    for place in documents():
        for name in re.findall(r"<!-- figures (.+?) -->", place.read_text()):
            present.setdefault(name, []).append((place.name, block(name).search(place.read_text())))
    for name, places in present.items():
        if name not in record:
            wrong.append(f"{places[0][0]}: '{name}' was never measured: tools/figures.py --corpus CORPUS")
            continue
        entry = record[name]
        for place, found in places:
            if not found or digest(found[2]) != entry["text"]:
                wrong.append(f"{place}: '{name}' was edited by hand: tools/figures.py --corpus CORPUS {entry['table']}")
        for scene, count in entry["counts"].items():
            change = now.get(scene, math.inf) / count - 1
            if abs(change) > MOVED:
                wrong.append(f"'{name}' is stale: {scene} moved by {100 * change:+.1f} % since {entry['commit']}: "
                             f"tools/figures.py --corpus CORPUS {entry['table']}")
                break
    wrong += [f"no document shows '{name}' any more: remove it from {RECORD.name}" for name in record if name not in present]
    for line in wrong:
        print(line)
    print(f"{len(present)} tables, {len(wrong)} to renew")
    return 1 if wrong else 0


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("names", nargs="*", choices=[[], *TABLES], metavar="NAME", help=", ".join(TABLES))
    ap.add_argument("--corpus", type=pathlib.Path)
    ap.add_argument("--check", action="store_true")
    ap.add_argument("--list", action="store_true")
    a = ap.parse_args()
    if a.check:
        return check()
    if a.list:
        for name, (_, sources) in TABLES.items():
            print(f"{name:12s} depends on {', '.join(sources)}")
        return 0
    if not a.corpus:
        ap.error("--corpus CORPUS is needed to measure")
    write(a.names or list(TABLES), a.corpus.resolve())
    return 0


if __name__ == "__main__":
    sys.exit(main())

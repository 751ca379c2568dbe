"""A farm of random models, call sequences, damaged files and hostile states, against MuJoCo 3.4.0.

    python tools/farm models 1000                 # a thousand new models, compared stage by stage
    python tools/farm models 50 --from 0          # seeds 0 to 49
    python tools/farm show 1234                   # one seed, with what differs
    python tools/farm judge MODEL.xml             # the same for a file
    python tools/farm shrink 1234                 # the smallest model that still differs in the same stage
    python tools/farm sequences 1000              # calls in any order
    python tools/farm files 1000                  # damaged files of every format
    python tools/farm states 1000                 # steps from states that are not a number, huge or hostile
    python tools/farm soak 3600 [FOLDER...]       # an hour of models with faults: bad numbers, resets, bad worlds

Every run ends with totals, and --log appends them to conformance/farm.txt. Cases with a finding are kept in target/farm.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import time

import shrink
from case import Case
from workers import Worker

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOUND = ROOT / "target" / "farm"
LOG = ROOT / "conformance" / "farm.txt"
STAGES = "compile smooth contact rows solve default sensor inverse traj".split()
# What MuJoCo refuses by mistake, and we accept: docs/compatibility.md has each.
REPAIRED = re.compile("|".join([
    "equality does not yet support sleeping", "not found in bodypair", "unknown body '.*' in flex", "of (sensorized )?object",
    "not supported by RK4", "pre and post-count of B_rownnz",
]))
SLOW, LARGE = 10, 2048
CLEAR = "\r\033[K" if sys.stderr.isatty() else ""


def bar(done, total, start, note):
    if not sys.stderr.isatty():
        if done == total or done % 100 == 0:
            print(f"{done}/{total} {note}", file=sys.stderr, flush=True)
        return
    width = 30
    filled = width * done // max(1, total)
    left = (time.time() - start) * (total - done) / max(1, done)
    print(f"\r[{'#' * filled}{'.' * (width - filled)}] {done}/{total} {left / 60:.0f} min left  {note}\033[K", end="" if done < total else "\n", file=sys.stderr, flush=True)


def models_verdict(worker, job):
    """One model: an outcome in a word, and the details."""
    result = worker.run(job)
    if "mujoco fails" in result or "died" in result and result["while"].startswith("mujoco"):
        own = worker.run({**job, "alone": True})
        if "died" in own or "fault" in own:
            return "finding", own
        return "MuJoCo fails", {**own, **result}
    if "died" in result or "fault" in result:
        return "finding", result
    refused = ["mujoco refuses" in result, "corten refuses" in result]
    if all(refused):
        return "both refuse", result
    if refused[0] and REPAIRED.search(result["mujoco refuses"]):
        return "MuJoCo fails", result
    if any(refused):
        return "only MuJoCo refuses" if refused[0] else "only we refuse", result
    if result["seconds"] > SLOW or result["memory"] > LARGE:
        return "finding", {"limits": [result["seconds"], result["memory"]], **result}
    if result["open"]:
        return "differs", result
    return ("undetermined" if result["bad"] else "equal"), result


def suspicious(outcome):
    return outcome in ("finding", "differs", "only MuJoCo refuses", "only we refuse")


def run_models(arguments):
    first = arguments.first if arguments.first is not None else int(time.time()) % 10**8 * 10
    worker, counts, stages = Worker(), collections.Counter(), collections.Counter()
    open_stages, start = collections.Counter(), time.time()
    for k in range(arguments.count):
        job = {"module": "models", "seed": first + k}
        outcome, result = models_verdict(worker, job)
        if suspicious(outcome):
            # MuJoCo may have damaged the process in an earlier case.
            worker.stop()
            outcome, result = models_verdict(worker, job)
        counts[outcome] += 1
        stages.update(result.get("bad", {}).keys())
        open_stages.update(result.get("open", {}).keys())
        if suspicious(outcome):
            import generate

            folder = FOUND / str(first + k)
            generate.model(first + k).save(folder)
            (folder / "report.json").write_text(json.dumps({"outcome": outcome, **result}, indent=1))
            words = result.get("open") or {n: v for n, v in result.items() if n not in ("bad", "open")}
            print(f"{CLEAR}{first + k}: {outcome} {json.dumps(words)[:200]}", flush=True)
        bar(k + 1, arguments.count, start, " ".join(f"{n} {c}" for n, c in counts.most_common()))
    worker.stop()
    both = counts["equal"] + counts["undetermined"] + counts["differs"]
    lines = [f"models, seeds {first} to {first + arguments.count - 1}: " + ", ".join(f"{c} {n}" for n, c in counts.most_common())]
    lines.append("  equal by stage: " + " ".join(f"{s} {both - stages[s]}/{both}" for s in STAGES))
    lines.append("  equal or undetermined: " + " ".join(f"{s} {both - open_stages[s]}/{both}" for s in STAGES))
    return lines, not any(counts[o] for o in ("finding", "differs", "only we refuse", "only MuJoCo refuses"))


def run_batches(module, size):
    """Runs jobs of `size` cases; a job in which the process ends counts as a finding, and the farm goes on after the case."""

    def run(arguments):
        first = arguments.first if arguments.first is not None else int(time.time()) % 10**8 * 10
        worker, counts, start, seed = Worker(), collections.Counter(), time.time(), first
        end = first + arguments.count
        while seed < end:
            job = {"module": module, "seed": seed, "count": min(size, end - seed)}
            result = worker.run(job, seconds=300)
            for line in result.get("found", []) + ([result["fault"]] if "fault" in result else []):
                counts["findings"] += 1
                print(f"{CLEAR}{line}", flush=True)
            seed += job["count"]
            if "died" in result:
                counts["findings"] += 1
                print(f"{CLEAR}{result['died']} in {result['while']}", flush=True)
                numbers = [int(w) for w in result["while"].split() if w.isdigit()]
                seed = numbers[0] + 1 if numbers else seed
            counts["loaded"] += result.get("loaded", 0)
            bar(seed - first, arguments.count, start, " ".join(f"{n} {c}" for n, c in counts.items() if c))
        worker.stop()
        words = ", ".join([f"{counts['findings']} findings"] + [f"{counts['loaded']} loaded"] * (module == "files"))
        return [f"{arguments.kind}, seeds {first} to {end - 1}: {words}"], not counts["findings"]

    return run


def run_soak(arguments):
    worker, seed = Worker(), int(time.time())
    job = {"module": "soak", "seconds": arguments.seconds, "seed": seed, "folders": [str(pathlib.Path(f).resolve()) for f in arguments.folders]}
    result = worker.run(job, seconds=2 * arguments.seconds + 600)
    worker.stop()
    found = result.get("found", []) + [str(result)] * ("found" not in result)
    print("".join(f"{line}\n" for line in found), end="")
    words = f"{len(found)} findings, {result.get('rounds')} rounds, {result.get('memory')} MB after the first and at the end"
    return [f"soak, seed {seed}, {arguments.seconds} s: {words}"], not found


def show(arguments):
    job = {"module": "models", "states": 3, **place(arguments.case)}
    worker = Worker()
    outcome, result = models_verdict(worker, job)
    worker.stop()
    print(outcome)
    print(json.dumps(result, indent=1))


def place(word):
    return {"path": str(pathlib.Path(word).resolve())} if "." in word or "/" in word else {"seed": int(word)}


def run_shrink(arguments):
    import models

    case = models.case_of(place(arguments.case))
    worker, folder = Worker(), FOUND / "shrinking"

    def verdict(candidate):
        path = candidate.save(folder)
        outcome, result = models_verdict(worker, {"module": "models", "path": str(path)})
        return outcome, tuple(result.get("open", {})), result

    outcome, stages, result = verdict(case)
    print(outcome, stages)
    if not suspicious(outcome):
        return
    # The first stage that differs is the cause of the others.
    same = lambda c: (lambda v: v[0] == outcome and v[1][:1] == stages[:1])(verdict(c))
    small = shrink.shrink(case, same, lambda size: bar(0, size, time.time(), f"{size} elements and attributes left"))
    name = pathlib.Path(arguments.case).stem if "/" in arguments.case else arguments.case
    print(small.save(FOUND / f"small-{name}"))
    worker.stop()


def commit():
    words = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"]
    return subprocess.run(words, capture_output=True, text=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(prog="farm", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    kinds = [("models", run_models), ("sequences", run_batches("sequences", 100)), ("files", run_batches("files", 200)),
             ("states", run_batches("hostile", 100))]
    for name, call in kinds:
        p = commands.add_parser(name)
        p.set_defaults(kind=name)
        p.add_argument("count", type=int)
        p.add_argument("--from", dest="first", type=int, help="the first seed; by default a new one")
        p.add_argument("--log", action="store_true", help="append the totals to conformance/farm.txt")
        p.set_defaults(call=call)
    p = commands.add_parser("soak")
    p.add_argument("seconds", type=int)
    p.add_argument("folders", nargs="*")
    p.add_argument("--log", action="store_true")
    p.set_defaults(call=run_soak)
    for name, call in [("show", show), ("judge", show), ("shrink", run_shrink)]:
        p = commands.add_parser(name)
        p.add_argument("case", help="a seed or a model file")
        p.set_defaults(call=call, log=False)
    arguments = parser.parse_args()
    outcome = arguments.call(arguments)
    if outcome is None:
        return
    lines, good = outcome
    print("\n".join(lines))
    if arguments.log:
        with open(LOG, "a") as log:
            log.write("\n".join([f"{time.strftime('%Y-%m-%d')} {commit()} {lines[0]}", *lines[1:]]) + "\n")
    sys.exit(0 if good else 1)


main()

#!/usr/bin/env python3
"""Conformance with MuJoCo 3.4.0 on a corpus of models, against a recorded baseline that may only rise.

    tools/conformance.py CORPUS ORACLE            # compare with conformance/baseline.json, fail on any loss
    tools/conformance.py CORPUS ORACLE --update   # record gains (never losses) in the baseline

CORPUS is a folder with MODELS.txt, ORACLE the path of compare.py. The baseline lists, per model, the
stages that are equal to MuJoCo's. Models run in small batches in separate processes, so that a crash or
a hang costs one model and is reported as such.
"""
import argparse, concurrent.futures, json, os, pathlib, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BASELINE = ROOT / "conformance" / "baseline.json"
STAGES = "compile smooth contact rows solve default sensor inverse traj".split()
SECONDS_PER_MODEL = 120


def rigid_models(corpus):
    rows = [l.split() for l in open(corpus / "MODELS.txt") if l.strip()]
    return [r[0] for r in rows if "nflex=0" in r and "nplugin=0" in r]


def run_batch(oracle, corpus, models):
    """Stages passed per model; on a crash or time-out, bisects down to the model that caused it."""
    with tempfile.TemporaryDirectory() as tmp:
        out = pathlib.Path(tmp) / "out.json"
        command = [sys.executable, str(oracle), "--json", str(out)] + [str(corpus / m) for m in models]
        env = dict(os.environ, OMP_NUM_THREADS="1")
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_MODEL * len(models), env=env)
            failed = done.returncode != 0 or not out.exists()
            reason = (done.stderr or done.stdout).strip().splitlines()[-1:] or [f"exit {done.returncode}"]
        except subprocess.TimeoutExpired:
            failed, reason = True, ["timed out"]
        if failed and len(models) > 1:
            half = len(models) // 2
            return {**run_batch(oracle, corpus, models[:half]), **run_batch(oracle, corpus, models[half:])}
        if failed:
            print(f"{models[0]}: {reason[0]}", flush=True)
            return {models[0]: dict(ok=[], worst=reason[0])}
        result = json.loads(out.read_text())
    passed = {}
    for model in models:
        r = result.get(str(corpus / model))
        if r is None:
            passed[model] = dict(ok=[], worst="reference failed")
            continue
        worst = {s: f'{r[s]["field"]} {r[s]["worst"]:.0e}' for s in STAGES if not r[s]["ok"]}
        passed[model] = dict(ok=[s for s in STAGES if r[s]["ok"]], worst=r.get("error", worst))
    return passed


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("corpus", type=pathlib.Path)
    ap.add_argument("oracle", type=pathlib.Path)
    ap.add_argument("--update", action="store_true")
    ap.add_argument("--match", default="")
    ap.add_argument("--failures", action="store_true", help="list what differs, per model")
    a = ap.parse_args()
    models = [m for m in rigid_models(a.corpus) if a.match in m]
    batches = [models[i : i + 6] for i in range(0, len(models), 6)]
    result = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for part in pool.map(lambda b: run_batch(a.oracle, a.corpus, b), batches):
            result.update(part)
    n = max(1, len(result))
    for stage in STAGES:
        count = sum(stage in r["ok"] for r in result.values())
        print(f"{stage:8s} {count:4d} of {n}  {100 * count / n:5.1f} %")
    whole = sum(len(r["ok"]) == len(STAGES) for r in result.values())
    print(f"{'all':8s} {whole:4d} of {n}  {100 * whole / n:5.1f} %")
    if a.failures:
        for model, r in sorted(result.items()):
            if len(r["ok"]) < len(STAGES):
                print(f"  {model}: {r['worst']}")

    baseline = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    lost = [(m, s) for m, stages in baseline.items() if m in result for s in stages if s not in result[m]["ok"]]
    if a.update:
        merged = {m: [s for s in STAGES if s in set(baseline.get(m, [])) | set(result.get(m, {}).get("ok", []))]
                  for m in sorted(set(baseline) | set(result))}
        lines = [f"  {json.dumps(m)}: {json.dumps(s)}" for m, s in merged.items()]
        BASELINE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    for model, stage in lost:
        print(f"LOST {stage} of {model}: {result[model]['worst']}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())

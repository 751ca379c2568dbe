#!/usr/bin/env python3
"""Time and memory of loading models cold, compared with MuJoCo.

    tools/load_time.py CORPUS            # the models of CORPUS/BENCH.txt
    tools/load_time.py MODEL.xml ...

Each load is the first one of a fresh process, so that no cache of an earlier load helps. Times are those of
`MjModel.from_xml_path` alone, best of several processes, which alternate between the two engines: elapsed, and of all
threads together, which depends less on what else the machine does. The memory is the peak of the process that loads the
model (`ru_maxrss`), median, and in a second column what it grew by after the import; the code that a load runs for the
first time counts there, of which MuJoCo's import has touched more. Ratios above 1: CortenForge is faster, or smaller.
"""
import argparse, pathlib, statistics, subprocess, sys

CHILD = """
import importlib, resource, sys, time
module = importlib.import_module(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF)
start = time.perf_counter()
model = module.MjModel.from_xml_path(sys.argv[2])
seconds = time.perf_counter() - start
after = resource.getrusage(resource.RUSAGE_SELF)
cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(seconds, cpu, after.ru_maxrss / 1024, (after.ru_maxrss - before.ru_maxrss) / 1024, model.nmesh)
"""


def load(module, model):
    out = subprocess.run([sys.executable, "-W", "ignore", "-c", CHILD, module, str(model)], capture_output=True, text=True)
    if out.returncode:
        raise RuntimeError(next((line for line in out.stderr.splitlines() if "rror" in line), "failed"))
    *numbers, meshes = out.stdout.split()
    return *map(float, numbers), int(meshes)


def bench_models(corpus):
    lines = (line.split() for line in open(corpus / "BENCH.txt"))
    return [corpus / words[0] for words in lines if words and not words[0].startswith("#")]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("paths", nargs="+", type=pathlib.Path, help="a corpus, or models")
    ap.add_argument("--repeat", type=int, default=5)
    ap.add_argument("--ours", default="corten.mujoco", help="module to compare with mujoco")
    args = ap.parse_args()
    models = [m for p in args.paths for m in (bench_models(p) if p.is_dir() else [p])]
    heads = "meshes ms MuJoCo ratio cpu MuJoCo ratio MB MuJoCo ratio grew MuJoCo ratio".split()
    print(f"{'model':<44}", *(f"{h:>7}" for h in heads))
    ratios = {"elapsed": [], "processor": [], "memory": []}
    for model in models:
        try:
            runs = [(load(args.ours, model), load("mujoco", model)) for _ in range(args.repeat)]
        except RuntimeError as error:
            print(f"{str(model)[-44:]:<44} {error}")
            continue
        columns = [f"{runs[0][0][-1]:>7}"]
        for k, (choose, scale) in enumerate([(min, 1e3)] * 2 + [(statistics.median, 1)] * 2):
            ours, theirs = (scale * choose(run[i][k] for run in runs) for i in (0, 1))
            ratio = theirs / max(ours, 0.1)
            if k < len(ratios):
                list(ratios.values())[k].append(ratio)
            columns += [f"{ours:>7.1f}", f"{theirs:>7.1f}", f"{ratio:>7.2f}"]
        print(f"{str(model)[-44:]:<44}", *columns, flush=True)
    for name, found in ratios.items():
        if found:
            worse = sum(r < 1 for r in found)
            print(f"{name}: geometric mean of the ratios {statistics.geometric_mean(found):.2f}; below 1: {worse} of {len(found)}")


if __name__ == "__main__":
    main()

"""The process that runs engines: it may die, hang or fill its memory without harm to the farm.

Takes one job per line on stdin, and answers on the descriptor that its argument names: marks of what it is about to do, then the result.
What engines print is not for anybody.
"""
import importlib
import json
import os
import resource
import sys
import traceback

MEMORY = 6 << 30


def main():
    answers = os.fdopen(int(sys.argv[1]), "w")
    # Of reserved addresses, of which libraries take a gigabyte without using it; what is used is measured apart.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    if "FARM_LOUD" not in os.environ:
        os.dup2(quiet, 2)

    def answer(**fields):
        answers.write(json.dumps(fields, default=float) + "\n")
        answers.flush()

    mark = lambda word: answer(mark=word)
    for line in sys.stdin:
        job = json.loads(line)
        mark("start")
        try:
            result = importlib.import_module(job["module"]).run(job, mark)
        except Exception:
            result = {"fault": traceback.format_exc(limit=-4)}
        answer(result=result)


main()

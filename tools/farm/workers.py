"""Child processes that are replaced when they end or take too long."""
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent


class Worker:
    def __init__(self):
        self.process = None
        self.folder = tempfile.TemporaryDirectory(prefix="corten-farm-")

    def start(self):
        read, write = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "child.py"), str(write)], stdin=subprocess.PIPE, pass_fds=[write], cwd=self.folder.name, text=True,
            env=dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", PYTHONWARNINGS="ignore"))
        os.close(write)
        self.pipe, self.rest = read, b""

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            os.close(self.pipe)
            self.process = None

    def line(self, end):
        """The next answer; None where the process has ended, and "late" where it takes too long."""
        while b"\n" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.pipe], [], [], left)[0]:
                return "late"
            more = os.read(self.pipe, 1 << 20)
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def run(self, job, seconds=120):
        """The job's result; where its process ends or is too slow, {"died": how, "while": its last mark}."""
        if self.process is None or self.process.poll() is not None:
            self.stop()
            self.start()
        end = time.monotonic() + seconds
        doing = "start"
        try:
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        while True:
            answer = self.line(end)
            if answer == "late":
                self.stop()
                return {"died": "timeout", "while": doing}
            if answer is None:
                code = self.process.wait()
                self.stop()
                how = signal.Signals(-code).name if code < 0 else f"exit {code}"
                return {"died": how, "while": doing}
            if "result" in answer:
                return answer["result"]
            doing = answer["mark"]

"""Whether the processor has what the package was compiled for: AVX2 and its companions, as all of x86-64 do since 2013."""
import os, platform, sys

NEEDED = {"avx2", "bmi1", "bmi2", "fma", "movbe", "f16c"}


def missing():
    """What the processor lacks; nothing where that cannot be told."""
    if sys.platform != "linux" or platform.machine() != "x86_64" or "CORTEN_ANY_CPU" in os.environ:
        return set()
    try:
        with open("/proc/cpuinfo") as file:
            first = file.read(8192)
    except OSError:
        return set()
    flags = next((line for line in first.splitlines() if line.startswith("flags")), None)
    return NEEDED - set(flags.split()) if flags else set()


def check():
    if lacks := missing():
        raise ImportError(
            f"this package was compiled for processors with {', '.join(sorted(NEEDED))}, and this one lacks {', '.join(sorted(lacks))}. "
            'Build it here with RUSTFLAGS="-C target-cpu=native" pip install --no-binary corten corten, and set CORTEN_ANY_CPU=1.'
        )

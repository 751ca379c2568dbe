"""Small inputs that ask for much: each gives a typed error or runs, within ten seconds of processor time and two gigabytes.

Each runs in a process of its own, which a failed allocation would end and a hang would keep. Bodies that all touch are in test_limits.py, long
calls in test_interrupt.py, calls after a reset in test_sequences.py.
"""
import os
import subprocess
import sys
import textwrap

import pytest

# Ten seconds, on a machine whose cores have other work to do.
SECONDS, MEGABYTES = 20, 2048

FRAME = """
import time, warnings
warnings.simplefilter("ignore")
import numpy as np
import corten
from corten import mujoco as MJ
from corten.mujoco import rollout
start = time.process_time()
{body}
seconds = time.process_time() - start
# The peak of this process alone: ru_maxrss begins at the parent's.
megabytes = int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) >> 10
assert seconds < {seconds}, f"{{seconds:.1f}} s"
assert megabytes < {megabytes}, f"{{megabytes}} MB"
"""


def run(body, tmp_path, seconds=SECONDS, megabytes=MEGABYTES):
    code = FRAME.format(body=textwrap.dedent(body), seconds=seconds, megabytes=megabytes)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]


def refused(text, word):
    """Python that expects the model to be refused with this word."""
    return f"""
try:
    MJ.MjModel.from_xml_string({text!r})
    raise SystemExit("loaded")
except ValueError as error:
    assert {word!r} in str(error), str(error)[:500]
"""


def test_a_chain_that_overlaps(tmp_path):
    chain = "<body pos='.01 0 0'><joint/><geom size='.1'/>" * 450 + "</body>" * 450
    run(f"""
        m = MJ.MjModel.from_xml_string("<mujoco><worldbody>{chain}</worldbody></mujoco>")
        MJ.mj_step(m, MJ.MjData(m))
        """, tmp_path, seconds=60, megabytes=3000)


DOMINOES = """
<mujoco><option cone="elliptic" impratio="10"><flag sleep="enable"/></option>
<worldbody><geom type="plane" size="2 2 .01" pos="0 0 1e-6"/>
  <body pos="-.1 0 .089" euler="0 7 0"><freejoint/><geom type="box" size=".008 .044 .089" mass=".09"/></body>
  {rows}
</worldbody></mujoco>"""
DOMINO = "<body pos='{} 0 .089' {}><freejoint/><geom type='box' size='.008 .044 .089' mass='.09'/></body>"


def test_half_a_billion_pairs(tmp_path):
    """131,072 dominoes in eight places: refused. Bodies and data alone take 2.1 GB of what is allowed here."""
    rows = f"<replicate count='2' offset='0 -.55 0'><replicate count='65536' euler='0 0 45'>{DOMINO.format(1.5, '')}</replicate></replicate>"
    run(f"""
        m = corten.load_model({DOMINOES.format(rows=rows)!r})
        d = m.make_data()
        try:
            d.step()
            raise SystemExit("stepped")
        except corten.StepError as error:
            assert "bytes" in str(error)
        assert d.time == 0
        """, tmp_path, megabytes=2600)


def test_many_that_sleep(tmp_path):
    """As many, 0.2 m apart and asleep: they load, and a step costs what is awake."""
    row = f"<replicate count='256' offset='.2 0 0'>{DOMINO.format(1, 'sleep=%sinit%s' % (chr(34), chr(34)))}</replicate>"
    rows = f"<replicate count='512' offset='0 .2 0'>{row}</replicate>"
    run(f"""
        m = MJ.MjModel.from_xml_string({DOMINOES.format(rows=rows)!r})
        d = MJ.MjData(m)
        MJ.mj_step(m, d)
        loaded = time.process_time()
        assert d.ntree_awake == 1, d.ntree_awake
        MJ.mj_step(m, d, nstep=20)
        asleep = (time.process_time() - loaded) / 20
        m.opt.enableflags &= ~int(MJ.mjtEnableBit.mjENBL_SLEEP)
        loaded = time.process_time()
        MJ.mj_step(m, d)
        awake = time.process_time() - loaded
        assert asleep < awake / 8, f"{{asleep}} and {{awake}} s per step"
        """, tmp_path, megabytes=3000)


def test_copies_of_copies(tmp_path):
    nested = "<geom size='.1'/>"
    for _ in range(12):
        nested = f"<replicate count='10'>{nested}</replicate>"
    run(refused(f"<mujoco><worldbody>{nested}</worldbody></mujoco>", "elements"), tmp_path, seconds=2, megabytes=400)


@pytest.mark.parametrize("count", [65536, 1_000_000])
def test_one_changed_count(tmp_path, count):
    """A count of a corpus model that became large: it loads or is refused."""
    run(f"""
        text = "<mujoco><worldbody><replicate count='{count}' offset='1 0 0'><body><freejoint/><geom size='.1'/><geom size='.1' pos='.2 0 0'/></body></replicate></worldbody></mujoco>"
        try:
            MJ.MjModel.from_xml_string(text)
        except ValueError as error:
            assert "limit 'elements'" in str(error), error
        """, tmp_path)


def test_attachments_of_attachments(tmp_path):
    for k in range(13):
        inner = "".join(f"<attach model='a' body='z' prefix='p{i}'/>" for i in range(10))
        asset = f"<asset><model name='a' file='y{k + 1}.xml'/></asset>" if k < 12 else ""
        body = f"<body name='z'>{inner if k < 12 else '<geom size=%s/>' % repr('1')}</body>"
        (tmp_path / f"y{k}.xml").write_text(f"<mujoco>{asset}<worldbody>{body}</worldbody></mujoco>")
    run("""
        try:
            MJ.MjModel.from_xml_path("y0.xml")
            raise SystemExit("loaded")
        except ValueError as error:
            assert "limit 'elements'" in str(error), error
        """, tmp_path)


@pytest.mark.parametrize("asset", [
    "<texture name='t' type='2d' builtin='flat' width='26000' height='26000'/>",
    "<hfield name='h' nrow='16384' ncol='16384' size='1 1 1 1'/>",
    "<mesh name='m' builtin='supersphere' params='1400 1 1'/>",
])
def test_numbers_that_are_large(tmp_path, asset):
    run(refused(f"<mujoco><asset>{asset}</asset></mujoco>", "limit"), tmp_path, seconds=2, megabytes=400)


def test_an_image_that_expands(tmp_path):
    """20,000 by 20,000 pixels in two megabytes."""
    run("""
        import struct, zlib
        chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        packer = zlib.compressobj(9)
        row = bytes(1 + 3 * 20000)
        data = b"".join(packer.compress(row) for _ in range(20000)) + packer.flush()
        png = b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 20000, 20000, 8, 2, 0, 0, 0)) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
        start = time.process_time()
        try:
            MJ.MjModel.from_xml_string("<mujoco><asset><texture name='t' type='2d' file='a.png'/></asset></mujoco>", {"a.png": png})
            raise SystemExit("loaded")
        except ValueError as error:
            assert "limit 'image_bytes'" in str(error), error
        """, tmp_path)


def test_worlds_without_end(tmp_path):
    run("""
        m = corten.load_model("<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>")
        for count in (10**12, 2**62):
            try:
                corten.BatchSim(m, count)
                raise SystemExit("made")
            except MemoryError:
                pass
        assert corten.BatchSim(m, 2, threads=10**6).threads == 2
        """, tmp_path)


def test_a_polygon_of_a_million_corners(tmp_path):
    run("""
        obj = b"v 0 0 0\\n" * 4 + b"f " + b"1 " * 1_000_000
        try:
            MJ.MjModel.from_xml_string("<mujoco><asset><mesh name='m' file='a.obj'/></asset></mujoco>", {"a.obj": obj})
        except ValueError:
            pass
        """, tmp_path)


def test_includes_under_many_names(tmp_path):
    for k in range(40):
        lines = "".join(f"<include file='{dots}x{k + 1}.xml'/>" for dots in ("", "./", "././"))
        (tmp_path / f"x{k}.xml").write_text(f"<mujoco>{lines}</mujoco>")
    (tmp_path / "x40.xml").write_text("<mujoco/>")
    run("""
        try:
            MJ.MjModel.from_xml_path("x0.xml")
            raise SystemExit("loaded")
        except ValueError as error:
            assert "included already" in str(error), error
        """, tmp_path)


@pytest.mark.skipif(not os.path.exists("/proc/kmsg"), reason="no such file here")
def test_files_that_block(tmp_path):
    run("""
        assets = ["<mesh name='m' file='/proc/kmsg' content_type='model/obj'/>", "<texture name='t' type='2d' file='/proc/kmsg' content_type='image/png'/>",
                  "<hfield name='h' size='1 1 1 1' file='/proc/kmsg' content_type='image/png'/>"]
        for text in [f"<asset>{a}</asset>" for a in assets] + ["<include file='/proc/kmsg'/>"]:
            try:
                MJ.MjModel.from_xml_string(f"<mujoco>{text}</mujoco>")
                raise SystemExit("loaded")
            except ValueError:
                pass
        """, tmp_path)


STATIC = """
rng = np.random.default_rng(0)
at = lambda: " ".join(f"{x:.3f}" for x in rng.uniform(-20, 20, 3))

def seconds(mj, count):
    geoms = "".join(f"<geom size='.05' pos='{at()}'/>" for _ in range(count))
    text = f"<mujoco><worldbody>{geoms}<body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    start = time.process_time()
    m = mj.MjModel.from_xml_string(text)
    d = mj.MjData(m)
    for _ in range(3):
        mj.mj_step(m, d)
    return time.process_time() - start
"""


def test_a_hundred_thousand_static_geoms(tmp_path):
    """Loaded and stepped."""
    run(STATIC + "seconds(MJ, 100_000)", tmp_path)


def test_static_geoms_beside_mujoco(tmp_path):
    """In MuJoCo's time, which grows with the square of their number."""
    pytest.importorskip("mujoco")
    run(STATIC + "import mujoco\nours, theirs = seconds(MJ, 5_000), seconds(mujoco, 5_000)\nassert ours < theirs, (ours, theirs)", tmp_path)

"""Attributes of every element with valid, odd and invalid values, read by both engines.

MuJoCo's own schema names the elements and attributes; a model that contains nearly all elements has one attribute at
a time replaced. Both engines must refuse it, or compile it to the same arrays. A full sweep (every attribute with every
value) takes minutes: `CORTEN_SWEEP=all pytest test_schema_sweep.py`; otherwise a fixed sample of it runs.

MuJoCo divides by zero or runs without end on some of these models, so it reads them in a process of its own. Where
that process dies, nothing is asked of our side but an answer.
"""
import multiprocessing, os, random, re, warnings
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import corten.mujoco as cm

mujoco = pytest.importorskip("mujoco")

SAMPLE = 600
VALUES = ["inf", "-1", "0", "1", "2", "0.5", "1 2", "2 1", "0 0 0", "1 2 3", ".1 .2 .3 .4", "0 0 0 0", "1 2 3 4 5",
          "1 0 0 0 1 0", "0x10", "1e-400", "1e400", "abc", "", " ", "true", "auto", "2147483648", "1,2", "+1", "1e", "nan"]
# Files, and names that other elements refer to.
SKIPPED = {"name", "class", "childclass", "file", "content_type"}
EXCEPTIONS = {
    # MuJoCo's own checks of consistency fail.
    ("spatial", "armature", "nan"), ("fixed", "armature", "nan"),
    # An empty name means the last body without a name.
    ("adhesion", "body", ""), ("exclude", "body1", ""), ("exclude", "body2", ""), ("connect", "body1", ""),
    ("weld", "body1", ""),
    # Memory that is not enough for MuJoCo to compile with, or more than there is; here it grows with need.
    ("size", "memory", "0"), ("size", "memory", "1"), ("size", "memory", "2"), ("size", "memory", "1e"),
    # It writes past the end of the pixels.
    ("texture", "nchannel", "1"), ("texture", "nchannel", "+1"), ("texture", "nchannel", "2"),
    # Having fused one body, it mistakes the geoms of tendons for others, which it cannot wrap.
    ("compiler", "fusestatic", "true"),
    # No configuration, so that its statistics have no meaning.
    ("joint", "ref", "inf"),
}
# Seconds that MuJoCo may take for a model that takes milliseconds as a rule.
PATIENCE = 20
FIELDS = [name for name in dir(mujoco.MjModel)
          if re.match(r"(actuator|body|cam|dof|eq|exclude|geom|hfield|jnt|key|light|mat|mesh|name|names|numeric|pair|qpos|"
                      r"sensor|site|skin|tendon|text|tex|tuple|wrap|M_|B_|tree_|n[a-z]+$)_?", name)
          and name not in ("narena", "nbuffer")]
# What MuJoCo's package shows as empty whatever the model says.
UNREAD = {"vis.rgba.bv", "vis.rgba.bvactive"}
RECORDS = ("opt", "stat", "vis.global_", "vis.quality", "vis.headlight", "vis.map", "vis.scale", "vis.rgba")

BASE = """<mujoco model="m">
<compiler autolimits="true"><lengthrange mode="muscle"/></compiler>
<option timestep="0.002"><flag gravity="enable"/></option>
<size nkey="1"/>
<visual><global fovy="45"/><quality shadowsize="1024"/><headlight active="1"/><map znear="0.01"/><scale com="1"/><rgba fog="1 1 1 1"/></visual>
<statistic extent="1"/>
<default><mesh scale="1 1 1"/><material emission="0"><layer texture="t1" role="rgb"/></material><joint damping="0"/><geom rgba=".5 .5 .5 1"/><site group="0"/><camera fovy="40"/><light castshadow="true"/><pair condim="3"/><equality active="true"/><tendon group="0"/><general group="0"/>
 <default class="c"><geom density="900"/><motor gear="1"/></default><default class="d"><position kp="1"/></default><default class="e"><velocity kv="1"/></default><default class="f"><intvelocity kp="1" actrange="-1 1"/></default><default class="g"><damper kv="1" ctrlrange="0 1"/></default><default class="h"><cylinder area="1"/></default><default class="i"><muscle force="1"/></default><default class="j"><adhesion gain="1" ctrlrange="0 1"/></default></default>
<custom><numeric name="n" data="1 2"/><text name="x" data="abc"/><tuple name="tu"><element objtype="body" objname="a" prm="1"/></tuple></custom>
<asset>
<mesh name="me" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
<mesh name="mb" builtin="sphere" params="1"/>
<hfield name="hf" nrow="2" ncol="3" size="1 1 1 1" elevation="0 1 2 3 4 5"/>
<texture name="t1" type="2d" builtin="checker" width="4" height="4"/>
<texture name="t2" type="cube" builtin="gradient" width="4" height="4"/>
<material name="ma" texture="t1"/>
<material name="mc"><layer texture="t1" role="rgb"/></material>
</asset>
<worldbody>
 <geom name="gw" type="plane" size="1 1 1"/>
 <light name="li" pos="0 0 3"/><camera name="ca" pos="0 0 2"/>
 <body name="a" pos="0 0 1"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint name="ja" type="hinge" axis="0 1 0"/><geom name="ga" type="box" size=".1 .1 .1"/><site name="sa"/>
  <body name="b" pos="0 0 .5"><joint name="jb" type="hinge" axis="1 0 0" range="-10 10"/><geom name="gb" type="sphere" size=".1" class="c"/><site name="sb" pos=".1 0 0"/></body>
  <frame pos="0 1 0"><body name="c"><joint name="jc" type="ball"/><geom name="gc" type="capsule" fromto="0 0 0 0 0 1" size=".05"/></body></frame>
 </body>
 <body name="fr" pos="2 0 1"><freejoint name="jf"/><geom name="gm" type="mesh" mesh="mb"/></body>
 <body name="fr2" pos="4 0 1"><freejoint name="jf2"/><geom name="gm2" type="cylinder" size=".1 .2"/><site name="sf" type="cylinder" size=".1 .1"/></body>
 <replicate count="2" offset="1 0 0" sep="-"><body name="rb" pos="0 5 0"><geom name="rg" size=".1"/></body></replicate>
 <geom name="gh" type="hfield" hfield="hf" pos="0 0 -5"/>
</worldbody>
<contact><pair name="pa" geom1="ga" geom2="gm"/><exclude name="ex" body1="a" body2="fr"/></contact>
<equality><connect name="e1" body1="a" body2="fr" anchor="0 0 0"/><weld name="e2" body1="a" body2="fr"/><joint name="e3" joint1="ja" joint2="jb"/><tendon name="e4" tendon1="te1" tendon2="te2"/></equality>
<tendon><fixed name="te1"><joint joint="ja" coef="1"/></fixed><spatial name="te2" springlength="0.5" range="0 10"><site site="sa"/><geom geom="gb" sidesite="sb"/><site site="sf"/><pulley divisor="2"/><site site="sa"/><site site="sb"/></spatial></tendon>
<actuator><general name="a1" joint="ja"/><motor name="a2" joint="jb"/><position name="a3" joint="ja" kp="10"/><velocity name="a4" joint="ja" kv="1"/><intvelocity name="a5" joint="ja" kp="1" actrange="-1 1"/><damper name="a6" joint="ja" kv="1" ctrlrange="0 1"/><cylinder name="a7" joint="ja" timeconst="1"/><muscle name="a8" tendon="te1" lengthrange="0.1 1"/><adhesion name="a9" body="fr" gain="1" ctrlrange="0 1"/></actuator>
<sensor><touch name="s0" site="sf"/><accelerometer site="sa"/><velocimeter site="sa"/><gyro site="sa"/><force site="sa"/><torque site="sa"/><magnetometer site="sa"/><rangefinder site="sa"/><camprojection site="sa" camera="ca"/><jointpos joint="ja"/><jointvel joint="ja"/><tendonpos tendon="te1"/><tendonvel tendon="te1"/><actuatorpos actuator="a1"/><actuatorvel actuator="a1"/><actuatorfrc actuator="a1"/><jointactuatorfrc joint="ja"/><tendonactuatorfrc tendon="te1"/><ballquat joint="jc"/><ballangvel joint="jc"/><jointlimitpos joint="jb"/><jointlimitvel joint="jb"/><jointlimitfrc joint="jb"/><tendonlimitpos tendon="te2"/><tendonlimitvel tendon="te2"/><tendonlimitfrc tendon="te2"/><framepos objtype="body" objname="a"/><framequat objtype="body" objname="a"/><framexaxis objtype="body" objname="a"/><framelinvel objtype="body" objname="a"/><subtreecom body="a"/><insidesite site="sf" objtype="body" objname="a"/><distance geom1="ga" geom2="gb" cutoff="1"/><normal geom1="ga" geom2="gb" cutoff="1"/><fromto geom1="ga" geom2="gb" cutoff="1"/><contact geom1="ga"/><e_potential/><e_kinetic/><clock/><user name="su" objtype="body" objname="a" dim="2" datatype="real" needstage="pos"/><tactile geom="gm" mesh="mb"/></sensor>
<keyframe><key name="k0" time="1"/></keyframe>
</mujoco>"""


def schema():
    """{path: attributes}, contents of bodies under `worldbody`."""
    table, stack, current = {}, [], None
    for line in mujoco.mj_printSchema(False, True).splitlines():
        if match := re.match(r"^( *)([\w()]+) \((.)\)(.*)$", line):
            stack[len(match[1]) // 3:] = [match[2]]
            current = "/".join(stack).replace("(world)body", "worldbody")
            table[current] = match[4].split()
        elif current:
            table[current] += line.split()
    return table


def places(root, table):
    """Elements of the model, one of each kind, with the attributes they can have."""
    seen = set()

    def visit(node, path):
        listed = re.sub(r"worldbody(/(body|frame|replicate))*", "worldbody", path) if node.tag not in (
            "body", "frame", "replicate") else path
        kind = (listed, node.get("type"))
        if listed in table and kind not in seen:
            seen.add(kind)
            yield node, listed, [a for a in table[listed] if a not in SKIPPED]
        for child in node:
            yield from visit(child, f"{path}/{child.tag}")

    return list(visit(root, "mujoco"))


def arrays(model):
    """The numbers of a compiled model, by name."""
    found = {name: getattr(model, name, None) for name in FIELDS}
    for path in RECORDS:
        record = model
        for part in path.split("."):
            record = getattr(record, part)
        found |= {f"{path}.{name}": getattr(record, name) for name in dir(record) if not name.startswith("_")}
    numbers = {name: np.array(value) for name, value in found.items() if isinstance(value, (int, float, np.ndarray))}
    return {name: value for name, value in numbers.items() if value.dtype.kind in "fiu" and name not in UNREAD}


def load(module, text):
    """Arrays and no message, or a message."""
    try:
        return arrays(module.MjModel.from_xml_string(text)), ""
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        return None, str(error)


def answer(pipe):
    warnings.simplefilter("ignore")
    while (text := pipe.recv()) is not None:
        pipe.send(load(mujoco, text))


class Reference:
    """MuJoCo in a process that is started again after it died."""

    def __init__(self):
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.join()
        self.process = None

    def load(self, text):
        """As `load`; `None` where MuJoCo gave no answer."""
        if self.process is None:
            spawn = multiprocessing.get_context("spawn")
            self.pipe, theirs = spawn.Pipe()
            self.process = spawn.Process(target=answer, args=(theirs,), daemon=True)
            self.process.start()
            theirs.close()
        try:
            self.pipe.send(text)
            if self.pipe.poll(PATIENCE):
                return self.pipe.recv()
        except (EOFError, OSError):
            pass
        self.stop()
        return None


def differing(a, b):
    """Fields that are not equal to 1e-9, relative to their largest value."""
    found = []
    for field, x in a.items():
        y = b.get(field)
        if y is None or x.shape != y.shape:
            found.append(field)
        elif x.size and np.isfinite(x).all() and not np.all(np.abs(x - y) <= 1e-9 * max(1, np.abs(x).max())):
            found.append(field)
    return found


def cases():
    root = ET.fromstring(BASE)
    everything = [(node, path, attribute, value) for node, path, attributes in places(root, schema())
                  for attribute in attributes for value in VALUES]
    if os.environ.get("CORTEN_SWEEP") != "all":
        everything = random.Random(1).sample(everything, min(SAMPLE, len(everything)))
    return root, everything


def test_every_attribute_is_read_as_mujoco_reads_it():
    root, chosen = cases()
    assert len(chosen) >= SAMPLE
    wrong, accepted = [], 0
    with warnings.catch_warnings(), Reference() as reference:
        warnings.simplefilter("ignore")
        for node, path, attribute, value in chosen:
            before = dict(node.attrib)
            node.set(attribute, value)
            text = ET.tostring(root, encoding="unicode")
            node.attrib.clear()
            node.attrib.update(before)
            if (node.tag, attribute, value) in EXCEPTIONS:
                continue
            (ours, our_error), theirs = load(cm, text), reference.load(text)
            if theirs is None:
                continue
            theirs, their_error = theirs
            if (theirs is None) != (ours is None):
                wrong.append(f"{path}.{attribute}={value!r}: MuJoCo {their_error or 'accepts'}, here {our_error or 'accepted'}")
            elif theirs is not None:
                accepted += 1
                # Statistics of poses that are not numbers are not meaningful.
                if value != "nan" and (fields := differing(theirs, ours)):
                    wrong.append(f"{path}.{attribute}={value!r}: {fields}")
    assert accepted > len(chosen) // 10
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("module", [mujoco, cm])
def test_the_model_of_the_sweep_is_valid(module):
    assert load(module, BASE)[0] is not None

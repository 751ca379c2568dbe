#!/usr/bin/env python3
"""Compiled flexes by MuJoCo 3.4.0: every array of the models in crates/corten-sim/tests/flex, next to them.

    tools/golden_flex.py
"""
import mujoco

import golden

for path in sorted((golden.ROOT / "crates/corten-sim/tests/flex").glob("*.xml")):
    arrays = golden.model_arrays(mujoco.MjModel.from_xml_path(str(path)), "")
    # What drawing needs, and what says where files are.
    arrays = {name: a for name, a in arrays.items() if not name.startswith(("vis.", "tex_", "names_map"))}
    golden.write(path.with_suffix(".cfa"), arrays)

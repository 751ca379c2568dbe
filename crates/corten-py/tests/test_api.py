"""The package's own interface."""
import copy
import pickle
import pathlib

import numpy as np
import pytest

import corten
import corten.mujoco as mj
from scenes import EVERYTHING, PENDULUM


def test_hello():
    model = corten.load_model(PENDULUM)
    data = model.make_data()
    data.joint("hinge").qpos = 1.0
    data.step(10)
    assert data.time == pytest.approx(0.02) and data.qvel[0] != 0
    assert isinstance(model, mj.MjModel) and isinstance(data, mj.MjData)
    assert type(data.model) is corten.Model
    mj.mj_step(model, data)
    corten.step(model, data, 2)
    data.forward()
    data.inverse()


def test_files(tmp_path):
    path = tmp_path / "pendulum.xml"
    path.write_text(PENDULUM)
    assert corten.load_model(path).nv == 1 and corten.load_model(str(path)).nv == 1
    assert mj.MjModel.from_xml_path(str(path)).nv == 1
    included = '<mujoco><include file="part.xml"/></mujoco>'
    assert corten.load_model(included, {"part.xml": PENDULUM.encode()}).nv == 1
    assert mj.MjModel.from_xml_string(included, assets={"part.xml": PENDULUM}).nv == 1
    assert mj.MjModel.from_xml_path("part.xml", {"part.xml": PENDULUM.encode()}).nv == 1
    binary = tmp_path / "pendulum.mjb"
    model = mj.MjModel.from_xml_string(PENDULUM)
    mj.mj_saveModel(model, str(binary))
    assert binary.stat().st_size == mj.mj_sizeModel(model)
    again = mj.MjModel.from_binary_path(str(binary))
    np.testing.assert_array_equal(again.body_mass, model.body_mass)


def test_errors_tell_place_and_advice():
    with pytest.raises(corten.ModelError, match="jiont") as e:
        corten.load_model('<mujoco>\n  <worldbody>\n    <body>\n      <jiont/>\n    </body>\n  </worldbody>\n</mujoco>')
    assert "4" in str(e.value) and "joint" in str(e.value)
    assert issubclass(corten.ModelError, ValueError)
    with pytest.raises(ValueError, match="nowhere.xml"):
        corten.load_model("nowhere.xml")
    with pytest.raises(ValueError):
        mj.MjModel.from_xml_string("<mujoco")
    with pytest.raises(ValueError):
        mj.MjModel.from_xml_string("")


def test_bad_numbers():
    data = corten.load_model(PENDULUM).make_data()
    data.qvel[0] = np.nan
    with pytest.raises(corten.StepError, match="joint 'hinge' of body 'pole'"):
        data.step()
    data.reset()
    data.step()


def test_states():
    model = corten.load_model(EVERYTHING)
    data = model.make_data()
    data.ctrl[:] = 0.5
    data.step(20)
    state = data.save()
    data.step(30)
    end = data.qpos.copy()
    data.restore(state)
    assert data.save() == state
    data.step(30)
    np.testing.assert_array_equal(data.qpos, end)
    other = pickle.loads(pickle.dumps(state))
    fresh = model.make_data()
    fresh.restore(other)
    fresh.step(30)
    np.testing.assert_array_equal(fresh.qpos, end)
    twin = data.copy()
    assert type(twin) is corten.Data and twin.model is model
    assert type(copy.deepcopy(data)) is corten.Data
    data.reset("away")
    assert data.qvel[0] == 1
    data.reset(0)
    assert data.time == 1
    with pytest.raises(KeyError):
        data.reset("elsewhere")


def test_specs(tmp_path):
    spec = mj.MjSpec.from_string(EVERYTHING)
    assert spec.modelname == "everything"
    direct, compiled = mj.MjModel.from_xml_string(EVERYTHING), spec.compile()
    again = mj.MjModel.from_xml_string(spec.to_xml())
    for name in ("body_mass", "body_pos", "geom_size", "jnt_range", "actuator_gainprm", "key_qvel"):
        np.testing.assert_array_equal(getattr(compiled, name), getattr(direct, name), err_msg=name)
        np.testing.assert_allclose(getattr(again, name), getattr(direct, name), atol=1e-6, err_msg=name)
    spec.to_file(str(tmp_path / "out.xml"))
    assert mj.MjSpec.from_file(str(tmp_path / "out.xml")).compile().nv == direct.nv
    assert mj.MjSpec().compile().nbody == 1
    with pytest.raises(ValueError, match="nothing"):
        mj.MjSpec.from_string("<mujoco><nothing/></mujoco>")


def test_stubs_are_complete():
    package = pathlib.Path(corten.__file__).parent
    assert (package / "py.typed").exists()
    stub = (package / "__init__.pyi").read_text()
    for name in corten.__all__:
        assert name in stub, name
    stub = (package / "mujoco" / "__init__.pyi").read_text()
    for name in dir(mj):
        if name.startswith(("mj", "Mj")):
            assert f"{name}" in stub, name
    for name in (*mj.MjModel._array_fields, *mj.MjData._array_fields, *mj.MjModel._size_fields):
        assert f" {name}:" in stub, name

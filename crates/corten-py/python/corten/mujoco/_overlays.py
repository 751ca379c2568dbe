"""Texts, figures and images over a viewer's scene, in the form that its page takes."""
import json

import numpy as np

from .. import mujoco


def texts(given):
    """A tuple (font, gridpos, left, right), or a list of them, with MuJoCo's defaults for None."""
    rows = [given] if isinstance(given, tuple) else list(given)
    font, place = mujoco.mjtFontScale.mjFONTSCALE_150, mujoco.mjtGridPos.mjGRID_TOPLEFT
    return [(int(font if f is None else f), int(place if p is None else p), a or "", b or "") for f, p, a, b in rows]


def rect(viewport):
    return [int(viewport.left), int(viewport.bottom), int(viewport.width), int(viewport.height)]


def figures(given):
    """A tuple (viewport, figure), or a list of them."""
    rows = [given] if isinstance(given, tuple) else list(given)
    return [(rect(viewport), json.dumps(_figure(figure))) for viewport, figure in rows]


def _finite(values):
    return [[float(x), float(y)] for x, y in values if np.isfinite(x) and np.isfinite(y)]


def _figure(figure):
    lines = []
    for i in np.flatnonzero(figure.linepnt > 0):
        points = figure.linedata[i][: 2 * int(figure.linepnt[i])].reshape(-1, 2)
        name = figure.linename[i]
        name = name.decode(errors="replace") if isinstance(name, bytes) else str(name)
        lines.append({"points": _finite(points), "rgb": [float(x) for x in figure.linergb[i]], "name": name if figure.flg_legend else ""})
    array = lambda values: [float(x) for x in np.ravel(values)]
    return {
        "title": str(figure.title), "xlabel": str(figure.xlabel), "barplot": bool(figure.flg_barplot), "extend": bool(figure.flg_extend),
        "linewidth": float(figure.linewidth), "gridwidth": float(figure.gridwidth), "gridsize": [int(n) for n in figure.gridsize],
        "gridrgb": array(figure.gridrgb), "figurergba": array(figure.figurergba), "panergba": array(figure.panergba),
        "textrgb": array(figure.textrgb), "range": [array(row) for row in np.reshape(figure.range, (2, 2))], "lines": lines,
    }


def images(given):
    """A tuple (viewport, image), or a list of them; images have the viewport's size, height × width × 3."""
    rows = [given] if isinstance(given, tuple) else list(given)
    made = []
    for viewport, image in rows:
        image, wanted = np.asarray(image), (viewport.height, viewport.width)
        if image.shape[:2] != wanted:
            raise ValueError(f"Image shape {image.shape[:2]} does not match target shape {wanted}")
        if image.ndim != 3 or image.shape[2] != 3:
            raise ValueError(f"Image has shape {image.shape}, expected {(*wanted, 3)}")
        made.append((rect(viewport), np.ascontiguousarray(image, dtype=np.uint8).ravel()))
    return made

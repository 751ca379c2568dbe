"""Pictures and videos of simulations, which notebooks show."""
import base64
import pathlib
import shutil
import struct
import subprocess
import zlib

import numpy as np

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _rows(pixels):
    return zlib.compress(b"".join(b"\0" + row.tobytes() for row in pixels), 6)


def _header(pixels):
    height, width = pixels.shape[:2]
    return _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))


def _checked(pixels):
    pixels = np.ascontiguousarray(pixels, np.uint8)
    if pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        raise ValueError(f"expected an array of height x width x 3 bytes, got one of shape {pixels.shape}")
    return pixels


class Picture:
    """Colours of pixels, `(height, width, 3)`; a notebook shows it."""

    def __init__(self, pixels):
        self.pixels = _checked(pixels)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.pixels, dtype=dtype)

    def __repr__(self):
        return f"Picture({self.pixels.shape[1]} x {self.pixels.shape[0]})"

    def _repr_png_(self):
        return _SIGNATURE + _header(self.pixels) + _chunk(b"IDAT", _rows(self.pixels)) + _chunk(b"IEND", b"")

    def save(self, path):
        """Writes a PNG file."""
        pathlib.Path(path).write_bytes(self._repr_png_())


class Video:
    """Pictures one after another, `fps` of them per second; a notebook plays it."""

    def __init__(self, frames, fps=30):
        if not fps > 0:
            raise ValueError(f"fps must be positive, got {fps}")
        self.frames = [_checked(frame) for frame in frames]
        if not self.frames:
            raise ValueError("a video needs pictures")
        if len({frame.shape for frame in self.frames}) > 1:
            raise ValueError("the pictures of a video must have the same size")
        self.fps = fps

    def __repr__(self):
        height, width = self.frames[0].shape[:2]
        return f"Video({len(self.frames)} pictures of {width} x {height}, {self.fps} per second)"

    def to_apng(self):
        """The video as an animated PNG, which browsers play."""
        height, width = self.frames[0].shape[:2]
        delay = max(1, round(1000 / self.fps))
        out = [_SIGNATURE, _header(self.frames[0]), _chunk(b"acTL", struct.pack(">II", len(self.frames), 0))]
        number = 0
        for i, frame in enumerate(self.frames):
            control = struct.pack(">IIIIIHHBB", number, width, height, 0, 0, delay, 1000, 0, 0)
            out.append(_chunk(b"fcTL", control))
            number += 1
            if i == 0:
                out.append(_chunk(b"IDAT", _rows(frame)))
            else:
                out.append(_chunk(b"fdAT", struct.pack(">I", number) + _rows(frame)))
                number += 1
        out.append(_chunk(b"IEND", b""))
        return b"".join(out)

    def _repr_html_(self):
        return f'<img src="data:image/png;base64,{base64.b64encode(self.to_apng()).decode()}">'

    def save(self, path):
        """Writes `.png` or `.apng`, or, where ffmpeg is installed, `.gif`, `.mp4` or `.webm`."""
        path = pathlib.Path(path)
        if path.suffix.lower() in (".png", ".apng"):
            path.write_bytes(self.to_apng())
            return
        if path.suffix.lower() not in (".gif", ".mp4", ".webm"):
            raise ValueError(f"{path}: expected a name that ends in .png, .apng, .gif, .mp4 or .webm")
        if shutil.which("ffmpeg") is None:
            raise RuntimeError(f"{path.suffix} needs the program ffmpeg, which is not installed: write .png instead")
        height, width = self.frames[0].shape[:2]
        command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
                   "-r", str(self.fps), "-i", "-"]
        if path.suffix.lower() != ".gif":
            command += ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"]
        pixels = b"".join(frame.tobytes() for frame in self.frames)
        subprocess.run([*command, str(path)], input=pixels, check=True)


def _renderer(model, width, height):
    from . import mujoco
    limits = model.vis.global_
    limits.offwidth, limits.offheight = max(width, limits.offwidth), max(height, limits.offheight)
    return mujoco.Renderer(model, height, width)


def picture(model, data, *, camera=-1, width=640, height=480):
    """A picture of a state."""
    with _renderer(model, width, height) as renderer:
        renderer.update_scene(data, camera)
        return Picture(renderer.render())


def render_worlds(batch, worlds, width, height, camera):
    """Pictures of worlds of a batch, `(number, height, width, 3)`."""
    from . import mujoco
    chosen = np.arange(len(batch))[slice(None) if worlds is None else worlds]
    chosen = np.atleast_1d(chosen)
    out = np.empty((len(chosen), height, width, 3), np.uint8)
    differ = bool(batch.parameter_names())
    renderer = None
    try:
        for i, world in enumerate(chosen):
            if renderer is None or differ:
                if renderer is not None:
                    renderer.close()
                model = batch.model_of(int(world))
                data = mujoco.MjData(model)
                renderer = _renderer(model, width, height)
            for name in ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat"):
                values = batch.__dict__.get(name)
                if values is not None and values[world].size:
                    getattr(data, name)[:] = values[world].reshape(getattr(data, name).shape)
            data.time = float(np.ravel(batch.time[world])[0])
            mujoco.mj_forward(model, data)
            renderer.update_scene(data, camera)
            renderer.render(out=out[i])
    finally:
        if renderer is not None:
            renderer.close()
    return out

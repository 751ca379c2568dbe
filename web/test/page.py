"""The live page in a browser: run by tools/test_page.

Starts `corten view` on models and does what a user does: looks, plays, moves a slider, drags a body,
reloads, takes screenshots; and what others may try: no token, another origin, a busy port. Of a robot of
a corpus (`--robot MODEL`), a joint at rest must follow the slider of its actuator.
"""
import pathlib, re, subprocess, sys, time, urllib.error, urllib.request

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VIEWPORT = {"width": 1280, "height": 800}
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


def serve(corten, model, *more):
    process = subprocess.Popen([corten, "view", str(model), *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    found = re.search(r"http://\S+", line)
    if not found:
        raise SystemExit(f"corten view said {line!r} {process.stderr.read()!r}")
    return process, found.group()


def status(url, headers={}):
    try:
        return urllib.request.urlopen(urllib.request.Request(url, headers=headers)).status
    except urllib.error.HTTPError as error:
        return error.code


def state(page, what):
    return page.evaluate(f"corten.state.{what}")


def settle(page, condition, seconds=60):
    """Waits for a condition; asked from outside, since the page's policy allows it no `eval`."""
    end = time.monotonic() + seconds
    while not page.evaluate(f"Boolean({condition})"):
        assert time.monotonic() < end, f"not within {seconds} s: {condition}"
        time.sleep(0.05)


def colors(page):
    """How many different colours the picture has, on a coarse grid."""
    return page.evaluate("""() => {
        const canvas = document.getElementById('canvas'), pen = document.createElement('canvas').getContext('2d');
        pen.canvas.width = 64; pen.canvas.height = 48;
        corten.picture.render(corten.eye.camera);
        pen.drawImage(canvas, 0, 0, 64, 48);
        const d = pen.getImageData(0, 0, 64, 48).data, seen = new Set();
        for (let i = 0; i < d.length; i += 4) seen.add((d[i] >> 4) * 256 + (d[i + 1] >> 4) * 16 + (d[i + 2] >> 4));
        return seen.size;
    }""")


def rest(page, seconds=60):
    """Waits until no joint moves by a hundredth within half a simulated second, and gives their places."""
    end = time.monotonic() + seconds
    before, then = page.evaluate("[[...corten.state.joints], corten.state.time]")
    while time.monotonic() < end:
        time.sleep(0.05)
        joints, now = page.evaluate("[[...corten.state.joints], corten.state.time]")
        if now - then > 0.5:
            if all(abs(a - b) < 0.01 for a, b in zip(joints, before)):
                return joints
            before, then = joints, now
    raise AssertionError(f"the joints do not come to rest within {seconds} s")


def use(page, pictures, name, robot):
    """Play, slider, plot, drag, reload."""
    settle(page, "globalThis.corten?.frames > 0")
    assert colors(page) > 20, "the picture is blank"
    page.screenshot(path=pictures / f"{name}-start.png")
    assert (pictures / f"{name}-start.png").stat().st_size > 10_000, "the screenshot is blank"

    page.click("#play")
    settle(page, "corten.state.playing && corten.state.time > 0.2")
    settle(page, "corten.panels.energy.length > 5")
    if state(page, "ctrl.length"):
        slider = page.locator("#right .slider input").first
        before = rest(page) if robot else page.evaluate("[...corten.state.joints]")
        slider.evaluate("(s) => { s.value = s.max; s.dispatchEvent(new Event('input')); }")
        settle(page, "Math.abs(corten.state.ctrl[0] - corten.model.actuators[0].range[1]) < 0.01 * (1 + Math.abs(corten.state.ctrl[0]))")
        least = 0.1 if robot else 1e-3
        settle(page, f"{before}.some((q, i) => Math.abs(corten.state.joints[i] - q) > {least})")
    grown = page.evaluate("corten.panels.energy.length")
    settle(page, f"corten.panels.energy.length > {grown}")

    # Drag a body: select it by name, then with Ctrl and the right button.
    page.keyboard.press("Space")
    settle(page, "!corten.state.playing")
    page.evaluate("corten.send({ do: 'select_body', id: 1 })")
    settle(page, "corten.state.selection?.body === 1")
    page.keyboard.press("Space")
    box = page.locator("#canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.keyboard.down("Control")
    page.mouse.move(x, y)
    page.mouse.down(button="right")
    page.mouse.move(x + 60, y - 120, steps=6)
    settle(page, "corten.state.selection?.active === 1 && Math.hypot(...corten.state.selection.force.slice(0, 3)) > 0")
    page.screenshot(path=pictures / f"{name}-drag.png")
    page.mouse.up(button="right")
    page.keyboard.up("Control")
    settle(page, "corten.state.selection?.active === 0")

    # Switches live, and a reload that keeps the state.
    page.keyboard.press("c")
    settle(page, "corten.state.opt.vis[14] === 1")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 80, y, steps=4)
    page.mouse.up()
    azimuth, time_before = page.evaluate("corten.eye.azimuth"), state(page, "time")
    page.reload()
    settle(page, "globalThis.corten?.frames > 0")
    assert state(page, "opt.vis[14]") == 1 and state(page, "time") >= time_before
    assert abs(page.evaluate("corten.eye.azimuth") - azimuth) < 1e-9
    page.keyboard.press("Space")
    settle(page, "!corten.state.playing")
    page.keyboard.press("Backspace")
    settle(page, "corten.state.time === 0")
    page.keyboard.press("ArrowRight")
    settle(page, "corten.state.time > 0")
    page.keyboard.press("ArrowLeft")
    settle(page, "corten.state.time === 0")
    page.screenshot(path=pictures / f"{name}-reload.png")


def scrub(browser, corten, model, pictures):
    """A recording: its slider shows its states."""
    record = pictures / "recording.npz"
    subprocess.run([corten, "run", model, "--time", "0.5", "--record", record, "--no-picture"], check=True, capture_output=True)
    process, url = serve(corten, record)
    try:
        page = browser.new_page(viewport=VIEWPORT)
        page.goto(url)
        settle(page, "globalThis.corten?.frames > 0 && corten.state.film")
        page.locator("#film").evaluate("(s) => { s.value = s.max; s.dispatchEvent(new Event('input')); }")
        settle(page, "corten.state.film.at === corten.state.film.count - 1 && corten.state.time > 0.49")
        page.close()
    finally:
        process.send_signal(2)
        process.wait(60)


def passive(browser, model, pictures):
    """The viewer of Python: what it shows over the scene."""
    code = """
import sys, numpy, corten.mujoco as mujoco
from corten import viewer
m = mujoco.MjModel.from_xml_path(sys.argv[1]); d = mujoco.MjData(m)
with viewer.launch_passive(m, d, browser=False) as v:
    v.set_texts((None, mujoco.mjtGridPos.mjGRID_TOPLEFT, "time\\nheight", "1.0\\n2.0"))
    figure = mujoco.MjvFigure(); figure.title = "a sine"; figure.flg_extend = 1
    x = numpy.linspace(0, 6, 100); figure.linepnt[0] = 100
    figure.linedata[0][:200] = numpy.stack([x, numpy.sin(x)], 1).ravel()
    v.set_figures((mujoco.MjrRect(300, 120, 280, 160), figure))
    v.set_images((mujoco.MjrRect(620, 120, 64, 48), numpy.full((48, 64, 3), (255, 128, 0), numpy.uint8)))
    while v.is_running():
        mujoco.mj_step(m, d); v.sync()
"""
    process = subprocess.Popen([sys.executable, "-c", code, str(model)], stdout=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://\S+", process.stdout.readline()).group()
        page = browser.new_page(viewport=VIEWPORT)
        page.goto(url)
        settle(page, "globalThis.corten?.frames > 1 && document.querySelectorAll('canvas.overlay').length === 2")
        page.screenshot(path=pictures / "overlays.png")
        page.keyboard.press("Control+q")
        process.wait(60)
        page.close()
    finally:
        process.kill()


def rate(browser, corten, pictures):
    """A scene of 100 bodies: frames that the server sends, the page's own work per frame, what it draws.

    What is drawn, and how long the page waits for it, depends on the graphics card, here a simulated one: figures, no test."""
    shapes = ['sphere" size=".08', 'box" size=".08 .06 .05', 'capsule" size=".05 .08', 'cylinder" size=".06 .07']
    place = lambda i: f"{i % 10 * 0.3 - 1.35} {i // 10 * 0.3 - 1.35} {0.3 + i % 7 * 0.1}"
    bodies = "".join(f'<body pos="{place(i)}"><freejoint/><geom type="{shapes[i % 4]}" rgba="{i % 5 / 4} .5 {i % 3 / 2} 1"/></body>'
                     for i in range(100))
    model = pictures / "hundred.xml"
    model.write_text(f'<mujoco model="hundred"><worldbody><light pos="0 0 4" castshadow="true"/>'
                     f'<geom type="plane" size="3 3 .1"/>{bodies}</worldbody></mujoco>')
    process, url = serve(corten, model, "--play")
    try:
        page = browser.new_page(viewport={"width": 320, "height": 240})
        page.goto(url + "&left=0&right=0")
        settle(page, "globalThis.corten?.frames > 3")
        count = "[corten.frames, performance.now()]"
        (first, start), _ = page.evaluate(count), time.sleep(5)
        last, end = page.evaluate(count)
        drawn, busy = 1000 * (last - first) / (end - start), page.evaluate("corten.busy")
        page.goto("about:blank")
        page.goto(url.replace("/?", "/asset/mesh/999999?"))
        sent = page.evaluate("""(token) => new Promise((done) => {
            const socket = new WebSocket(`ws://${location.host}/ws?token=${token}`);
            socket.binaryType = "arraybuffer";
            let count = 0, start;
            socket.onmessage = ({ data }) => {
                if (typeof data === "string") return;
                start ??= performance.now();
                socket.send("next");
                count += 1;
                const seconds = (performance.now() - start) / 1000;
                if (seconds > 4) { socket.close(); done(count / seconds); }
            };
        })""", re.search(r"token=(\w+)", url).group(1))
        page.close()
    finally:
        process.send_signal(2)
        process.wait(60)
    print(f"100 bodies: the server sends {sent:.0f} frames per second, the page works {busy:.1f} ms on each, "
          f"and draws {drawn:.0f} per second without a graphics card", flush=True)


def keep_out(url):
    """No token, a wrong one, pages of other origins."""
    bare = url.split("?")[0]
    assert status(url) == 200
    assert status(bare) == 403 and status(bare + "?token=0") == 403
    assert status(url, {"Origin": "http://evil.example"}) == 403
    assert status(url, {"Host": "evil.example"}) == 403
    assert status(url.replace("/?", "/asset/mesh/999999?")) == 404


def main():
    corten, pictures = sys.argv[1], pathlib.Path(sys.argv[2])
    robots = [name for flag, name in zip(sys.argv[3:], sys.argv[4:]) if flag == "--robot"]
    models = [name for name in sys.argv[3:] if name != "--robot"]
    pictures.mkdir(parents=True, exist_ok=True)
    chromium = "/usr/bin/chromium"
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=FLAGS)
        for model in models:
            process, url = serve(corten, model)
            try:
                keep_out(url)
                port = url.split(":")[2].split("/")[0]
                busy = subprocess.run([corten, "view", model, "--port", port], capture_output=True, text=True, timeout=60)
                assert busy.returncode != 0 and "in use" in busy.stderr, busy
                page = browser.new_page(viewport=VIEWPORT)
                problems = []
                page.set_default_timeout(60000)
                page.on("pageerror", lambda error: problems.append(str(error)))
                page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
                page.goto(url)
                use(page, pictures, "-".join(pathlib.Path(model).parts[-2:]).removesuffix(".xml"), model in robots)
                second = browser.new_page()
                second.goto(url)
                settle(second, "globalThis.corten?.frames > 0")
                second.close()
                page.close()
                assert not problems, problems
                time.sleep(0.2)
                assert process.poll() is None, "a closed tab ended the server"
            finally:
                process.send_signal(2)
                process.wait(60)
            print(f"{model}: the page works", flush=True)
        scrub(browser, corten, models[0], pictures)
        print("the recording works", flush=True)
        rate(browser, corten, pictures)
        if subprocess.run([sys.executable, "-c", "from corten import _corten; assert _corten.page_is_built()"], capture_output=True).returncode == 0:
            passive(browser, models[0], pictures)
            print("the viewer of Python works", flush=True)
        else:
            print("the viewer of Python: not tried, the package is not installed with the page", flush=True)
        browser.close()


main()

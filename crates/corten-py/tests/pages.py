"""A page without a browser: the WebSocket that a viewer serves, by the standard library."""
import base64, json, os, socket, struct, urllib.error, urllib.parse, urllib.request


def get(url, **headers):
    """Status and contents of an address."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


class Page:
    """One tab: takes every frame as soon as it has the last."""

    def __init__(self, url, **headers):
        self.url = urllib.parse.urlsplit(url)
        self.socket = socket.create_connection((self.url.hostname, self.url.port), timeout=60)
        lines = {
            "Host": self.url.netloc, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), "Origin": f"http://{self.url.netloc}", **headers}
        request = f"GET /ws?{self.url.query} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items()) + "\r\n"
        self.socket.sendall(request.encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = self.socket.recv(1)
            assert byte, head
            head += byte
        self.status = int(head.split()[1])
        self.model = self.frame = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, do, **what):
        self.write(json.dumps({"do": do, **what}))

    def write(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        self.socket.sendall(b"\x81" + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def _exactly(self, count):
        data = bytearray()
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            assert part, "the server has closed the connection"
            data += part
        return bytes(data)

    def read(self):
        """The next message: text or bytes."""
        first, size = self._exactly(2)
        if size == 126:
            size = struct.unpack(">H", self._exactly(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self._exactly(8))[0]
        data = self._exactly(size)
        return data.decode() if first & 15 == 1 else data

    def until(self, condition=lambda state: True):
        """The first state for which a condition holds, with its frame."""
        while True:
            message = self.read()
            if isinstance(message, bytes):
                self.frame = message
                self.write("next")
                if condition(self.state):
                    return self.state
                continue
            message = json.loads(message)
            if message["kind"] == "model":
                self.model = message["model"]
            elif message["kind"] == "state":
                self.state = message

    def geoms(self):
        """Number of geoms in the last frame."""
        return struct.unpack_from("<I", self.frame)[0]

    def asset(self, kind, index):
        return get(f"http://{self.url.netloc}/asset/{kind}/{index}?{self.url.query}")

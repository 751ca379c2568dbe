// The connection to the server: frames and numbers in, commands out.

const token = new URLSearchParams(location.search).get("token") ?? "";

export async function loadAsset(kind, id, more = "") {
  const answer = await fetch(`asset/${kind}/${id}?token=${token}${more}`);
  if (!answer.ok) throw new Error(`${kind} ${id}: ${answer.status}`);
  return answer.arrayBuffer();
}

export class Connection {
  constructor(handlers) {
    this.handlers = handlers;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws?token=${token}`);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event) => this.receive(event.data);
    socket.onopen = () => this.handlers.online(true);
    socket.onclose = () => {
      this.handlers.online(false);
      setTimeout(() => this.open(), 1000);
    };
    this.socket = socket;
  }

  receive(data) {
    if (typeof data !== "string") return this.handlers.frame(data);
    const message = JSON.parse(data);
    if (message.kind === "model") this.handlers.model(message.model);
    else if (message.kind === "state") this.handlers.state(message);
    else if (message.kind === "error") this.handlers.error(message.text);
  }

  send(command) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  // The last frame is drawn: the next one may come.
  next() {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send("next");
  }
}

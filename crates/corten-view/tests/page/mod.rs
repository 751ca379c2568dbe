//! A page without a browser: HTTP and a WebSocket over a plain socket.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// Where a server is, and its token.
#[derive(Clone)]
pub struct Place {
    pub host: String,
    pub token: String,
}

impl Place {
    pub fn of(url: &str) -> Place {
        let rest = url.strip_prefix("http://").expect("an address");
        let (host, token) = rest.split_once("/?token=").expect("a token");
        Place { host: host.to_owned(), token: token.to_owned() }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).expect("a server");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        stream
    }

    /// Status of a path, with further headers; `Host` is the server's own unless given.
    pub fn status(&self, path: &str, headers: &[(&str, &str)]) -> u16 {
        self.get(path, headers).0
    }

    /// Status and contents.
    pub fn get(&self, path: &str, headers: &[(&str, &str)]) -> (u16, Vec<u8>) {
        let mut stream = self.connect();
        let host = headers.iter().find(|h| h.0 == "Host").map_or(self.host.as_str(), |h| h.1);
        let mut request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
        for (name, value) in headers.iter().filter(|h| h.0 != "Host") {
            request += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{request}\r\n").as_bytes()).expect("a request");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let end = answer.windows(4).position(|w| w == b"\r\n\r\n").expect("a head");
        (status(&answer), answer.split_off(end + 4))
    }
}

fn status(head: &[u8]) -> u16 {
    let text = String::from_utf8_lossy(&head[9..12]);
    text.parse().expect("a status")
}

/// One tab: takes every frame as soon as it has the last.
pub struct Tab {
    stream: TcpStream,
    pub model: Value,
    pub state: Value,
    pub frame: Vec<u8>,
    /// What the server has refused.
    pub errors: Vec<Value>,
}

impl Tab {
    /// Opens it; the status if the server refuses.
    pub fn open(place: &Place, origin: &str) -> Result<Tab, u16> {
        let mut stream = place.connect();
        let Place { host, token } = place;
        let request = format!(
            "GET /ws?token={token} HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\n\
             Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("a request");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("an answer");
            head.push(byte[0]);
        }
        match status(&head) {
            101 => Ok(Tab {
                stream,
                model: Value::Null,
                state: Value::Null,
                frame: Vec::new(),
                errors: Vec::new(),
            }),
            other => Err(other),
        }
    }

    /// Opens it as the server's own page does, and waits for the first frame.
    pub fn new(place: &Place) -> Tab {
        let mut tab = Tab::open(place, &format!("http://{}", place.host)).expect("a socket");
        tab.until(|_| true);
        tab
    }

    pub fn send(&mut self, text: &str) {
        let size = text.len();
        let mut message = vec![0x81];
        if size < 126 {
            message.push(0x80 | size as u8);
        } else if size < 65536 {
            message.push(0xfe);
            message.extend((size as u16).to_be_bytes());
        } else {
            message.push(0xff);
            message.extend((size as u64).to_be_bytes());
        }
        // A mask of zeros changes nothing.
        message.extend([0; 4]);
        message.extend(text.bytes());
        // A server that refuses a message may have closed already.
        let _ = self.stream.write_all(&message);
    }

    /// The next message: its kind and contents; `None` when the server closes.
    fn read(&mut self) -> Option<(u8, Vec<u8>)> {
        let mut head = [0; 2];
        self.stream.read_exact(&mut head).ok()?;
        let mut wide = [0; 8];
        let size = match head[1] {
            126 => {
                self.stream.read_exact(&mut wide[6..]).ok()?;
                u64::from_be_bytes(wide)
            }
            127 => {
                self.stream.read_exact(&mut wide).ok()?;
                u64::from_be_bytes(wide)
            }
            small => small.into(),
        };
        let mut data = vec![0; size as usize];
        self.stream.read_exact(&mut data).ok()?;
        Some((head[0] & 15, data)).filter(|(kind, _)| *kind != 8)
    }

    /// Goes on to the first state for which a condition holds; `false` if the server closes before.
    pub fn comes_to(&mut self, condition: impl Fn(&Value) -> bool) -> bool {
        while let Some((kind, data)) = self.read() {
            if kind == 2 {
                self.frame = data;
                self.send("next");
                if condition(&self.state) {
                    return true;
                }
                continue;
            }
            let message: Value = serde_json::from_slice(&data).expect("JSON");
            match message["kind"].as_str() {
                Some("model") => self.model = message["model"].clone(),
                Some("state") => self.state = message,
                _ => self.errors.push(message["text"].clone()),
            }
        }
        false
    }

    pub fn until(&mut self, condition: impl Fn(&Value) -> bool) {
        assert!(self.comes_to(condition), "the server has closed the connection");
    }
}

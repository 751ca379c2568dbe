//! Who may look: those with the token, from a page of this server.

use std::fmt::Write;

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};

/// The secret in the address of the page.
#[derive(Clone, Debug)]
pub struct Token(String);

impl Token {
    /// 128 bits of the system's randomness.
    pub fn random() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Token(bytes.iter().fold(String::new(), |mut text, byte| {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        })))
    }

    /// As it stands in the address.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Compares in a time that does not tell how much is right.
    pub fn admits(&self, given: &str) -> bool {
        let differences = self.0.bytes().zip(given.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
        given.len() == self.0.len() && differences == 0
    }
}

/// Whether a request comes from a page of this server, or from no page at all.
///
/// A page of another origin has that origin in its header. One that has made a name of its own point
/// here (DNS rebinding) has that name as the host, which is not among the server's.
pub fn is_from_here(headers: &HeaderMap, names: &[String]) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let Some(host) = text(HOST) else { return false };
    let known = names.iter().any(|name| name == host_name(host)) || names.iter().any(|n| n == "*");
    let own = match text(ORIGIN) {
        Some(origin) => origin.split_once("://").is_some_and(|(_, rest)| rest == host),
        None => !headers.contains_key(ORIGIN),
    };
    known && own
}

/// The host without its port.
fn host_name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|c| c.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().expect("a header"));
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().expect("a header"));
        }
        headers
    }

    #[test]
    fn pages_of_other_origins_stay_outside() {
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned(), "[::1]".to_owned()];
        let admits = |host, origin| is_from_here(&headers(host, origin), &names);
        assert!(admits("127.0.0.1:80", Some("http://127.0.0.1:80")));
        assert!(admits("localhost:8080", None));
        assert!(admits("[::1]:8080", Some("http://[::1]:8080")));
        assert!(!admits("127.0.0.1:80", Some("http://evil.example")));
        assert!(!admits("127.0.0.1:80", Some("http://127.0.0.1:81")), "another port");
        assert!(!admits("evil.example:80", Some("http://evil.example:80")), "rebound name");
        assert!(!admits("127.0.0.1:80", Some("null")), "a sandboxed page");
    }

    #[test]
    fn only_the_token_admits() {
        let token = Token::random().expect("randomness");
        assert!(token.admits(token.text()));
        assert_eq!(token.text().len(), 32);
        for wrong in ["", "0", &token.text()[1..], &format!("{}0", token.text())] {
            assert!(!token.admits(wrong));
        }
    }
}

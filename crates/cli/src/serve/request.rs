//! Reads one HTTP request and decides its answer. Only the head matters: a body is never read.

use std::net::SocketAddr;

/// The longest request line, and the longest head: those of browsers have some hundreds of bytes.
const LONGEST_LINE: usize = 8 << 10;
pub const LONGEST_HEAD: usize = 16 << 10;

/// A refused request: the status line's end, with a sentence for the user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    pub status: &'static str,
    pub text: &'static str,
}

const fn refusal(status: &'static str, text: &'static str) -> Refusal {
    Refusal { status, text }
}

pub const TIMEOUT: Refusal = refusal("408 Request Timeout", "the request took too long\n");
const LONG_LINE: Refusal = refusal("414 URI Too Long", "the request line is longer than 8 KiB\n");
const LARGE_HEAD: Refusal =
    refusal("431 Request Header Fields Too Large", "the headers are longer than 16 KiB\n");
const MALFORMED: Refusal = refusal("400 Bad Request", "not an HTTP request\n");
const HOSTS: Refusal = refusal("400 Bad Request", "exactly one Host header is required\n");
const FOREIGN: Refusal = refusal("403 Forbidden", "open 127.0.0.1 or localhost\n");
const METHOD: Refusal = refusal("405 Method Not Allowed", "nothing can be changed here\n");
const VERSION: Refusal = refusal("505 HTTP Version Not Supported", "use HTTP/1.1\n");

/// A request that this server answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    pub path: String,
    /// Whether only the head of the answer is asked for.
    pub head_only: bool,
}

/// Returns the length of the head in the bytes read so far, or `None` if more must be read.
pub fn head_length(bytes: &[u8]) -> Result<Option<usize>, Refusal> {
    let line = bytes.windows(2).position(|end| end == b"\r\n");
    if line.unwrap_or(bytes.len()) > LONGEST_LINE {
        return Err(LONG_LINE);
    }
    match bytes.windows(4).position(|end| end == b"\r\n\r\n") {
        Some(end) if end <= LONGEST_HEAD => Ok(Some(end)),
        None if bytes.len() <= LONGEST_HEAD => Ok(None),
        _ => Err(LARGE_HEAD),
    }
}

/// Parses a head, without its empty line. The `Host` check comes before all that a page could learn from.
pub fn parse_head(head: &[u8], address: SocketAddr) -> Result<Request, Refusal> {
    let text = std::str::from_utf8(head).map_err(|_| MALFORMED)?;
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(MALFORMED);
    };
    if method.is_empty() || !method.bytes().all(is_token) || text.contains('\0') {
        return Err(MALFORMED);
    }
    let mut hosts = Vec::new();
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(MALFORMED)?;
        if name.is_empty() || !name.bytes().all(is_token) || value.contains(['\r', '\n']) {
            return Err(MALFORMED);
        }
        if name.eq_ignore_ascii_case("host") {
            hosts.push(value.trim_matches([' ', '\t']));
        }
    }
    let [host] = hosts[..] else { return Err(HOSTS) };
    if !is_ours(host, address) {
        return Err(FOREIGN);
    }
    match version {
        "HTTP/1.1" | "HTTP/1.0" => {}
        _ if version.starts_with("HTTP/") => return Err(VERSION),
        _ => return Err(MALFORMED),
    }
    // A whole URL there would take the place of the `Host` header.
    if !target.starts_with('/') {
        return Err(MALFORMED);
    }
    let path = target.split('?').next().unwrap_or(target).to_string();
    match method {
        "GET" => Ok(Request { path, head_only: false }),
        "HEAD" => Ok(Request { path, head_only: true }),
        _ => Err(METHOD),
    }
}

/// A character of a method or of a header's name.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Whether a `Host` names the loopback address. A foreign page that resolves to this address names its own host.
fn is_ours(host: &str, address: SocketAddr) -> bool {
    let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
    let is_loopback = name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost");
    is_loopback && port == address.port().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);

    fn status(head: &str) -> &'static str {
        parse_head(head.as_bytes(), ADDRESS).map_or_else(|refusal| refusal.status, |_| "200")
    }

    #[test]
    fn exactly_one_host_of_this_machine_is_accepted() {
        for (host, expected) in [
            ("Host: localhost:8080", "200"),
            ("host:\t127.0.0.1:8080 ", "200"),
            ("HOST: LocalHost:8080", "200"),
            ("X: y", "400 Bad Request"),
            ("Host: localhost:8080\r\nHost: localhost:8080", "400 Bad Request"),
            ("Host : localhost:8080", "400 Bad Request"),
            (" Host: localhost:8080", "400 Bad Request"),
            ("Host: localhost:8080\r\n folded", "400 Bad Request"),
            ("Host: localhost:8080\n\nHost: example.org", "400 Bad Request"),
            ("Host: localhost", "403 Forbidden"),
            ("Host: example.org:8080", "403 Forbidden"),
            ("Host: localhost:8080.example.org", "403 Forbidden"),
            ("Host: 127.0.0.1:80800", "403 Forbidden"),
            ("Host: ", "403 Forbidden"),
        ] {
            assert_eq!(status(&format!("GET / HTTP/1.1\r\n{host}")), expected, "{host:?}");
        }
    }

    #[test]
    fn the_host_is_checked_before_the_method_and_the_path() {
        assert_eq!(status("POST / HTTP/1.1\r\nHost: example.org"), "403 Forbidden");
        assert_eq!(status("GET /none HTTP/1.1\r\nHost: example.org"), "403 Forbidden");
    }

    #[test]
    fn request_lines_are_read_strictly() {
        let host = "\r\nHost: localhost:8080";
        for (line, expected) in [
            ("GET / HTTP/1.0", "200"),
            ("HEAD /run.json?x HTTP/1.1", "200"),
            ("POST / HTTP/1.1", "405 Method Not Allowed"),
            ("get / HTTP/1.1", "405 Method Not Allowed"),
            ("GET / HTTP/2.0", "505 HTTP Version Not Supported"),
            ("GET /", "400 Bad Request"),
            ("GET  / HTTP/1.1", "400 Bad Request"),
            ("GET http://localhost:8080/ HTTP/1.1", "400 Bad Request"),
            ("GET * HTTP/1.1", "400 Bad Request"),
            ("", "400 Bad Request"),
        ] {
            assert_eq!(status(&format!("{line}{host}")), expected, "{line:?}");
        }
        assert_eq!(parse_head(b"GET /\xFF HTTP/1.1\r\nHost: localhost:8080", ADDRESS), Err(MALFORMED));
    }

    #[test]
    fn heads_are_bounded() {
        let long = vec![b'a'; LONGEST_HEAD + 1];
        assert_eq!(head_length(&long), Err(LONG_LINE));
        assert_eq!(head_length(&long[..LONGEST_LINE]), Ok(None));
        assert_eq!(head_length(&[b"GET / HTTP/1.1\r\nX: ", &long[..]].concat()), Err(LARGE_HEAD));
        assert_eq!(head_length(b"GET / HTTP/1.1\r\n"), Ok(None));
        assert_eq!(head_length(b"GET / HTTP/1.1\r\nX: y\r\n\r\nbody"), Ok(Some(20)));
    }
}

//! A page of a run while it lasts, on the loopback address: who asks for it gets it, and nobody can change anything.
//!
//! A thread answers one request after another, each within [`PATIENCE`]. It ends with the process.

use crate::failure::{Failure, Fault};
use meshwright_base::{Code, Diagnostic};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

const TAKEN: Code = Code(722);

/// How long somebody who has connected may take to ask, and to read.
const PATIENCE: Duration = Duration::from_secs(2);

/// The longest request that is read: a browser's has some hundreds of bytes.
const LONGEST: usize = 16 << 10;

/// What is shown at the moment.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    texts: Arc<Mutex<Texts>>,
}

#[derive(Debug, Default)]
struct Texts {
    page: Arc<str>,
    data: Arc<str>,
}

impl Shelf {
    pub fn put(&self, page: &str, data: &str) {
        let texts = Texts { page: page.into(), data: data.into() };
        *self.texts.lock().unwrap_or_else(PoisonError::into_inner) = texts;
    }

    fn get(&self, path: &str) -> Option<(&'static str, Arc<str>)> {
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        match path {
            "/" => Some(("text/html; charset=utf-8", texts.page.clone())),
            "/run.json" => Some(("application/json", texts.data.clone())),
            _ => None,
        }
    }
}

/// Serves what is put on the shelf, at this port, or at a free one for 0. Gives the address.
pub fn serve(port: u16, shelf: &Shelf) -> Result<SocketAddr, Failure> {
    let begun = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|listener| {
        let address = listener.local_addr()?;
        let shelf = shelf.clone();
        let answer =
            move || listener.incoming().flatten().for_each(|asker| drop(answer(asker, address, &shelf)));
        thread::Builder::new().name("serve".into()).spawn(answer)?;
        Ok(address)
    });
    begun.map_err(|error| {
        let message = format!("cannot serve at port {port} of 127.0.0.1: {error}");
        let help = "name another port, or 0 for any that is free";
        Failure::new(Fault::Environment, Diagnostic::error(TAKEN, message).help(help))
    })
}

fn answer(mut asker: TcpStream, address: SocketAddr, shelf: &Shelf) -> io::Result<()> {
    asker.set_read_timeout(Some(PATIENCE))?;
    asker.set_write_timeout(Some(PATIENCE))?;
    let asked = request(&mut asker)?;
    let (status, (kind, text)) = match asked.split(' ').take(2).collect::<Vec<_>>()[..] {
        ["GET", _] if !is_for_us(&asked, address) => {
            ("403 Forbidden", told("ask for 127.0.0.1 or localhost\n"))
        }
        ["GET", path] => match shelf.get(path.split('?').next().unwrap_or(path)) {
            Some(found) => ("200 OK", found),
            None => ("404 Not Found", told("there is / and /run.json\n")),
        },
        _ => ("405 Method Not Allowed", told("nothing can be changed here\n")),
    };
    let length = text.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    );
    asker.write_all(head.as_bytes())?;
    asker.write_all(text.as_bytes())
}

fn told(text: &str) -> (&'static str, Arc<str>) {
    ("text/plain; charset=utf-8", text.into())
}

/// Up to the empty line.
fn request(asker: &mut TcpStream) -> io::Result<String> {
    let (mut bytes, mut some) = (Vec::new(), [0; 1 << 10]);
    while bytes.len() < LONGEST && !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        match asker.read(&mut some)? {
            0 => break,
            read => bytes.extend_from_slice(&some[..read]),
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether the request names the loopback address: a page from elsewhere whose name was made to lead here does not.
fn is_for_us(asked: &str, address: SocketAddr) -> bool {
    let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", address.port()));
    let lines = asked.lines().filter_map(|line| line.split_once(':'));
    let mut named = lines.filter(|(name, _)| name.eq_ignore_ascii_case("host"));
    named.all(|(_, host)| hosts.iter().any(|ours| host.trim() == ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_page_is_read_and_nothing_else() {
        let shelf = Shelf::default();
        let address = serve(0, &shelf).unwrap();
        assert!(address.ip().is_loopback());
        shelf.put("<p>", "{}");
        let host = format!("Host: localhost:{}\r\n\r\n", address.port());
        let get = |path: &str| ask(address, &format!("GET {path} HTTP/1.1\r\n{host}"));
        assert!(
            get("/").starts_with("HTTP/1.1 200 OK\r\n") && get("/").ends_with("\r\n\r\n<p>"),
            "{}",
            get("/")
        );
        assert!(get("/run.json?x").ends_with("\r\n\r\n{}"));
        assert!(get("/../etc/passwd").starts_with("HTTP/1.1 404"));
        assert!(ask(address, &format!("POST / HTTP/1.1\r\n{host}")).starts_with("HTTP/1.1 405"));
        assert!(ask(address, "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n").starts_with("HTTP/1.1 403"));
        assert!(ask(address, "\r\n\r\n").starts_with("HTTP/1.1 405"));
        shelf.put("<q>", "{}");
        assert!(get("/").ends_with("<q>"), "what is newest is shown");
    }

    #[test]
    fn a_taken_port_is_told() {
        let address = serve(0, &Shelf::default()).unwrap();
        let failure = serve(address.port(), &Shelf::default()).unwrap_err();
        assert_eq!(failure.exit_code(), 3);
        let port = format!("port {} of 127.0.0.1", address.port());
        assert!(failure.diagnostics[0].message.contains(&port), "{:?}", failure.diagnostics);
    }
}

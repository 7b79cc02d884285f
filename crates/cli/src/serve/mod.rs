//! A read-only page of a run under way, on the loopback address.
//!
//! A thread answers each connection within [`PATIENCE`], however slowly the client sends or reads. Of more than
//! [`MOST_CLIENTS`] connections the oldest is closed: idle ones never keep the page from others. All threads end with
//! the process.

mod request;

use crate::failure::{Failure, Fault};
use meshwright_base::{Code, Diagnostic};
use request::{LONGEST_HEAD, Refusal, Request, TIMEOUT, head_length, parse_head};
use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const TAKEN: Code = Code(722);

/// The longest time for a whole request, and for a whole answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Connections at a time.
const MOST_CLIENTS: usize = 32;

/// Stack of a connection's thread: it holds one buffer.
const STACK: usize = 256 << 10;

/// Bytes of a refused request that are read and dropped, so that the client gets to read the refusal.
const MOST_DROPPED: usize = 1 << 20;

/// The texts that are served at the moment.
#[derive(Clone, Debug)]
pub struct Shelf {
    texts: Arc<Mutex<Texts>>,
    /// Marks the scripts of the page: a browser runs no others.
    nonce: Arc<str>,
}

#[derive(Debug, Default)]
struct Texts {
    page: Arc<str>,
    data: Arc<str>,
}

impl Default for Shelf {
    fn default() -> Shelf {
        let random = || RandomState::new().hash_one(0);
        let nonce = format!("{:016x}{:016x}", random(), random());
        Shelf { texts: Arc::default(), nonce: nonce.into() }
    }
}

impl Shelf {
    pub fn put(&self, page: &str, data: &str) {
        // Text of users has no `<` on a page.
        let page = page.replace("<script>", &format!("<script nonce=\"{}\">", self.nonce));
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

/// Serves the texts of a shelf at this port, or at a free one for 0. Returns the address.
pub fn serve(port: u16, shelf: &Shelf) -> Result<SocketAddr, Failure> {
    let begun = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|listener| {
        let address = listener.local_addr()?;
        let server = Server { address, shelf: shelf.clone(), clients: Arc::default() };
        let accept = move || listener.incoming().flatten().for_each(|client| drop(server.admit(client)));
        thread::Builder::new().name("serve".into()).spawn(accept)?;
        Ok(address)
    });
    begun.map_err(|error| {
        let message = format!("cannot serve at port {port} of 127.0.0.1: {error}");
        let help = "name another port, or 0 for any that is free";
        Failure::new(Fault::Environment, Diagnostic::error(TAKEN, message).help(help))
    })
}

/// Whether a request would be answered with a text of the shelf, if there is one: for the fuzzer.
#[doc(hidden)]
pub fn accepts(bytes: &[u8], port: u16) -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    matches!(head_length(bytes), Ok(Some(end)) if parse_head(&bytes[..end], address).is_ok())
}

/// Open connections, oldest first.
type Clients = Arc<Mutex<VecDeque<Arc<TcpStream>>>>;

struct Server {
    address: SocketAddr,
    shelf: Shelf,
    clients: Clients,
}

impl Server {
    /// Answers a connection on a thread of its own, and closes the oldest one if there are too many.
    fn admit(&self, client: TcpStream) -> io::Result<()> {
        let client = Arc::new(client);
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MOST_CLIENTS
            && let Some(oldest) = clients.pop_front()
        {
            // Its thread ends at once: it reads or writes no more.
            let _ = oldest.shutdown(Shutdown::Both);
        }
        clients.push_back(client.clone());
        drop(clients);
        let (address, shelf, clients) = (self.address, self.shelf.clone(), self.clients.clone());
        let leave = client.clone();
        let run = move || {
            let _ = answer(&client, address, &shelf);
            let mut clients = clients.lock().unwrap_or_else(PoisonError::into_inner);
            clients.retain(|other| !Arc::ptr_eq(other, &client));
        };
        let begun = thread::Builder::new().name("serve".into()).stack_size(STACK).spawn(run);
        if begun.is_err() {
            let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
            clients.retain(|other| !Arc::ptr_eq(other, &leave));
        }
        begun.map(drop)
    }
}

/// The time that is left until a deadline.
fn time_left(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

fn answer(client: &TcpStream, address: SocketAddr, shelf: &Shelf) -> io::Result<()> {
    let read = read_request(client, address)?;
    let (status, kind, text, head_only) = match &read {
        Ok(Request { path, head_only }) => match shelf.get(path) {
            Some((kind, text)) => ("200 OK", kind, text, *head_only),
            None => ("404 Not Found", PLAIN, "there is / and /run.json\n".into(), *head_only),
        },
        Err(refusal) => (refusal.status, PLAIN, refusal.text.into(), false),
    };
    let mut answer = head(status, kind, text.len(), &shelf.nonce).into_bytes();
    if !head_only {
        answer.extend_from_slice(text.as_bytes());
    }
    write_all(client, &answer)?;
    client.shutdown(Shutdown::Write)?;
    if read.is_err() {
        drop_rest(client)?;
    }
    Ok(())
}

const PLAIN: &str = "text/plain; charset=utf-8";

/// The head of an answer. A browser loads nothing else for the page, runs no script but ours, and shows it in no frame.
fn head(status: &str, kind: &str, length: usize, nonce: &str) -> String {
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; img-src data:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let allow = if status.starts_with("405") { "Allow: GET, HEAD\r\n" } else { "" };
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{allow}\
         Content-Security-Policy: {policy}\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
}

/// Reads a request up to its empty line, within [`PATIENCE`].
fn read_request(mut client: &TcpStream, address: SocketAddr) -> io::Result<Result<Request, Refusal>> {
    let deadline = Instant::now() + PATIENCE;
    let (mut bytes, mut some) = (Vec::with_capacity(1 << 10), [0; 1 << 10]);
    loop {
        match head_length(&bytes) {
            Ok(Some(end)) => return Ok(parse_head(&bytes[..end], address)),
            Ok(None) => {}
            Err(refusal) => return Ok(Err(refusal)),
        }
        let read = time_left(deadline).and_then(|left| {
            client.set_read_timeout(Some(left))?;
            client.read(&mut some)
        });
        match read {
            // A head that ends early is malformed.
            Ok(0) => return Ok(parse_head(&[], address)),
            Ok(read) => bytes.extend_from_slice(&some[..read]),
            Err(error) if is_timeout(&error) => return Ok(Err(TIMEOUT)),
            Err(error) => return Err(error),
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

/// Writes all bytes, within [`PATIENCE`].
fn write_all(mut client: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    while !bytes.is_empty() {
        client.set_write_timeout(Some(time_left(deadline)?))?;
        let written = client.write(bytes)?;
        bytes = bytes.get(written..).filter(|_| written > 0).ok_or(io::ErrorKind::WriteZero)?;
    }
    Ok(())
}

/// Reads on until the client closes: closing with unread bytes would take back the answer.
fn drop_rest(mut client: &TcpStream) -> io::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    let (mut some, mut dropped) = ([0; LONGEST_HEAD], 0);
    while dropped < MOST_DROPPED {
        client.set_read_timeout(Some(time_left(deadline)?))?;
        match client.read(&mut some)? {
            0 => break,
            read => dropped += read,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;

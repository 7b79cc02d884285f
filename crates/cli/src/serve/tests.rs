//! The page over raw sockets: answers, refusals, and slow clients that must not delay others.

use super::*;

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(4 * PATIENCE)).unwrap();
    stream
}

fn ask(address: SocketAddr, request: &str) -> String {
    let mut stream = connect(address);
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

fn serving() -> (Shelf, SocketAddr) {
    let shelf = Shelf::default();
    let address = serve(0, &shelf).unwrap();
    shelf.put("<p><script>1</script>", "{}");
    (shelf, address)
}

fn get(address: SocketAddr, path: &str) -> String {
    ask(address, &format!("GET {path} HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", address.port()))
}

#[test]
fn a_page_is_read_and_nothing_else() {
    let (shelf, address) = serving();
    assert!(address.ip().is_loopback());
    let page = get(address, "/");
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.ends_with("1</script>"), "{page}");
    assert!(get(address, "/run.json?x").ends_with("\r\n\r\n{}"));
    assert!(get(address, "/../etc/passwd").starts_with("HTTP/1.1 404"));
    let host = format!("Host: localhost:{}\r\n\r\n", address.port());
    let refused = ask(address, &format!("POST / HTTP/1.1\r\n{host}"));
    assert!(refused.starts_with("HTTP/1.1 405") && refused.contains("\r\nAllow: GET, HEAD\r\n"), "{refused}");
    assert!(ask(address, "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n").starts_with("HTTP/1.1 403"));
    assert!(ask(address, "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 400"));
    assert!(ask(address, "\r\n\r\n").starts_with("HTTP/1.1 400"));
    shelf.put("<q>", "{}");
    assert!(get(address, "/").ends_with("<q>"), "the newest page is served");
}

#[test]
fn a_head_is_the_same_without_the_page() {
    let (_, address) = serving();
    let host = format!("Host: 127.0.0.1:{}\r\n\r\n", address.port());
    let head = ask(address, &format!("HEAD / HTTP/1.1\r\n{host}"));
    let page = get(address, "/");
    assert!(head.ends_with("\r\n\r\n") && page.starts_with(&head), "{head}\n{page}");
}

#[test]
fn long_requests_are_refused_without_the_page() {
    let (_, address) = serving();
    let long = "a".repeat(1 << 17);
    assert!(ask(address, &format!("GET /{long} HTTP/1.1\r\n\r\n")).starts_with("HTTP/1.1 414"));
    let headers = format!("GET / HTTP/1.1\r\nX: {long}\r\nHost: localhost:{}\r\n\r\n", address.port());
    assert!(ask(address, &headers).starts_with("HTTP/1.1 431"));
}

#[test]
fn a_browser_runs_only_the_scripts_of_the_page() {
    let (shelf, address) = serving();
    let page = get(address, "/");
    assert!(page.contains(&format!("<script nonce=\"{}\">", shelf.nonce)), "{page}");
    for header in [
        &format!("script-src 'nonce-{}'", shelf.nonce),
        "default-src 'none'",
        "frame-ancestors 'none'",
        "\r\nX-Content-Type-Options: nosniff\r\n",
    ] {
        assert!(page.contains(header) && get(address, "/none").contains(header), "{header}\n{page}");
    }
    assert_ne!(shelf.nonce, Shelf::default().nonce);
}

#[test]
fn idle_clients_and_a_slow_one_keep_nobody_waiting() {
    let (_, address) = serving();
    let idle: Vec<TcpStream> = (0..4 * MOST_CLIENTS + 2).map(|_| connect(address)).collect();
    let mut slow = connect(address);
    slow.write_all(b"GET / HT").unwrap();
    let begun = Instant::now();
    assert!(get(address, "/").starts_with("HTTP/1.1 200"));
    assert!(begun.elapsed() < PATIENCE / 2, "{:?}", begun.elapsed());
    drop(idle);
}

#[test]
fn a_whole_request_has_one_deadline() {
    let (_, address) = serving();
    let mut slow = connect(address);
    let begun = Instant::now();
    // A byte at a time, each well within the deadline.
    while begun.elapsed() < 3 * PATIENCE && slow.write_all(b"a").is_ok() {
        let pause = slow.set_read_timeout(Some(PATIENCE / 20));
        let mut answer = [0; 12];
        if pause.is_ok() && slow.read(&mut answer).is_ok_and(|read| read > 0) {
            assert_eq!(&answer, b"HTTP/1.1 408");
            assert!(begun.elapsed() < 2 * PATIENCE);
            return;
        }
    }
    panic!("no answer in {:?}", begun.elapsed());
}

#[test]
fn a_taken_port_is_told() {
    let address = serve(0, &Shelf::default()).unwrap();
    let failure = serve(address.port(), &Shelf::default()).unwrap_err();
    assert_eq!(failure.exit_code(), 3);
    let port = format!("port {} of 127.0.0.1", address.port());
    assert!(failure.diagnostics[0].message.contains(&port), "{:?}", failure.diagnostics);
}

/// Closing with unread bytes resets a connection.
#[test]
fn a_client_that_resets_its_connection_is_an_error() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let client = connect(address);
    let (server, _) = listener.accept().unwrap();
    write_all(&server, b"early").unwrap();
    client.peek(&mut [0]).unwrap();
    drop(client);
    let Err(error) = read_request(&server, address) else { panic!("it was read") };
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
}

//! Who need not wait any more while a device is at work, because somebody asked to stop or another process is lost,
//! does not wait for it: the client is left to the end of the process. So no handles are counted here.

mod support;

use meshwright_interp::{Style, random_inputs};
use meshwright_pjrt::{Client, Job, Peers, PjrtDevices, Token};
use meshwright_runtime::{Devices, LoadOptions, RunErrorKind, interrupt};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use support::{LAYERS, client, parsed, partitioned, placed, placed_on, plugin};

/// One asks all launches of the process to stop.
static BY_TURNS: Mutex<()> = Mutex::new(());

#[test]
fn a_device_that_is_at_work_for_ever_is_left_to_the_end_of_the_process() {
    let _turn = BY_TURNS.lock();
    let program = partitioned(LAYERS);
    let devices = PjrtDevices::new(client(&["execute_ms=600000", "transfer_ms=2000"]), 8).unwrap();
    let mut loaded = devices.load(&program, &LoadOptions::default()).unwrap();
    let inputs = random_inputs(&parsed(LAYERS), 1, Style::SmallInts).unwrap();
    let begun = Instant::now();
    let made = loaded.launch(placed(&program, 8, &inputs), None).unwrap();
    let asks = std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(100));
        interrupt::ask(true);
    });
    let error = made[0].shards().unwrap_err();
    asks.join().unwrap();
    interrupt::ask(false);
    assert_eq!(error.kind, RunErrorKind::Interrupted, "{error}");
    drop((made, loaded, devices));
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

fn among(at: &str, process: usize, option: &str) -> Arc<Client> {
    let deadline = Duration::from_secs(60);
    let peers =
        Peers::join(Job { coordinator: at.into(), processes: 2, process, deadline, token: Token::default() })
            .unwrap();
    let option = meshwright_pjrt::NamedValue::parse(option).unwrap();
    Arc::new(Client::among(plugin(), &[option], &Arc::new(peers)).unwrap())
}

#[test]
fn a_process_that_is_gone_is_noticed_by_those_who_wait_for_a_device() {
    let _turn = BY_TURNS.lock();
    let at = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let begun = Instant::now();
    let leaves = {
        let at = at.clone();
        thread::spawn(move || {
            let opened = among(&at, 1, "devices=8");
            let devices = PjrtDevices::new(opened, 8).unwrap();
            devices.load(&partitioned(LAYERS), &LoadOptions::default()).unwrap();
        })
    };
    let program = partitioned(LAYERS);
    let inputs = random_inputs(&parsed(LAYERS), 1, Style::SmallInts).unwrap();
    let devices = PjrtDevices::new(among(&at, 0, "execute_ms=600000"), 8).unwrap();
    let mut loaded = devices.load(&program, &LoadOptions::default()).unwrap();
    let args = placed_on(&program, &devices.local(), &inputs);
    let made = loaded.launch(args, None).unwrap();
    leaves.join().unwrap();
    let error = made[0].ready().unwrap_err();
    assert_eq!(error.kind, RunErrorKind::Transport);
    assert!(error.to_string().contains("process 1 ended before its time"), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", begun.elapsed());
}

//! Several processes that open one machine: threads here, each with a client and a place among the others of its own.
//! Processes proper are started by the command line's tests.

mod support;

use meshwright_campaign::run_spmd;
use meshwright_interp::{Style, random_inputs};
use meshwright_ir::SpmdModule;
use meshwright_pjrt::{Client, Job, NamedValue, Peers, PjrtDevices, Token};
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{Devices, HostArray, LoadOptions, RunErrorKind, assemble};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use support::{Counted, LAYERS, parsed, partitioned, plugin};

fn free() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

fn client(at: &str, processes: usize, process: usize, options: &[&str]) -> Arc<Client> {
    let deadline = Duration::from_secs(60);
    let peers =
        Peers::join(Job { coordinator: at.into(), processes, process, deadline, token: Token::default() })
            .unwrap();
    let options: Vec<_> = options.iter().map(|text| NamedValue::parse(text).unwrap()).collect();
    Arc::new(Client::among(plugin(), &options, &Arc::new(peers)).unwrap())
}

/// What is done by each of some processes, and what each comes to.
fn each<T: Send + 'static>(
    processes: usize,
    options: &'static [&'static str],
    work: impl Fn(Arc<Client>) -> T + Clone + Send + 'static,
) -> Vec<T> {
    let at = free();
    let one = |process| {
        let (at, work) = (at.clone(), work.clone());
        thread::spawn(move || work(client(&at, processes, process, options)))
    };
    let all: Vec<_> = (0..processes).map(one).collect();
    all.into_iter().map(|one| one.join().unwrap()).collect()
}

fn host(program_text: &str) -> (SpmdModule, Vec<HostArray>, Vec<u8>) {
    let program = partitioned(program_text);
    let inputs = random_inputs(&parsed(program_text), 5, Style::SmallInts).unwrap();
    let expected = run_spmd(&program, &inputs).unwrap()[0].to_bytes();
    let arrays = inputs.iter().map(|x| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() }).collect();
    (program, arrays, expected)
}

#[test]
fn devices_of_several_processes_run_one_program() {
    let _counted = Counted::new(0);
    for processes in [2, 4] {
        let ran = each(processes, &["devices=8", "execute_ms=1"], move |client| {
            let (program, arrays, expected) = host(LAYERS);
            let devices = PjrtDevices::new(client, 8).unwrap();
            assert_eq!((devices.count(), devices.local().len()), (8, 8 / processes));
            let mut loaded = devices.load(&program, &LoadOptions::default()).unwrap();
            let exchange = devices.exchange().unwrap();
            for _ in 0..3 {
                let args = place_all(&program, &arrays, &devices.local()).unwrap();
                let results = loaded.launch(args, None).unwrap();
                let here = results[0].shards().unwrap().iter().map(|shard| shard.bytes().to_vec()).collect();
                if let Some(all) = exchange.gather(here).unwrap() {
                    let all: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
                    let whole = assemble(&program.module().meshes, &program.results[0], &all).unwrap();
                    assert_eq!(whole.bytes, expected);
                }
            }
            let said = exchange.all(devices.local().len() as u64 + 7).unwrap();
            exchange.leave().unwrap();
            (exchange.is_first(), said)
        });
        assert_eq!(ran.iter().filter(|(is_first, _)| *is_first).count(), 1);
        assert!(ran.iter().all(|(_, said)| *said == vec![8 / processes as u64 + 7; processes]), "{ran:?}");
    }
}

#[test]
fn processes_with_different_programs_are_told_before_anything_runs() {
    let _counted = Counted::new(0);
    let errors = each(2, &[], |client| {
        let other = LAYERS.replace(
            "%1 = stablehlo.dot_general %0, %c",
            "%n = stablehlo.negate %0 : tensor<4x16xf32>\n  %1 = stablehlo.dot_general %n, %c",
        );
        let own = client.peers().unwrap().job().process;
        let program = partitioned(if own == 0 { LAYERS } else { &other });
        let devices = PjrtDevices::new(client, 8).unwrap();
        let error = devices.load(&program, &LoadOptions::default()).err().unwrap();
        // The first process has the keys: it goes when the other has read what it needs.
        devices.exchange().unwrap().leave().unwrap();
        error
    });
    for error in errors {
        assert_eq!(error.kind, RunErrorKind::DifferentPrograms, "{error}");
    }
}

#[test]
fn a_number_of_devices_that_does_not_spread_evenly_is_told() {
    let _counted = Counted::new(0);
    let errors = each(3, &["devices=2"], |client| PjrtDevices::new(client, 8).err().unwrap());
    for error in errors {
        assert_eq!(error.kind, RunErrorKind::BadDevices);
        assert!(
            error.to_string().contains("8 devices do not spread evenly over 3 processes, which have 6"),
            "{error}"
        );
    }
}

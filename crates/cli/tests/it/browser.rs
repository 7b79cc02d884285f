//! Pages in a real browser: Chromium without a window opens them, a script of the test's does what a reader does, and
//! what it saw is compared with what `explain --json` says. Skipped, and said so, where there is no Chromium.

#![allow(clippy::print_stderr, reason = "who runs the tests is told what was skipped")]

use meshwright_base::units::bytes;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Errors of the page are kept from its first line on.
const BEFORE: &str = "<script>window.wrong = []; addEventListener('error', (event) => window.wrong.push(event.message)); \
                      console.error = (...all) => window.wrong.push(all.join(' '));</script>";

fn browser() -> Option<PathBuf> {
    let paths = env::var_os("PATH")?;
    let all = env::split_paths(&paths).flat_map(|dir| PROGRAMS.map(|name| dir.join(name)));
    let found = all.into_iter().find(|path| path.is_file());
    if found.is_none() {
        eprintln!("# SKIPPED: pages in a browser (no Chromium)");
    }
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn meshwright(args: &[&str]) -> String {
    let ran = Command::new(env!("CARGO_BIN_EXE_meshwright")).args(args).current_dir(root()).output().unwrap();
    assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

/// What `steps`, which is the body of a function, gives on the page; and errors that the page had.
fn seen(browser: &Path, page: &Path, steps: &str) -> Value {
    let text = fs::read_to_string(page).unwrap();
    let after = format!(
        "<script>{{ let seen; try {{ seen = (() => {{ {steps} }})(); }} catch (fault) {{ window.wrong.push(String(fault)); }} const out = document.createElement('pre'); out.id = 'seen'; \
         out.textContent = btoa(unescape(encodeURIComponent(JSON.stringify({{ seen, wrong: window.wrong }})))); \
         document.body.append(out); }}</script></body>"
    );
    let text = text.replacen("<head>", &format!("<head>{BEFORE}"), 1).replacen("</body>", &after, 1);
    let (played, profile) = (page.with_extension("played.html"), page.with_extension("profile"));
    fs::write(&played, text).unwrap();
    let ran = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--no-first-run",
        ])
        .args(["--window-size=1400,1000", "--dump-dom", &format!("--user-data-dir={}", profile.display())])
        .arg(format!("file://{}", played.canonicalize().unwrap().display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&ran.stdout);
    let found = dom.split_once("<pre id=\"seen\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (coded, _) =
        found.unwrap_or_else(|| panic!("the page did not end: {}", String::from_utf8_lossy(&ran.stderr)));
    serde_json::from_slice(&decoded(coded)).unwrap()
}

/// Of base 64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let bits: Vec<u8> = text.bytes().filter_map(value).collect();
    let group = |four: &[u8]| {
        let word = four.iter().fold(0u32, |word, six| word << 6 | u32::from(*six)) << (6 * (4 - four.len()));
        word.to_be_bytes()[1..four.len()].to_vec()
    };
    bits.chunks(4).flat_map(group).collect()
}

/// What a reader does on a page, and what is seen then.
const READ: &str = "const rows = () => document.querySelectorAll('.row').length, $ = (id) => document.getElementById(id);
     if (document.querySelector('.row.group[aria-expanded=true]')) $('unfold').click();
     const folded = rows();
     document.querySelector('.row.group[aria-expanded=false] .twist').click();
     const unfolded = rows();
     $('search').focus(); $('search').value = 'dot_general'; $('search').dispatchEvent(new Event('input'));
     const hits = $('found').children.length;
     $('search').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
     const picked = $('picked')?.textContent ?? 'nothing';
     document.querySelector('#colls tr').click();
     const why = $('coll-why').textContent, facts = $('coll-facts').textContent;
     const svg = document.querySelector('#memory svg'), box = svg.getBoundingClientRect(), line = $('peak-line').getAttribute('x1');
     svg.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + box.width * line / 1000, clientY: box.top + 9 }));
     const peak = document.querySelector('#memory .tip').textContent;
     $('peak').click();
     const alive = $('panel').textContent;
     const theme = document.documentElement.dataset.theme; $('theme').click();
     const turned = document.documentElement.dataset.theme;
     return { folded, unfolded, hits, picked, why, facts, peak, alive, theme, turned };";

/// The 64 layers of GSPMD's dense model, one of its mixtures of experts, and a step that JAX unrolled.
#[test]
fn programs_are_unfolded_searched_and_read() {
    let Some(browser) = browser() else { return };
    let dir = env::temp_dir().join(format!("meshwright-browser-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    for module in
        ["preset:gspmd-64b-512", "preset:gspmd-moe-10b", "tests/golden/yardstick/stablehlo_shardy.mlir"]
    {
        is_unfolded_searched_and_read(module, &browser, &dir.join("report.html"));
    }
    fs::remove_dir_all(&dir).unwrap();
}

fn is_unfolded_searched_and_read(module: &str, browser: &Path, page: &Path) {
    meshwright(&["explain", module, "--html", page.to_str().unwrap()]);
    let told: Value = serde_json::from_str(&meshwright(&["explain", module, "--json"])).unwrap();
    let told = &told["explanation"];
    let found = seen(browser, page, READ);
    assert_eq!(found["wrong"], serde_json::json!([]), "{module}");
    let found = &found["seen"];
    let text = |name: &str| found[name].as_str().unwrap();
    assert!(found["unfolded"].as_u64() > found["folded"].as_u64(), "{module}: {found}");
    assert!(found["hits"].as_u64() > Some(1) && text("picked").contains("dot_general"), "{module}: {found}");
    let largest = &told["collectives"][0];
    assert_eq!(found["why"], largest["reason"]["text"], "{module}");
    let share = bytes(largest["bytes"].as_f64().unwrap());
    assert!(text("facts").contains(&share), "{module}: {share}: {found}");
    let peak = bytes(told["memory"]["peak"].as_f64().unwrap());
    assert!(text("peak").starts_with(&format!("the peak: {peak}")), "{module}: {peak}: {found}");
    assert!(text("alive").starts_with(&format!("{peak} live at step")), "{module}: {peak}: {found}");
    assert_ne!(found["theme"], found["turned"], "{module}");
}

#[test]
fn base_64_is_read() {
    assert_eq!(decoded("eyJhIjoxfQ=="), b"{\"a\":1}");
    assert_eq!(decoded("YWI="), b"ab");
}

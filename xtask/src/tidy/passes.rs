//! Every pass of a table has filetests of its own, one that it rewrites and one that it leaves, and the maps name the
//! passes that there are. There are two tables: passes over modules, and the CPU engine's over steps.
//!
//! A table is read as text: rows `plain("NAME", ..)` and `name: "NAME"`.

use super::Finding;
use super::tree::File;

/// A list of passes: the file it is in, its filetests, the command these have, and the pages that list it.
struct Table {
    path: &'static str,
    filetests: &'static str,
    command: &'static str,
    maps: &'static [(&'static str, Read)],
}

const TABLES: [Table; 2] = [
    Table {
        path: "crates/opt/src/passes.rs",
        filetests: "tests/filetests/opt/",
        command: "opt",
        maps: &[
            ("docs/architecture.md", in_the_row_of_opt),
            ("docs/howto/add-a-pass.md", in_the_first_column),
        ],
    },
    Table {
        path: "crates/cpu/src/passes.rs",
        filetests: "tests/filetests/cpu-steps/",
        command: "cpu-steps",
        maps: &[("docs/howto/add-an-engine-pass.md", in_the_first_column)],
    },
];

/// What the expected text of a module that stays says.
const STAYS: &str = "//| unchanged";

/// How the names of passes are read from a page that lists them.
type Read = fn(&str) -> Vec<String>;

/// Passes without filetests, filetests in folders of no pass, maps that are not true.
pub fn passes(files: &[File]) -> Vec<Finding> {
    TABLES.iter().flat_map(|table| of_table(table, files)).collect()
}

fn of_table(table: &Table, files: &[File]) -> Vec<Finding> {
    let Some(rows) = files.iter().find(|file| file.path == table.path) else { return Vec::new() };
    let names = names(&rows.text);
    let mut found: Vec<Finding> =
        names.iter().flat_map(|(line, name)| without_tests(table, rows, *line, name, files)).collect();
    let known: Vec<&str> = names.iter().map(|(_, name)| name.as_str()).collect();
    for file in files.iter().filter(|file| file.path.starts_with(table.filetests)) {
        let folder = file.path[table.filetests.len()..].split('/').next().unwrap_or("");
        if !known.contains(&folder) {
            found.push(Finding::new(file, 1, format!("no pass of {} is called `{folder}`", table.path)));
        }
    }
    found.extend(files.iter().filter_map(|file| untrue(table, file, &known)));
    found
}

/// Names of the table with their lines, in its order.
fn names(table: &str) -> Vec<(usize, String)> {
    let starts = ["plain(\"", "name: \""];
    let flat = |at: usize| table[..at].lines().count();
    let mut found: Vec<(usize, String)> = Vec::new();
    let squeezed = table.replace("plain(\n    \"", "plain(\"");
    for line in squeezed.lines() {
        let name = starts.iter().find_map(|start| line.split_once(start)?.1.split_once('"'));
        if let Some((name, _)) = name {
            let at = table.find(&format!("\"{name}\"")).map_or(1, |at| flat(at).max(1));
            found.push((at, name.to_string()));
        }
    }
    found
}

fn without_tests(table: &Table, rows: &File, line: usize, name: &str, files: &[File]) -> Option<Finding> {
    let command = format!("// test {} {name}", table.command);
    let folder = format!("{}{name}/", table.filetests);
    let is_test = |file: &&File| {
        file.path.starts_with(&folder)
            && file.text.lines().any(|line| line == command || line.starts_with(&format!("{command} ")))
    };
    let (stay, go): (Vec<&File>, Vec<&File>) =
        files.iter().filter(is_test).partition(|file| file.text.lines().any(|line| line == STAYS));
    let lacks = match (go.is_empty(), stay.is_empty()) {
        (false, false) => return None,
        (true, _) => "one that it rewrites",
        (false, true) => "one that stays `unchanged`",
    };
    let message = format!("`{name}` has no filetest in {folder} with `{command}`: {lacks}");
    Some(Finding::new(rows, line, message))
}

/// A map that has other names than the table.
fn untrue(table: &Table, file: &File, known: &[&str]) -> Option<Finding> {
    let (_, read) = table.maps.iter().find(|(path, _)| file.path == *path)?;
    let said = read(&file.text);
    let missing: Vec<&str> =
        known.iter().copied().filter(|name| !said.iter().any(|said| said == name)).collect();
    let extra: Vec<&str> = said.iter().map(String::as_str).filter(|name| !known.contains(name)).collect();
    let message = match (missing.is_empty(), extra.is_empty()) {
        (true, true) if said == known => return None,
        (true, true) => format!("lists the passes in another order than {}", table.path),
        (false, _) => format!("lists the passes, but not {}", missing.join(", ")),
        (true, false) => format!("lists {}, which {} has not", extra.join(", "), table.path),
    };
    Some(Finding::new(file, 1, message))
}

/// "one file per pass: a, b, c (..)" in the row of `opt`.
fn in_the_row_of_opt(text: &str) -> Vec<String> {
    let row = text.lines().find_map(|line| line.strip_prefix("| `opt` | one file per pass: "));
    let list = row.and_then(|row| row.split_once(" (")).map_or("", |(list, _)| list);
    list.split(", ").map(String::from).collect()
}

/// Rows "| `name` | what |" of the table headed "| pass |": a page may have others.
fn in_the_first_column(text: &str) -> Vec<String> {
    let table =
        text.lines().skip_while(|line| !line.starts_with("| pass |")).take_while(|line| !line.is_empty());
    let rows = table.filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    rows.map(|(name, _)| name.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "const A: Pass = plain(\"a\", \"x\", a);\nconst B: Pass = plain(\n    \"b_c\",\n    \"y\",\n    b,\n);\nconst D: Pass = Pass {\n    name: \"d\",\n};\n";

    fn check(tests: &[(&str, &str)], maps: [&str; 2]) -> Vec<String> {
        let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
        let table = &TABLES[0];
        let mut files = vec![file(table.path, ROWS)];
        files.extend(tests.iter().map(|(path, text)| file(&format!("{}{path}", table.filetests), text)));
        files.extend(table.maps.iter().zip(maps).map(|((path, _), text)| file(path, text)));
        passes(&files)
            .into_iter()
            .map(|found| format!("{}:{}: {}", found.path, found.line, found.message))
            .collect()
    }

    const TRUE: [&str; 2] = [
        "| `opt` | one file per pass: a, b_c, d ([what](x)) | y |\n",
        "| pass | does |\n|---|---|\n| `a` | x |\n| `b_c` | y |\n| `d` | z |\n",
    ];

    fn tests_of(names: [&str; 3]) -> Vec<(String, String)> {
        let both = |name: &&str| {
            [("goes", "//| module {"), ("stays", STAYS)]
                .map(|(file, said)| (format!("{name}/{file}.mlir"), format!("// test opt {name}\n{said}\n")))
        };
        names.iter().flat_map(both).collect()
    }

    fn with(tests: &[(String, String)], maps: [&str; 2]) -> Vec<String> {
        let tests: Vec<(&str, &str)> = tests.iter().map(|(path, text)| (&**path, &**text)).collect();
        check(&tests, maps)
    }

    #[test]
    fn passes_over_steps_have_filetests_and_a_page_too() {
        let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
        let table = &TABLES[1];
        let rows = "    StepPass { name: \"a\", does: \"x\", run: a },\n";
        let tests = [("goes", "//| {"), ("stays", STAYS)].map(|(name, said)| {
            file(&format!("{}a/{name}.mlir", table.filetests), &format!("// test cpu-steps a\n{said}\n"))
        });
        let page = |rows: &str| file(table.maps[0].0, rows);
        let told = |files: &[&File]| -> Vec<String> {
            let files: Vec<File> =
                files.iter().map(|file| File { path: file.path.clone(), text: file.text.clone() }).collect();
            passes(&files).into_iter().map(|found| found.message).collect()
        };
        let (list, listed) = (file(table.path, rows), page("| pass |\n| `a` | x |\n"));
        assert_eq!(told(&[&list, &tests[0], &tests[1], &listed]), [""; 0]);
        let lacks = told(&[&list, &tests[0], &listed]);
        assert!(lacks.len() == 1 && lacks[0].ends_with("one that stays `unchanged`"), "{lacks:?}");
        let unlisted = told(&[&list, &tests[0], &tests[1], &page("")]);
        assert_eq!(unlisted, ["lists the passes, but not a"]);
    }

    #[test]
    fn rows_are_read_however_they_are_broken() {
        let read: Vec<(usize, String)> = names(ROWS);
        assert_eq!(read, [(1, "a".into()), (3, "b_c".into()), (8, "d".into())]);
    }

    #[test]
    fn every_pass_has_one_test_that_it_rewrites_and_one_that_stays() {
        let all = tests_of(["a", "b_c", "d"]);
        assert_eq!(with(&all, TRUE), [""; 0]);
        let found = with(&all[1..], TRUE);
        assert!(found.len() == 1 && found[0].starts_with("crates/opt/src/passes.rs:1: `a`"), "{found:?}");
        assert!(found[0].ends_with("one that it rewrites"), "{found:?}");
        let found = with(&all[..5], TRUE);
        assert!(found.len() == 1 && found[0].contains(":8: `d`"), "{found:?}");
        assert!(found[0].ends_with("one that stays `unchanged`"), "{found:?}");
    }

    #[test]
    fn folders_and_maps_name_the_passes_there_are() {
        let mut all = tests_of(["a", "b_c", "d"]);
        let short = with(&all, ["| `opt` | one file per pass: a, d (x) | y |", TRUE[1]]);
        assert_eq!(short, ["docs/architecture.md:1: lists the passes, but not b_c"]);
        let long = with(&all, [TRUE[0], "| `a` | x |\n| `b_c` | y |\n| `d` | z |\n| `e` | z |\n"]);
        assert_eq!(long.len(), 1);
        let turned = with(&all, ["| `opt` | one file per pass: b_c, a, d (x) | y |", TRUE[1]]);
        assert!(turned.len() == 1 && turned[0].contains("another order"), "{turned:?}");
        all.push(("e/goes.mlir".into(), "// test opt e\n".into()));
        assert_eq!(with(&all, TRUE).len(), 1);
    }
}

//! A filetest as its file has it.

use meshwright_base::SourceText;

/// One file.
pub struct Case {
    pub tests: Vec<Test>,
    /// Everything above the expected lines, so that lines are numbered as in the file.
    pub text: SourceText,
    /// The expected lines, as they stand.
    pub expected: String,
}

/// One `// test COMMAND ARGS` line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    pub command: String,
    pub args: Vec<String>,
}

impl Case {
    pub fn parse(name: &str, text: &str) -> Result<Case, String> {
        let at = text
            .lines()
            .take_while(|line| !line.starts_with("//|"))
            .map(|line| line.len() + 1)
            .sum::<usize>();
        let (module, expected) = text.split_at(at.min(text.len()));
        if let Some(line) = expected.lines().find(|line| !line.starts_with("//|")) {
            return Err(format!("a line below the expected lines is none of them: {line}"));
        }
        let header = module.lines().take_while(|line| line.starts_with("//"));
        let tests: Vec<Test> =
            header.filter_map(|line| Test::parse(line.strip_prefix("// test ")?)).collect();
        if tests.is_empty() {
            return Err("no line `// test COMMAND` at the top".into());
        }
        let end = if module.ends_with('\n') { "" } else { "\n" };
        let text = SourceText::new(name, format!("{module}{end}"));
        Ok(Case { tests, text, expected: expected.into() })
    }
}

impl Test {
    fn parse(line: &str) -> Option<Test> {
        let mut words = line.split_whitespace().map(String::from);
        Some(Test { command: words.next()?, args: words.collect() })
    }

    /// The value of `key=VALUE`.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.args.iter().find_map(|arg| arg.strip_prefix(key)?.strip_prefix('='))
    }

    /// The value of `key=NUMBER`.
    pub fn number(&self, key: &str) -> Result<Option<u32>, String> {
        let number = |value: &str| value.parse().map_err(|_| format!("`{key}={value}`: not a number"));
        self.value(key).map(number).transpose()
    }
}

/// What commands printed, as lines that begin with `//|`. With `heads`, each command is named above its lines.
pub fn render(printed: &[(&Test, String)], heads: bool) -> String {
    let mut out = String::new();
    for (test, text) in printed {
        let head = heads
            .then(|| format!("--- {}", [std::slice::from_ref(&test.command), &test.args].concat().join(" ")));
        for line in head.iter().map(String::as_str).chain(text.lines()) {
            out.push_str(format!("//| {line}").trim_end());
            out.push('\n');
        }
    }
    out
}

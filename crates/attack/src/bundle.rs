//! Several named parts in one sequence of bytes, which stays one under most changes of its bytes.
//!
//! ```text
//! === config.json
//! { .. }
//! === model.safetensors
//! ..
//! ```
//! No length is stated: a changed byte moves no border. A part ends before the newline of the next mark.

/// A part: its name and its bytes.
pub type NamedBytes = (String, Vec<u8>);

const MARK: &[u8] = b"=== ";
const NEXT: &[u8] = b"\n=== ";

/// Most parts of a bundle.
const MOST_PARTS: usize = 64;

/// Splits a bundle into its parts; `None` if it is none.
pub fn split(bytes: &[u8]) -> Option<Vec<NamedBytes>> {
    let mut rest = bytes.strip_prefix(MARK)?;
    let mut parts = Vec::new();
    while parts.len() < MOST_PARTS {
        let line = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let name = String::from_utf8_lossy(&rest[..line]).into_owned();
        rest = rest.get(line + 1..).unwrap_or(&[]);
        // An empty part: its mark's newline is that of the next one.
        if let Some(next) = rest.strip_prefix(MARK) {
            parts.push((name, Vec::new()));
            rest = next;
            continue;
        }
        match rest.windows(NEXT.len()).position(|window| window == NEXT) {
            Some(end) => {
                parts.push((name, rest[..end].to_vec()));
                rest = &rest[end + NEXT.len()..];
            }
            None => {
                parts.push((name, rest.to_vec()));
                break;
            }
        }
    }
    Some(parts)
}

/// Joins parts to a bundle.
pub fn join(parts: &[NamedBytes]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in parts {
        bytes.extend(if bytes.is_empty() { MARK } else { NEXT });
        bytes.extend(name.as_bytes());
        bytes.push(b'\n');
        bytes.extend(content);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back() {
        let parts = [("a/b", &b"one\ntwo"[..]), ("empty", b""), ("c", b"\0\n==\n")];
        let parts: Vec<NamedBytes> = parts.map(|(name, bytes)| (name.to_string(), bytes.to_vec())).into();
        assert_eq!(split(&join(&parts)), Some(parts));
        assert_eq!(split(b"PK"), None);
        assert_eq!(split(b"=== x"), Some(vec![("x".to_string(), Vec::new())]));
    }
}

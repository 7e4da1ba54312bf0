//! Reads the PTX of a file.

use crate::exit;
use fatbin::{Binary, Container, Entry, Kind};
use std::borrow::Cow;
use std::path::Path;

/// Names and texts that are linked into one module.
pub(super) type Texts = Vec<(String, String)>;

/// An exit code, a message, and what would help.
pub(super) type Failure = (u8, String, Option<Cow<'static, str>>);

/// Returns the modules of a file: a PTX text, or all modules of a program, each for its newest architecture.
pub(super) fn read(path: &Path) -> Result<Vec<Texts>, Failure> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|e| {
        let message = match e.kind() {
            std::io::ErrorKind::NotFound => format!("there is no file `{shown}`"),
            _ => format!("cannot read `{shown}`: {}", crate::terminal::plain(&e)),
        };
        (exit::USAGE, message, None)
    })?;
    if crate::inspect::is_ptx(&bytes) {
        let name = path.file_name().map_or_else(|| "PTX".into(), |n| n.to_string_lossy().into_owned());
        return Ok(vec![vec![(name, String::from_utf8_lossy(&bytes).into_owned())]]);
    }
    let damaged = |e: fatbin::Error| {
        (exit::UNCHECKABLE, format!("the device code of `{shown}` cannot be read: {e}"), None)
    };
    let mut targets: Vec<String> = Vec::new();
    let modules = if bytes.starts_with(&fatbin::container::MAGIC.to_le_bytes()) {
        let container = Container::parse(&bytes).map_err(damaged)?;
        targets.extend(container.entries.iter().map(|e| e.arch.to_string()));
        modules(std::iter::once(&container.entries[..])).map_err(damaged)?
    } else {
        match Binary::parse(&bytes) {
            Ok(binary) => {
                targets.extend(binary.entries().map(|e| e.arch.to_string()));
                let blocks = binary.blocks.iter().map(|b| &b.container.entries[..]);
                modules(blocks).map_err(damaged)?
            }
            Err(fatbin::Error::NotElf) => {
                let message = format!("`{shown}` is no ELF file, fatbin or PTX text");
                return Err((exit::USAGE, message, crate::sources::prove_help(path).map(Into::into)));
            }
            Err(e) => return Err(damaged(e)),
        }
    };
    match modules.is_empty() {
        true => Err(no_ptx(&shown.to_string(), &targets)),
        false => Ok(modules),
    }
}

/// What is said of a file that has code for these architectures, and no PTX.
fn no_ptx(shown: &str, targets: &[String]) -> Failure {
    let help = report::describe::no_ptx_help(targets);
    (exit::UNCHECKABLE, format!("there is no PTX in `{shown}`"), Some(help.into()))
}

/// One module for each container, but one for all whose code is relocatable.
fn modules<'x, 'b: 'x>(
    containers: impl Iterator<Item = &'x [Entry<'b>]>,
) -> Result<Vec<Texts>, fatbin::Error> {
    let (mut found, mut relocatable) = (Vec::new(), Texts::new());
    for entries in containers {
        let newest = entries.iter().filter(|e| e.kind == Kind::Ptx).max_by_key(|e| e.arch);
        let Some(entry) = newest else { continue };
        let named = entry.name.as_deref().map_or_else(|| entry.arch.to_string(), str::to_owned);
        let text = (named, entry.ptx()?);
        match entry.is_relocatable() {
            true => relocatable.push(text),
            false => found.push(vec![text]),
        }
    }
    if !relocatable.is_empty() {
        found.push(relocatable);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code for an architecture's own instructions does not compile for the plain one.
    #[test]
    fn a_file_without_ptx_is_told_how_to_get_some_for_its_own_architecture() {
        let (_, _, help) = no_ptx("app", &["sm_90a".to_owned()]);
        assert!(help.is_some_and(|h| h.contains("arch=compute_90a,code=compute_90a")));
    }
}

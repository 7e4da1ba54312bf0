//! Writes the PTX texts of modules for the command line, and loads edited ones in their place.

use protocol::texts::{edited, original};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Exchanges the texts of a module that is about to be loaded.
pub(crate) fn exchange(folder: &Path, texts: &mut [String]) -> io::Result<()> {
    for text in texts {
        match std::fs::read_to_string(edited(folder, text)) {
            Ok(new) => *text = new,
            Err(e) if e.kind() == ErrorKind::NotFound => keep(&original(folder, text), text)?,
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Writes a file that gets its name when it is complete.
fn keep(path: &Path, text: &str) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let beside = path.with_extension(format!("{}.partial", std::process::id()));
    std::fs::write(&beside, text)?;
    std::fs::rename(&beside, path)
}

//! `warprace prove -- nvcc …`: runs a compile command for its output.

use crate::exit;
use crate::terminal::plain;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::device_code::Failure;

/// Runs the command and returns the file that it has written.
pub(super) fn run(command: &[OsString]) -> Result<PathBuf, Failure> {
    let Some((compiler, arguments)) = command.split_first() else {
        return Err((exit::USAGE, "there is no command".into(), None));
    };
    let shown = Path::new(compiler).display();
    let status = Command::new(compiler)
        .args(arguments)
        .status()
        .map_err(|e| (exit::USAGE, format!("cannot start `{shown}`: {}", plain(&e)), None))?;
    if !status.success() {
        return Err((exit::USAGE, format!("`{shown}` failed: {status}"), None));
    }
    output(arguments).ok_or_else(|| {
        let help = "name it with -o";
        (exit::USAGE, format!("what `{shown}` has written cannot be told"), Some(help.into()))
    })
}

/// Returns the file that nvcc writes with these arguments.
fn output(arguments: &[OsString]) -> Option<PathBuf> {
    let path = |bytes: &[u8]| PathBuf::from(OsString::from_vec(bytes.to_vec()));
    let mut phase = None;
    let mut source = None;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let bytes = argument.as_bytes();
        if bytes == b"-o" || bytes == b"--output-file" {
            return rest.next().map(PathBuf::from);
        }
        if let Some(name) = bytes.strip_prefix(b"--output-file=") {
            return Some(path(name));
        }
        match bytes {
            b"-c" | b"--compile" | b"-dc" | b"--device-c" | b"-dw" => phase = Some("o"),
            b"-ptx" | b"--ptx" => phase = Some("ptx"),
            b"-fatbin" | b"--fatbin" => phase = Some("fatbin"),
            _ if bytes.ends_with(b".cu") => source = Some(PathBuf::from(argument)),
            _ if bytes.starts_with(b"-o") && !bytes.starts_with(b"-opt") => return Some(path(&bytes[2..])),
            _ => {}
        }
    }
    match phase {
        None => Some("a.out".into()),
        Some(extension) => Some(PathBuf::from(source?.file_name()?).with_extension(extension)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_a_command_is_told() {
        let output = |words: &str| output(&words.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(output("-O3 a.cu -o b"), Some("b".into()));
        assert_eq!(output("--output-file=b a.cu"), Some("b".into()));
        assert_eq!(output("-ob a.cu"), Some("b".into()));
        assert_eq!(output("src/a.cu"), Some("a.out".into()));
        assert_eq!(output("-c src/a.cu"), Some("a.o".into()));
        assert_eq!(output("-ptx a.cu"), Some("a.ptx".into()));
        assert_eq!(output("-c"), None);
    }
}

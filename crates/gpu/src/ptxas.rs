//! The process is `ptxas`, which the program has started: Triton does so, XLA may, and nvcc does.
//!
//! What it made of which PTX is remembered when it ends.

use crate::{log, made};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Is it?
pub(crate) fn is_this() -> bool {
    std::fs::read_link("/proc/self/exe").is_ok_and(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Triton brings one for newer GPUs under another name.
        name == "ptxas" || name.starts_with("ptxas-")
    })
}

/// It ends, and has written what it was to write.
pub(crate) fn finish() {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let Some((from, to)) = files(&args) else { return };
    if let (Ok(text), Ok(cubin)) = (std::fs::read_to_string(&from), std::fs::read(&to)) {
        log::note(|| format!("ptxas made {} of {}", to.display(), from.display()));
        made::remember(&cubin, vec![text]);
    }
}

/// The PTX file and the machine code's, if the command line names one of each.
fn files(args: &[OsString]) -> Option<(PathBuf, PathBuf)> {
    let (mut from, mut to) = (None, None);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy();
        if text == "-o" || text == "--output-file" {
            to = args.next().map(PathBuf::from);
        } else if let Some(path) = text.strip_prefix("--output-file=") {
            to = Some(path.into());
        } else if Path::new(arg).extension() == Some(OsStr::new("ptx"))
            && !text.starts_with('-')
            && from.replace(PathBuf::from(arg)).is_some()
        {
            return None;
        }
    }
    Some((from?, to?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_command_line_names_two_files() {
        let of = |line: &str| files(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        let both = Some((PathBuf::from("/t/a.ptx"), PathBuf::from("/t/a.o")));
        assert_eq!(of("-lineinfo -v --gpu-name=sm_90a /t/a.ptx -o /t/a.o"), both);
        assert_eq!(of("-arch=sm_90 -m64 /t/a.ptx --output-file=/t/a.o"), both);
        assert_eq!(of("a.ptx b.ptx -o c"), None);
        assert_eq!(of("--version"), None);
    }
}

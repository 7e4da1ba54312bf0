//! Handles a process that is `ptxas` itself, started by the program: Triton and nvcc do so, and XLA may.
//!
//! When the process ends, [`made`] records which PTX its machine code comes from.

use crate::made;
use std::ffi::OsString;
use std::path::PathBuf;

/// Returns whether this process is `ptxas`.
pub fn is_this() -> bool {
    std::fs::read_link("/proc/self/exe").is_ok_and(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Triton ships a second one for newer GPUs under another name.
        name == "ptxas" || name.starts_with("ptxas-")
    })
}

/// It ends, and has written what it was to write.
pub fn finish() {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (from, Some(to)) = files(&args) else { return };
    let mut texts = from.iter().filter_map(|path| ptx(std::fs::read(path).ok()?));
    if let (Some(text), None, Ok(cubin)) = (texts.next(), texts.next(), std::fs::read(&to)) {
        crate::note(|| format!("ptxas made {} of {} bytes of PTX", to.display(), text.len()));
        made::remember(&cubin, vec![text]);
    }
}

/// Returns the text of a file if it is PTX. The file's name does not decide, since XLA uses names without
/// extension.
fn ptx(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    text.contains(".version").then_some(text)
}

/// Returns files that may hold PTX, and the machine code's file. Values of options that stand for themselves may be among the first.
fn files(args: &[OsString]) -> (Vec<PathBuf>, Option<PathBuf>) {
    let (mut from, mut to) = (Vec::new(), None);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy();
        if text == "-o" || text == "--output-file" {
            to = args.next().map(PathBuf::from);
        } else if let Some(path) = text.strip_prefix("--output-file=") {
            to = Some(path.into());
        } else if !text.starts_with('-') {
            from.push(PathBuf::from(arg));
        }
    }
    (from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_command_line_names_files() {
        let of = |line: &str| files(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        let named = |from: &[&str], to: Option<&str>| {
            (from.iter().map(PathBuf::from).collect(), to.map(PathBuf::from))
        };
        assert_eq!(
            of("-lineinfo -v --gpu-name=sm_90a /t/a.ptx -o /t/a.o"),
            named(&["/t/a.ptx"], Some("/t/a.o"))
        );
        assert_eq!(
            of("-arch=sm_90 -m64 /t/a.ptx --output-file=/t/a.o"),
            named(&["/t/a.ptx"], Some("/t/a.o"))
        );
        assert_eq!(of("-arch sm_90 /t/a.ptx -o /t/a.o"), named(&["sm_90", "/t/a.ptx"], Some("/t/a.o")));
        assert_eq!(of("--version"), named(&[], None));
    }

    #[test]
    fn a_file_is_ptx_by_what_is_in_it() {
        // XLA calls `ptxas /tmp/tempfile-… -o /tmp/tempfile-… -arch=sm_90a`.
        let of = |line: &str| files(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        let xla = of("/t/tempfile-vm-1-a -o /t/tempfile-vm-1-b -arch=sm_90a --warn-on-spills -v");
        assert_eq!(xla, (vec!["/t/tempfile-vm-1-a".into()], Some("/t/tempfile-vm-1-b".into())));
        assert!(ptx(b"//\n.version 8.8\n.target sm_90a\n".to_vec()).is_some());
        assert_eq!(ptx(b"\x7fELF.version\xff".to_vec()), None);
        assert_eq!(ptx(b"sm_90".to_vec()), None);
    }
}

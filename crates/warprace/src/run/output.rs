//! Files that reports are written to.

use super::check::plain;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file named by `--log-file` or `--json`.
#[derive(Debug)]
pub(super) struct Output {
    path: PathBuf,
}

impl Output {
    /// `%p` in the name is the program's process id, `%q{VAR}` a variable, `%%` a percent sign.
    pub(super) fn new(name: &Path, pid: u32) -> Self {
        Output { path: expand(&name.to_string_lossy(), pid).into() }
    }

    pub(super) fn write(&self, text: &str) -> Result<(), String> {
        let failed = |e| format!("cannot write {}: {}", self.path.display(), plain(&e));
        let mut file = File::create(&self.path).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        match file.sync_all() {
            // Some file systems notice only now that they are full.
            Err(e) if matches!(e.raw_os_error(), Some(libc::ENOSPC | libc::EDQUOT | libc::EIO)) => {
                Err(failed(e))
            }
            _ => Ok(()),
        }
    }
}

/// Better to hear of a missing folder before a long run than after it.
pub(super) fn check_folder(file: &Path) -> Result<(), String> {
    let folder = match file.parent() {
        None => return Err(format!("`{}` is not a file name", file.display())),
        Some(p) if p.as_os_str().is_empty() => return Ok(()),
        Some(p) => p,
    };
    // A folder that is named by the process id cannot be known yet.
    match folder.to_string_lossy().contains('%') || folder.is_dir() {
        true => Ok(()),
        false => Err(format!("there is no folder `{}` for `{}`", folder.display(), file.display())),
    }
}

fn expand(name: &str, pid: u32) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let variable = after.strip_prefix("q{").and_then(|v| v.split_once('}'));
        if let Some((variable, tail)) = variable {
            out.push_str(&std::env::var(variable).unwrap_or_default());
            rest = tail;
        } else if let Some(tail) = after.strip_prefix('p') {
            out.push_str(&pid.to_string());
            rest = tail;
        } else {
            out.push('%');
            rest = after.strip_prefix('%').unwrap_or(after);
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_expanded() {
        assert_eq!(expand("log.%p.txt", 42), "log.42.txt");
        assert_eq!(expand("100%%-%x-%", 1), "100%-%x-%");
        assert_eq!(expand("a%q{WARPRACE_NO_SUCH_VARIABLE}b", 1), "ab");
        assert_eq!(expand("%q{open", 1), "%q{open");
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let e = Output::new(Path::new("/dev/full"), 1).write("text").unwrap_err();
        assert_eq!(e, "cannot write /dev/full: no space left on device");
    }

    #[test]
    fn folders_are_checked_early() {
        assert!(check_folder(Path::new("a.json")).is_ok());
        assert!(check_folder(Path::new("/tmp/a.json")).is_ok());
        assert!(check_folder(Path::new("/no/such/folder/a.json")).is_err());
        assert!(check_folder(Path::new("/")).is_err());
    }
}

//! Writes report files.

use crate::terminal::{self, plain};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A file named by an option; `-` is the standard output.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
}

impl Output {
    /// Creates an output. `%p` in the name is the program's process id, `%q{VAR}` a variable, `%%` a percent
    /// sign.
    pub(crate) fn new(name: &Path, pid: u32) -> Self {
        Output { path: expand(name.as_os_str(), pid).into() }
    }

    pub(crate) fn write(&self, text: &str) -> Result<(), String> {
        if self.path.as_os_str() == "-" {
            // The terminal module reports errors on the standard output itself.
            terminal::print_exactly(text);
            return Ok(());
        }
        let failed = |e| format!("cannot write {}: {}", self.path.display(), plain(&e));
        replace(&self.path, text.as_bytes()).map_err(failed)
    }
}

/// Writes a temporary file that then replaces `path`, so that an incomplete write leaves the old content. A
/// file that is not regular (`/dev/null`, a pipe, a link), or whose folder is not writable, is written in
/// place.
pub(crate) fn replace(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    let is_regular = match path.symlink_metadata() {
        Ok(about) => about.is_file(),
        Err(e) => e.kind() == std::io::ErrorKind::NotFound,
    };
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.partial", std::process::id()));
    let beside = PathBuf::from(beside);
    if !is_regular {
        return fill(File::create(path)?, contents);
    }
    let file = match File::create_new(&beside) {
        Ok(file) => file,
        Err(e)
            if matches!(
                e.kind(),
                std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::InvalidFilename
            ) =>
        {
            return fill(File::create(path)?, contents);
        }
        Err(e) => return Err(e),
    };
    let keep = || -> std::io::Result<()> {
        if let Ok(about) = path.metadata() {
            file.set_permissions(about.permissions())?;
        }
        fill(file, contents)?;
        std::fs::rename(&beside, path)
    };
    keep().inspect_err(|_| {
        let _ = std::fs::remove_file(&beside);
    })
}

/// Writes the whole contents of a file. Exceeding `ulimit -f` is an error and does not kill warprace.
fn fill(mut file: File, contents: &[u8]) -> std::io::Result<()> {
    processes::post::guarded(|| {
        file.write_all(contents)?;
        match file.sync_all() {
            // Some file systems report only here that they are full.
            Err(e) if matches!(e.raw_os_error(), Some(libc::ENOSPC | libc::EDQUOT | libc::EIO)) => Err(e),
            _ => Ok(()),
        }
    })
}

/// Fails if the file's folder is missing, so that the user learns of it before a long run.
pub(crate) fn check_folder(file: &Path) -> Result<(), String> {
    let folder = match file.parent() {
        None => return Err(format!("`{}` is not a file name", file.display())),
        Some(p) if p.as_os_str().is_empty() => return Ok(()),
        Some(p) => p,
    };
    // A folder whose name contains the process id is not known yet.
    match folder.to_string_lossy().contains('%') || folder.is_dir() {
        true => Ok(()),
        false => Err(format!("there is no folder `{}` for `{}`", folder.display(), file.display())),
    }
}

/// Removes a file that will be written from its beginning. Only a regular file is removed, so /dev/null
/// stays.
pub(crate) fn fresh(file: &Path) -> Result<(), String> {
    check_folder(file)?;
    match file.is_file() {
        true => std::fs::remove_file(file)
            .map_err(|e| format!("cannot replace `{}`: {}", file.display(), plain(&e))),
        false => Ok(()),
    }
}

fn expand(name: &OsStr, pid: u32) -> OsString {
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        out.extend_from_slice(&rest[..at]);
        let after = &rest[at + 1..];
        let end = after.strip_prefix(b"q{").and_then(|v| v.iter().position(|&byte| byte == b'}'));
        if let Some(end) = end {
            let variable = OsStr::from_bytes(&after[2..2 + end]);
            out.extend_from_slice(std::env::var_os(variable).unwrap_or_default().as_bytes());
            rest = &after[2 + end + 1..];
        } else if let Some(tail) = after.strip_prefix(b"p") {
            out.extend_from_slice(pid.to_string().as_bytes());
            rest = tail;
        } else {
            out.push(b'%');
            rest = after.strip_prefix(b"%").unwrap_or(after);
        }
    }
    out.extend_from_slice(rest);
    OsString::from_vec(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_expanded() {
        let text = |name: &str, pid| expand(OsStr::new(name), pid);
        assert_eq!(expand(OsStr::from_bytes(b"caf\xe9.%p"), 7).as_bytes(), b"caf\xe9.7");
        assert_eq!(text("log.%p.txt", 42), "log.42.txt");
        assert_eq!(text("100%%-%x-%", 1), "100%-%x-%");
        assert_eq!(text("a%q{WARPRACE_NO_SUCH_VARIABLE}b", 1), "ab");
        assert_eq!(text("%q{open", 1), "%q{open");
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let e = Output::new(Path::new("/dev/full"), 1).write("text").unwrap_err();
        assert_eq!(e, "cannot write /dev/full: no space left on device");
    }

    #[test]
    fn what_cannot_be_written_whole_leaves_what_was_there() {
        let folder = std::env::temp_dir().join(format!("warprace-output-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("report.json");
        replace(&file, b"old").unwrap();
        replace(&file, b"new").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        let link = folder.join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace(&link, b"through").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"through");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn folders_are_checked_early() {
        assert!(check_folder(Path::new("a.json")).is_ok());
        assert!(check_folder(Path::new("/tmp/a.json")).is_ok());
        assert!(check_folder(Path::new("/no/such/folder/a.json")).is_err());
        assert!(check_folder(Path::new("/")).is_err());
    }
}

//! The folder in which the program's processes leave their results.
//!
//! The folder is locked while its owner lives, however the owner ends. The lock shows the library in those
//! processes that the run is still going on, and shows a later run whether it may remove the folder.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A temporary folder, which is removed with its contents on drop.
pub(crate) struct Folder {
    path: PathBuf,
    /// The open folder, which holds the lock.
    _lock: Option<File>,
}

impl Folder {
    /// Creates a folder, in memory if possible and `pinned`: kernels write to files in it, and pages of files
    /// on disk may not be pinned.
    pub(crate) fn new(pinned: bool) -> Result<Self, String> {
        let memory = PathBuf::from("/dev/shm");
        let usual = std::env::temp_dir();
        let (first, second) = if pinned && memory.is_dir() { (&memory, &usual) } else { (&usual, &memory) };
        // A disk may be full or read-only.
        Self::within(first).or_else(|e| Self::within(second).map_err(|_| e))
    }

    fn within(parent: &Path) -> Result<Self, String> {
        clear_abandoned(parent);
        let pid = std::process::id();
        for n in 0..1000 {
            let path = parent.join(format!("{PREFIX}{pid}-{n}"));
            match std::fs::create_dir(&path) {
                Ok(()) => {
                    // On a file system without locks no run removes folders of others.
                    let lock = File::open(&path).ok().filter(try_lock);
                    // Processes append to the journal and never create it, so a missing journal means that
                    // the run is over.
                    let _ = File::create(path.join(processes::post::JOURNAL));
                    return Ok(Folder { path, _lock: lock });
                }
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(format!("cannot create a folder in {}: {e}", parent.display())),
            }
        }
        Err(format!("{} is full of warprace's folders", parent.display()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether other processes can see that the folder is in use.
    pub(crate) fn is_locked(&self) -> bool {
        self._lock.is_some()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A rename removes the folder with all of its contents atomically. Processes that go on see that the
        // run is over rather than killed, and their further files do not prevent the removal.
        let mut gone = self.path.clone().into_os_string();
        gone.push("0000");
        match std::fs::rename(&self.path, &gone) {
            Ok(()) => drop(std::fs::remove_dir_all(&gone)),
            Err(_) => drop(std::fs::remove_dir_all(&self.path)),
        }
    }
}

const PREFIX: &str = "warprace-";

fn try_lock(folder: &File) -> bool {
    // SAFETY: `flock` has no memory preconditions; the descriptor is open.
    unsafe { libc::flock(folder.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) == 0 }
}

/// Removes folders that killed runs of this user have left. Errors are ignored.
fn clear_abandoned(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(owner) = name.to_str().and_then(owner) else { continue };
        // SAFETY: signal 0 tests whether the process exists; `geteuid` has no preconditions.
        let (alive, user) = unsafe { (libc::kill(owner, 0) == 0, libc::geteuid()) };
        // Symbolic links are not followed. An owner in another process namespace still holds the lock.
        let mine = entry.metadata().is_ok_and(|about| about.is_dir() && about.uid() == user);
        if !alive && mine && File::open(entry.path()).is_ok_and(|folder| try_lock(&folder)) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns the id of the process that created a folder, if the name has the form of such a folder.
fn owner(name: &str) -> Option<i32> {
    let (pid, n) = name.strip_prefix(PREFIX)?.split_once('-')?;
    let number = |text: &str| text.parse::<i32>().ok().filter(|&n| n >= 0 && !text.starts_with('+'));
    number(n)?;
    number(pid).filter(|&pid| pid > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_dead_owners_are_cleared() {
        let parent = std::env::temp_dir().join(format!("warprace-folder-test-{}", std::process::id()));
        std::fs::create_dir_all(&parent).unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let (alive, dead) = (std::process::id(), child.id());
        child.wait().unwrap();
        let make = |name: String| {
            let folder = parent.join(name);
            std::fs::create_dir_all(folder.join("inside")).unwrap();
            folder
        };
        let abandoned = make(format!("warprace-{dead}-0"));
        let locked = make(format!("warprace-{dead}-1"));
        let used = make(format!("warprace-{alive}-0"));
        let others = [make(format!("warprace-{dead}")), make(format!("warprace-{dead}-x"))];
        let lock = File::open(&locked).unwrap();
        assert!(try_lock(&lock));
        clear_abandoned(&parent);
        assert!(!abandoned.exists());
        assert!(locked.exists() && used.exists() && others.iter().all(|o| o.exists()));
        drop(lock);
        std::fs::remove_dir_all(parent).unwrap();
    }
}

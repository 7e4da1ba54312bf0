//! Answers that are kept in files, each named by a hash of its question.
//!
//! Processes read and write at once: a file is written under a name of its own and then renamed. A file counts only if it is
//! whole: its first line has the format's version, the name and a hash of all that follows. One that is damaged, cut off,
//! moved from another name, too large, or no file at all (a folder, a pipe, a link) is as if it were not there. So is one
//! that another user owns or may write to: the hash finds accidental damage only, and anyone can compute it. Files that
//! users forge in their own cache folder are believed.

use super::{cache, hash, make};
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// The bytes of one file.
const MOST_OF_ONE: usize = 1 << 20;
/// The bytes of all files; the oldest ones are removed beyond.
const MOST_OF_ALL: u64 = 64 << 20;
/// A file takes a multiple of so many bytes of a disk.
const BLOCK: u64 = 4096;
/// Permissions of users other than the owner to write.
const OTHERS_WRITE: u32 = 0o022;
/// Every so many writes of a process, and at the first one, the folder is looked through.
const BETWEEN_LOOKS: u64 = 256;
/// A file that was not renamed within this time belongs to a process that has ended.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The reason why there is no folder.
#[derive(Debug, thiserror::Error)]
pub enum NoFolder {
    #[error("there is no cache folder")]
    NoCache,
    #[error("`{}`: {why}", folder.display())]
    Refused { folder: PathBuf, why: io::Error },
}

/// A folder of answers.
#[derive(Clone, Debug)]
pub struct Answers {
    folder: PathBuf,
    most: u64,
}

impl Answers {
    /// Opens a folder of the user's cache folder, and makes it.
    ///
    /// # Errors
    /// There is no cache folder, or it takes no other folder.
    pub fn open(kind: &str) -> Result<Answers, NoFolder> {
        Answers::at(cache().ok_or(NoFolder::NoCache)?.join(kind))
    }

    /// Opens a folder, and makes it.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn at(folder: PathBuf) -> Result<Answers, NoFolder> {
        match make(&folder) {
            Ok(()) => Ok(Answers { folder, most: MOST_OF_ALL }),
            Err(why) => Err(NoFolder::Refused { folder, why }),
        }
    }

    /// Returns the answer of that name, if a whole one is kept.
    pub fn read(&self, name: u128) -> Option<Vec<u8>> {
        let mut options = OpenOptions::new();
        // Neither a link nor a pipe that nothing writes to.
        options.read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_CLOEXEC);
        let file = options.open(self.file(name)).ok()?;
        let about = file.metadata().ok()?;
        // SAFETY: no precondition.
        let is_own = about.uid() == unsafe { libc::geteuid() } && about.mode() & OTHERS_WRITE == 0;
        if !about.is_file() || !is_own || about.len() > MOST_OF_ONE as u64 {
            return None;
        }
        let mut bytes = Vec::new();
        file.take(MOST_OF_ONE as u64).read_to_end(&mut bytes).ok()?;
        let end = bytes.iter().position(|&byte| byte == b'\n')?;
        let body = bytes.split_off(end + 1);
        (bytes == head(name, &body).as_bytes()).then_some(body)
    }

    /// Keeps an answer, in place of one of that name.
    ///
    /// # Errors
    /// The answer is larger than 1 MiB, or the folder takes no file: it is read only, or its disk is full.
    pub fn write(&self, name: u128, body: &[u8]) -> io::Result<()> {
        static WRITES: AtomicU64 = AtomicU64::new(0);
        let whole = [head(name, body).as_bytes(), body].concat();
        if whole.len() > MOST_OF_ONE {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let nth = WRITES.fetch_add(1, Ordering::Relaxed);
        let beside = self.folder.join(format!("{name:032x}.{}.{nth}.new", std::process::id()));
        // A process of the same number may have left it.
        let _ = fs::remove_file(&beside);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside);
        let written = file
            .and_then(|mut file| file.write_all(&whole))
            .and_then(|()| fs::rename(&beside, self.file(name)));
        if written.is_err() {
            let _ = fs::remove_file(&beside);
        }
        if nth.is_multiple_of(BETWEEN_LOOKS) {
            self.trim();
        }
        written
    }

    /// Removes the oldest files until a quarter of the bound is free, if there are more bytes than that, and files
    /// whose processes have ended.
    fn trim(&self) {
        let Ok(entries) = self.folder.read_dir() else { return };
        let about = |entry: fs::DirEntry| {
            let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((about.modified().ok()?, about.len().next_multiple_of(BLOCK), entry.path()))
        };
        let mut all: Vec<(SystemTime, u64, PathBuf)> = entries.flatten().filter_map(about).collect();
        let is_new = |path: &Path| path.extension().is_some_and(|extension| extension == "new");
        let old = |at: &SystemTime| at.elapsed().is_ok_and(|age| age > ABANDONED);
        all.retain(|(at, _, path)| {
            let is_abandoned = is_new(path) && old(at);
            if is_abandoned {
                let _ = fs::remove_file(path);
            }
            !is_abandoned && !is_new(path)
        });
        let mut bytes: u64 = all.iter().map(|(_, bytes, _)| bytes).sum();
        if bytes <= self.most {
            return;
        }
        all.sort();
        for (_, own, path) in all {
            if bytes <= self.most / 4 * 3 {
                break;
            }
            bytes -= own;
            let _ = fs::remove_file(path);
        }
    }

    fn file(&self, name: u128) -> PathBuf {
        self.folder.join(format!("{name:032x}.answer"))
    }
}

/// The first line of a file.
fn head(name: u128, body: &[u8]) -> String {
    let sum = hash(&[&name.to_le_bytes(), body]);
    format!("warprace answer 1 {name:032x} {sum:032x}\n")
}

#[cfg(test)]
mod tests;

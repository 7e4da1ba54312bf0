//! The user's folder for what can be made again, and names of files in it.

mod answers;

pub use answers::{Answers, NoFolder};

use std::fmt::{self, Debug};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The folder of proofs among those of [`Answers`].
pub const PROOFS: &str = "proofs";

/// The user's folder for what can be made again; `None` if there is no home.
pub fn cache() -> Option<PathBuf> {
    let folder = place()?;
    make(&folder).ok()?;
    Some(folder)
}

/// The same folder, which may not be there yet.
fn place() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    Some(set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?.join("warprace"))
}

/// Returns the folder of [`Answers`] for later processes, which may not be there yet.
pub fn folder_of(kind: &str) -> Option<PathBuf> {
    Some(place()?.join(kind))
}

/// Makes a folder if it is missing. It is private: libraries that are run are in the user's folder, too.
fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Returns the name of a build: its version, and the size and the time of its file. Answers of other builds do not count.
/// `None` if the file cannot be asked.
pub fn build_of(file: &Path, version: &str) -> Option<String> {
    let about = std::fs::metadata(file).ok()?;
    Some(format!("{version} {} {:?}", about.len(), about.modified().ok()?))
}

/// FNV-1a of 128 bits over the parts and their lengths.
pub fn hash(parts: &[&[u8]]) -> u128 {
    let mut hash = Fnv::default();
    for part in parts {
        hash.add(&(part.len() as u64).to_le_bytes());
        hash.add(part);
    }
    hash.0
}

/// A hash by FNV-1a of 128 bits, begun with its published basis.
struct Fnv(u128);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
    }
}

/// Returns the hash of what `{:?}` writes of a value, and its length; `None` if that is longer than `most` bytes.
pub fn hash_of_debug(value: &dyn Debug, most: usize) -> Option<u128> {
    struct Written {
        hash: Fnv,
        left: usize,
    }
    impl fmt::Write for Written {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.left = self.left.checked_sub(text.len()).ok_or(fmt::Error)?;
            self.hash.add(text.as_bytes());
            Ok(())
        }
    }
    let mut written = Written { hash: Fnv::default(), left: most };
    fmt::write(&mut written, format_args!("{value:?}")).ok()?;
    written.hash.add(&(written.left as u64).to_le_bytes());
    Some(written.hash.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        // FNV-1a 128 of no bytes is its basis; lengths keep parts apart.
        assert_eq!(hash(&[]), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_ne!(hash(&[b"ab", b"c"]), hash(&[b"a", b"bc"]));
        assert_eq!(hash(&[b"ab"]), hash(&[b"ab"]));
        let mut fnv = Fnv::default();
        fnv.add(b"foobar");
        assert_eq!(fnv.0, 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
    }

    #[test]
    fn a_build_is_named_by_its_version_and_file() {
        let folder = std::env::temp_dir().join(format!("warprace-builds-{}", std::process::id()));
        make(&folder).unwrap();
        let (file, copy) = (folder.join("a"), folder.join("b"));
        std::fs::write(&file, "built").unwrap();
        let name = build_of(&file, "1").unwrap();
        assert_eq!(build_of(&file, "1").as_ref(), Some(&name));
        assert_ne!(build_of(&file, "2").as_ref(), Some(&name));
        std::fs::write(&file, "built anew").unwrap();
        assert_ne!(build_of(&file, "1").as_ref(), Some(&name));
        assert_eq!(build_of(&copy, "1"), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn values_that_are_written_alike_have_one_hash() {
        let of = |value: &dyn Debug| hash_of_debug(value, 100);
        assert_eq!(of(&[1, 2]), of(&vec![1, 2]));
        assert_ne!(of(&"ab"), of(&"ac"));
        assert!(of(&[0; 30]).is_some());
        assert_eq!(of(&[0; 200]), None);
    }
}

//! The PTX of object files and archives that a program hands to a linker, such as the toolkit's `libcudadevrt.a`.

use fatbin::{Binary, Kind, archive, best_ptx};

/// Functions that NVIDIA's driver defines for the toolkit's device runtime.
const GRID_SYNC: &str = include_str!("grid_sync.ptx");

/// A function of [`GRID_SYNC`].
const SYNC: &str = "__cuda_syscall_CGS_sync";

/// The reason why a file's device code cannot be run. It prints as a sentence fragment.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    #[error(transparent)]
    File(#[from] fatbin::Error),
    #[error("it has machine code without PTX; build it with `-gencode arch=compute_90,code=compute_90`")]
    NoPtx,
    #[error("it has no device code")]
    Empty,
}

/// Returns the PTX of each container in an object file or an archive of them. A container without PTX that the device can run
/// gives its PTX for another one: the toolkit's libraries have machine code for every device, and PTX for the newest only.
pub fn texts(bytes: &[u8], device: u32) -> Result<Vec<String>, LibraryError> {
    let members = match archive::is_archive(bytes) {
        true => archive::members(bytes)?,
        false => vec![bytes],
    };
    let mut out = Vec::new();
    for member in members {
        let binary = Binary::parse(member)?;
        for block in &binary.blocks {
            let entries = &block.container.entries;
            let any =
                || entries.iter().filter(|entry| entry.kind == Kind::Ptx).max_by_key(|entry| entry.arch);
            let entry = best_ptx(entries, device).or_else(any);
            let entry = entry.ok_or(LibraryError::NoPtx)?;
            out.push(entry.ptx()?);
        }
    }
    if out.iter().any(|text| text.contains(SYNC)) {
        out.push(GRID_SYNC.to_owned());
    }
    match out.is_empty() {
        true => Err(LibraryError::Empty),
        false => Ok(out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_s_part_of_the_device_runtime_is_ptx() {
        assert!(GRID_SYNC.contains(SYNC) && GRID_SYNC.contains("\n.version 7.0\n"));
    }

    #[test]
    fn what_has_no_device_code_says_so() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(texts(&own, 90).unwrap_err().to_string(), "it has no device code");
        assert!(texts(b"no file", 90).is_err());
        assert!(texts(b"!<arch>\n", 90).is_err());
    }
}

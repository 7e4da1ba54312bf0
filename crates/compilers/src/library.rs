//! The PTX of object files and archives that a program hands to a linker, such as the toolkit's `libcudadevrt.a`.

use fatbin::{Binary, Kind, archive, best_ptx};

/// Functions that NVIDIA's driver defines for the toolkit's device runtime.
const GRID_SYNC: &str = include_str!("grid_sync.ptx");

/// A function of [`GRID_SYNC`].
const SYNC: &str = "__cuda_syscall_CGS_sync";

/// Returns the PTX of each container in an object file or an archive of them. A container without PTX that the device can run
/// gives its PTX for another one: the toolkit's libraries have machine code for every device, and PTX for the newest only.
/// The error is a sentence fragment that says why the file cannot be run.
pub fn texts(bytes: &[u8], device: u32) -> Result<Vec<String>, String> {
    let members = match archive::is_archive(bytes) {
        true => archive::members(bytes).map_err(|e| e.to_string())?,
        false => vec![bytes],
    };
    let mut out = Vec::new();
    for member in members {
        let binary = Binary::parse(member).map_err(|e| e.to_string())?;
        for block in &binary.blocks {
            let entries = &block.container.entries;
            let any =
                || entries.iter().filter(|entry| entry.kind == Kind::Ptx).max_by_key(|entry| entry.arch);
            let entry = best_ptx(entries, device).or_else(any);
            let entry = entry.ok_or(
                "it has machine code without PTX; build it with `-gencode arch=compute_90,code=compute_90`",
            )?;
            out.push(entry.ptx().map_err(|e| e.to_string())?);
        }
    }
    if out.iter().any(|text| text.contains(SYNC)) {
        out.push(GRID_SYNC.to_owned());
    }
    match out.is_empty() {
        true => Err("it has no device code".into()),
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
        assert_eq!(texts(&own, 90).unwrap_err(), "it has no device code");
        assert!(texts(b"no file", 90).is_err());
        assert!(texts(b"!<arch>\n", 90).is_err());
    }
}

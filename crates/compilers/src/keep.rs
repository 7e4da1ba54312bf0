//! The user's folder for what can be made again, and names of files in it.

use std::path::PathBuf;

/// The user's folder for what can be made again; `None` if there is no home.
pub fn cache() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?.join("warprace");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder)
}

/// FNV-1a of 128 bits over the parts and their lengths.
pub fn hash(parts: &[&[u8]]) -> u128 {
    let bytes = parts
        .iter()
        .flat_map(|part| (part.len() as u64).to_le_bytes().into_iter().chain(part.iter().copied()));
    bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b)
    })
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
    }
}

//! Object files in an archive (`ar`), such as the toolkit's `libcudadevrt.a`.

use crate::elf::damaged;
use crate::error::Error;
use object::read::archive::ArchiveFile;

/// Returns whether a file is an archive.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"!<arch>\n")
}

/// Returns the bytes of each member, in order.
pub fn members(bytes: &[u8]) -> Result<Vec<&[u8]>, Error> {
    let archive = ArchiveFile::parse(bytes).map_err(damaged)?;
    archive.members().map(|member| member.and_then(|member| member.data(bytes)).map_err(damaged)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an archive of one member.
    fn archive(body: &[u8]) -> Vec<u8> {
        let mut out = b"!<arch>\n".to_vec();
        let header = format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", "a.o/", 0, 0, 0, 644, body.len());
        out.extend(header.bytes().chain(body.iter().copied()));
        out
    }

    #[test]
    fn members_have_their_bytes_and_a_short_file_is_an_error() {
        let whole = archive(b"\x7fELF");
        assert!(is_archive(&whole) && !is_archive(b"\x7fELF"));
        assert_eq!(members(&whole).unwrap(), [b"\x7fELF"]);
        assert!(members(&whole[..whole.len() - 1]).is_err());
    }
}

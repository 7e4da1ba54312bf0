//! Reads bytes as a session, and, after a valid header, as its compressed sections.

use snapshot::session::{Limits, Session};

/// Checks that reading ends, in time and within its limits.
pub(crate) fn exercise(bytes: &[u8]) {
    let limits = Limits { section: 1 << 20, sections: 1000, bytes: 1 << 24, addresses: 1 << 30 };
    // Both results, success and error, are acceptable.
    let _ = Session::read(bytes, limits);
    let mut packed = b"WRSESSIO\x01\0\0\0\0\0\0\0".to_vec();
    packed.extend(zstd::encode_all(bytes, 1).unwrap_or_default());
    let _ = Session::read(&packed[..], limits);
}

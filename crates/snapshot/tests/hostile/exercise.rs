//! Reads bytes as a saved launch, and, after a valid header, as its compressed records.

use snapshot::{Launch, Limits, Object, Range, Target, read};
use std::convert::Infallible;

/// A target that discards all records.
pub(crate) struct Nobody;

impl Target for Nobody {
    type Error = Infallible;

    fn launch(&mut self, _: Launch) -> Result<(), Infallible> {
        Ok(())
    }

    fn range(&mut self, _: Range) -> Result<(), Infallible> {
        Ok(())
    }

    fn bytes(&mut self, _: u64, _: &[u8]) -> Result<(), Infallible> {
        Ok(())
    }

    fn object(&mut self, _: Object) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Checks that reading ends, in time and within its limits.
pub(crate) fn exercise(bytes: &[u8]) {
    let limits = Limits { record: 1 << 20, ranges: 100, addresses: 1 << 30, contents: 1 << 24, objects: 100 };
    // Both results, success and error, are acceptable.
    let _ = read(bytes, limits, &mut Nobody);
    let mut packed = b"WRLAUNCH\x02\0\0\0\0\0\0\0".to_vec();
    packed.extend(zstd::encode_all(bytes, 1).unwrap_or_default());
    let _ = read(&packed[..], limits, &mut Nobody);
}

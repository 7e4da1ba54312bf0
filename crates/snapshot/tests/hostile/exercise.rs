//! Bytes as a saved launch, and, behind a good beginning, as its records.

use snapshot::{Launch, Limits, Object, Range, Target, read};
use std::convert::Infallible;

/// Nobody keeps anything.
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

/// What is read ends, in time and within its limits.
pub(crate) fn exercise(bytes: &[u8]) {
    let limits = Limits { record: 1 << 20, ranges: 100, addresses: 1 << 30, contents: 1 << 24, objects: 100 };
    // Whether it is an error is no matter.
    let _ = read(bytes, limits, &mut Nobody);
    let mut packed = b"WRLAUNCH\x02\0\0\0\0\0\0\0".to_vec();
    packed.extend(zstd::encode_all(bytes, 1).unwrap_or_default());
    let _ = read(&packed[..], limits, &mut Nobody);
}

//! Lanes that leave bytes out between them.

use crate::ptx::history::stamp::Stamp;
use events::Access;

/// Lanes in a row that access one or two bytes each, each next one as far behind the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Strided {
    first: u32,
    lanes: u32,
    address: u64,
    stride: u8,
}

/// How far they are apart at most: pixels of four floats.
const APART: u64 = 16;

/// Returns such an access.
pub(crate) fn strided(access: &Access<'_>, bytes: u64) -> Option<Strided> {
    if bytes > 2 || access.mask.count_ones() < 2 {
        return None;
    }
    let (mask, addresses) = (access.mask, access.addresses);
    let first = mask.trailing_zeros();
    let lanes = mask.count_ones();
    let row = addresses.get(first as usize..(first + lanes) as usize)?;
    let stride = access.stride.unwrap_or_else(|| row[1].wrapping_sub(row[0]));
    let aligned = (row[0] | stride) & (bytes - 1) == 0;
    if stride <= bytes || stride > APART || !aligned || (mask >> first).trailing_ones() != lanes {
        return None;
    }
    let apart = |pair: &[u64]| pair[1].wrapping_sub(pair[0]) == stride;
    let one = access.stride.is_some() || row.windows(2).all(apart);
    let last = row[0].checked_add(u64::from(lanes) * stride).is_some();
    (one && last).then_some(Strided { first, lanes, address: row[0], stride: stride as u8 })
}

impl Strided {
    /// Calls `line` with the number of each line that it touches, and its stamp there, as [`Run::lines`](super::Run::lines).
    pub(crate) fn lines(&self, bytes: u64, stamp: &Stamp, mut line: impl FnMut(u64, &Stamp)) {
        let Strided { first, lanes, address, stride } = *self;
        let place = |lane: u32| address + u64::from(lane) * u64::from(stride);
        let mut lane = 0;
        while lane < lanes {
            let number = place(lane) / 128;
            let end = (number + 1) * 128;
            let last = lanes.min(lane + (end - place(lane)).div_ceil(stride.into()) as u32) - 1;
            let from = (place(lane) % 128) as u8;
            line(number, &stamp.of_strided(first + lane, first + last, bytes, stride, from));
            lane = last + 1;
        }
    }
}

//! Tensor maps that the program has made. The driver's encoding is not documented, so this module remembers which bytes
//! the driver wrote for which map, and puts warprace's own encoding ([`kernels::tensor_map`]) in their place in what is
//! saved for the virtual GPU.

use kernels::tensor_map::{BYTES, TensorMap};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

type Encoded = [u8; BYTES];

/// The maps by the driver's first eight bytes.
#[derive(Default)]
struct Known(HashMap<[u8; 8], Vec<(Encoded, Encoded)>>);

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
/// Whether there are maps.
static ANY: AtomicBool = AtomicBool::new(false);

impl Known {
    fn add(&mut self, theirs: Encoded, own: Encoded) {
        let all = self.0.entry(start(&theirs)).or_default();
        match all.iter_mut().find(|(known, _)| *known == theirs) {
            Some((_, known)) => *known = own,
            None => all.push((theirs, own)),
        }
    }

    fn own(&self, theirs: &[u8]) -> Option<&Encoded> {
        let all = self.0.get(theirs.first_chunk::<8>()?)?;
        all.iter().find(|(known, _)| known[..] == *theirs).map(|(_, own)| own)
    }

    fn exchange(&self, bytes: &mut [u8]) {
        let mut at = 0;
        while let Some(place) = bytes.get_mut(at..at + BYTES) {
            match self.own(place) {
                Some(own) => {
                    place.copy_from_slice(own);
                    at += BYTES;
                }
                None => at += 8,
            }
        }
    }
}

fn start(encoded: &Encoded) -> [u8; 8] {
    std::array::from_fn(|i| encoded[i])
}

/// Records the bytes that the driver wrote for a map.
pub(crate) fn made(theirs: Encoded, map: &TensorMap) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.get_or_insert_default().add(theirs, map.encode());
    ANY.store(true, Ordering::Release);
}

/// Records the bytes that a map has after the driver has given it another address.
pub(crate) fn moved(before: &Encoded, theirs: Encoded, address: u64) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(known) = known.as_mut() else { return };
    let own = known.own(before).and_then(|own| TensorMap::decode(own).ok());
    if let Some(map) = own {
        known.add(theirs, TensorMap { address, ..map }.encode());
    }
}

/// Replaces each of the driver's maps that lies in these bytes at a multiple of eight.
pub(crate) fn exchange(bytes: &mut [u8]) {
    if !ANY.load(Ordering::Acquire) {
        return;
    }
    if let Some(known) = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
        known.exchange(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernels::tensor_map::Described;

    #[test]
    fn maps_of_the_driver_become_maps_that_the_virtual_gpu_reads() {
        let described = |address| Described {
            element: 3,
            address,
            sizes: &[64, 16],
            strides: &[256],
            steps: &[1, 1],
            interleave: 0,
            swizzle: 0,
            fill: 0,
        };
        let map = |address| described(address).tiled(&[64, 8]).unwrap();
        let (first, second): (Encoded, Encoded) = ([7; BYTES], [8; BYTES]);
        made(first, &map(0x1000));
        moved(&first, second, 0x2000);
        // A word, two maps, and what is no whole map.
        let mut bytes = [&[9; 8][..], &first, &second, &[7; 120]].concat();
        exchange(&mut bytes);
        let at = |from: usize| TensorMap::decode(bytes[from..].first_chunk().unwrap());
        assert_eq!((at(8).unwrap(), at(136).unwrap()), (map(0x1000), map(0x2000)));
        assert_eq!((&bytes[..8], &bytes[264..]), (&[9; 8][..], &[7; 120][..]));
    }
}

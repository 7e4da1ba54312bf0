//! Copies and memsets.

use super::memory::Memories;
use super::{Recorder, with};
use crate::driver::is_known;
use crate::images::{self, Copy3d};
use crate::streams::is_captured;
use crate::tensor_maps;
use snapshot::session::{Fill, Shape, Side, Step};
use std::ffi::{c_uint, c_void};
use std::io;

type Handle = *mut c_void;

/// `CU_MEMORYTYPE_HOST`, `_DEVICE`, `_ARRAY`, `_UNIFIED`
const HOST: c_uint = 1;
const DEVICE: c_uint = 2;
const ARRAY: c_uint = 3;
const UNIFIED: c_uint = 4;

/// A side of a copy as the session has it, and the address of pageable memory.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) side: Side,
    pub(super) host: u64,
    row: u64,
    slice: u64,
}

/// A copy as the session has it.
#[derive(Clone, Copy)]
pub(super) struct Copy {
    pub(super) to: Place,
    pub(super) from: Place,
    pub(super) shape: Shape,
}

impl Copy {
    /// Returns the bytes that pageable memory holds on the side that is read.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let Shape { width, height, depth } = self.shape;
        let mut out = Vec::new();
        if self.from.side != Side::Host {
            return out;
        }
        for z in 0..depth {
            for y in 0..height {
                let at = self.from.host + z * self.from.slice + y * self.from.row;
                // SAFETY: the program passes these rows to the driver, which reads them.
                out.extend(unsafe { std::slice::from_raw_parts(at as *const u8, width as usize) });
            }
        }
        tensor_maps::exchange(&mut out);
        out
    }

    fn words(&self) -> Vec<u64> {
        let at = |place: Place| match place.side {
            Side::Memory { at, .. } => Some(at),
            Side::Host => None,
        };
        [self.to, self.from].into_iter().filter_map(at).collect()
    }
}

/// Returns the place of an address; the error is a sentence fragment.
fn place(memory: &Memories, at: u64, row: u64, slice: u64) -> Result<Place, &'static str> {
    let side = match memory.at(at) {
        Some(_) => Side::Memory { at, row, slice },
        None if is_known(at) => return Err("it uses memory whose allocation is not in the session"),
        None => Side::Host,
    };
    Ok(Place { side, host: at, row, slice })
}

impl Recorder {
    /// Returns the session's form of a copy in three dimensions.
    pub(super) fn copy_3d(&mut self, how: &Copy3d) -> io::Result<Result<Copy, &'static str>> {
        let (width, height, depth) = (how.width as u64, how.height as u64, how.depth as u64);
        let shape = Shape { width, height, depth };
        let mut ends = Vec::new();
        for side in [how.to, how.from] {
            let images::Side { x, y, z, .. } = side;
            let (x, y, z) = (x as u64, y as u64, z as u64);
            // A pitch of 0 stands for packed rows.
            let row = if side.pitch == 0 { width } else { side.pitch as u64 };
            let slice = row * if side.height == 0 { height } else { side.height as u64 };
            let base = match side.kind {
                HOST => side.host,
                DEVICE | UNIFIED => side.device,
                ARRAY => match self.array(side.array)? {
                    Some(array) => {
                        let snapshot::Layout { base, row, slice, .. } = array.layout;
                        ends.push(place(&self.memory, base + z * slice + y * row + x, row, slice));
                        continue;
                    }
                    None => return Ok(Err("its array is not understood")),
                },
                _ => return Ok(Err("a side of it is not understood")),
            };
            ends.push(place(&self.memory, base + z * slice + y * row + x, row, slice));
        }
        Ok(match ends[..] {
            [Ok(to), Ok(from)] => Ok(Copy { to, from, shape }),
            [Err(why), _] | [_, Err(why)] => Err(why),
            _ => Err("it is not understood"),
        })
    }

    fn copied(&mut self, api: &str, handle: Handle, copy: Result<Copy, &'static str>) -> io::Result<()> {
        let copy = match copy {
            Ok(copy) if copy.shape.bytes() == Some(0) => return Ok(()),
            // The host copies for itself.
            Ok(Copy { to: Place { side: Side::Host, .. }, from: Place { side: Side::Host, .. }, .. }) => {
                return Ok(());
            }
            Ok(copy) => copy,
            Err(why) => return self.not_recorded(api, why),
        };
        self.host_wrote()?;
        let stream = self.stream(handle)?;
        let Copy { to, from, shape } = copy;
        let synchronous = !api.ends_with("Async");
        let (to, from, bytes) = (to.side, from.side, copy.bytes());
        self.call(api, Step::Copied { to, from, shape, stream, synchronous }, bytes)?;
        self.flies(stream, &copy.words());
        Ok(())
    }
}

/// Records a copy of one line that is about to be made.
pub(crate) fn copied(api: &'static str, handle: Handle, to: u64, from: u64, bytes: usize) {
    if is_captured(handle) {
        return;
    }
    with(|session| {
        let line = |at| place(&session.memory, at, bytes as u64, bytes as u64);
        let copy =
            line(to).and_then(|to| Ok(Copy { to, from: line(from)?, shape: Shape::line(bytes as u64) }));
        session.copied(api, handle, copy)
    });
}

/// Records a copy in three dimensions that is about to be made.
pub(crate) fn copied_3d(api: &'static str, handle: Handle, how: &Copy3d) {
    if is_captured(handle) {
        return;
    }
    with(|session| {
        let copy = session.copy_3d(how)?;
        session.copied(api, handle, copy)
    });
}

/// Records a memset that is about to be made: `height` rows of `width` elements.
pub(crate) fn filled(
    api: &'static str,
    handle: Handle,
    (at, pitch): (u64, usize),
    (value, element): (u32, u32),
    (width, height): (usize, usize),
) {
    if width == 0 || height == 0 || is_captured(handle) {
        return;
    }
    with(|session| {
        let width = width as u64 * u64::from(element);
        let fill = Fill { at, row: (pitch as u64).max(width), width, height: height as u64, value, element };
        if session.memory.at(at).is_none() {
            return session.not_recorded(api, "it uses memory whose allocation is not in the session");
        }
        session.host_wrote()?;
        let stream = session.stream(handle)?;
        let synchronous = !api.ends_with("Async");
        session.call(api, Step::Filled { fill, stream, synchronous }, Vec::new())?;
        session.flies(stream, &[at]);
        Ok(())
    });
}

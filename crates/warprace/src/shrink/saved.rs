//! A saved launch in memory, alone or with what it races with: read, cut down, and written again.

use super::beside::Beside;
use snapshot::{Launch, Limits, Object, PIECE, Range, Target, Writer};
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

/// Contents that are read into memory; larger launches are refused.
const MOST: u64 = 1 << 30;

#[derive(Clone, Debug)]
pub(super) struct Saved {
    pub(super) launch: Launch,
    pub(super) ranges: Vec<Memory>,
    pub(super) objects: Vec<Object>,
    /// The other side of the race; `None` if it is another thread of the launch.
    pub(super) beside: Option<Beside>,
    /// The numbers in the kernels that were changed: before and after.
    pub(super) constants: Vec<(u64, u64)>,
}

/// An allocation and its contents that are not zero.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) range: Range,
    /// Offsets and bytes, ascending.
    pub(super) pieces: Vec<(u64, Vec<u8>)>,
}

#[derive(Default)]
struct Reader {
    launch: Option<Launch>,
    ranges: Vec<Memory>,
    objects: Vec<Object>,
}

impl Target for Reader {
    type Error = std::convert::Infallible;

    fn launch(&mut self, launch: Launch) -> Result<(), Self::Error> {
        self.launch = Some(launch);
        Ok(())
    }

    fn range(&mut self, range: Range) -> Result<(), Self::Error> {
        self.ranges.push(Memory { range, pieces: Vec::new() });
        Ok(())
    }

    fn bytes(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Self::Error> {
        if let Some(memory) = self.ranges.last_mut() {
            memory.pieces.push((offset, bytes.to_vec()));
        }
        Ok(())
    }

    fn object(&mut self, object: Object) -> Result<(), Self::Error> {
        self.objects.push(object);
        Ok(())
    }
}

impl Saved {
    pub(super) fn read(path: &Path) -> Result<Saved, String> {
        let file = File::open(path).map_err(|e| crate::terminal::plain(&e))?;
        let limits = Limits { contents: MOST, ..Limits::default() };
        let mut all = Reader::default();
        snapshot::read(BufReader::new(file), limits, &mut all).map_err(|e| e.to_string())?;
        let Reader { launch: Some(launch), ranges, objects } = all else {
            return Err("there is no launch in it".into());
        };
        Ok(Saved { launch, ranges, objects, beside: None, constants: Vec::new() })
    }

    /// Adds another launch, with the memory that this one has not.
    pub(super) fn with_launch(&self, other: &Saved, programmatic: bool) -> Saved {
        let mut both = self.clone();
        let is_new = |memory: &&Memory| {
            let at = &memory.range.allocation;
            let end = at.base + at.bytes;
            let meets = |known: &Memory| {
                let known = &known.range.allocation;
                known.base < end && at.base < known.base + known.bytes
            };
            !self.ranges.iter().any(meets)
        };
        both.ranges.extend(other.ranges.iter().filter(is_new).cloned());
        both.beside = Some(Beside::Launch { launch: other.launch.clone(), programmatic });
        both
    }

    /// Returns the launches: one or two.
    pub(super) fn launches(&self) -> Vec<&Launch> {
        let second = match &self.beside {
            Some(Beside::Launch { launch, .. }) => Some(launch),
            _ => None,
        };
        std::iter::once(&self.launch).chain(second).collect()
    }

    /// Returns a launch by its number, 0 or 1; the first for other numbers.
    pub(super) fn launch_mut(&mut self, number: usize) -> &mut Launch {
        match &mut self.beside {
            Some(Beside::Launch { launch, .. }) if number == 1 => launch,
            _ => &mut self.launch,
        }
    }

    /// Returns whether all launches are of one module.
    pub(super) fn is_one_module(&self) -> bool {
        let key = |l: &Launch| (l.device, l.variables.clone(), l.texts.clone());
        self.launches().into_iter().all(|launch| key(launch) == key(&self.launch))
    }

    /// Returns the variables of the modules.
    pub(super) fn variables(&self) -> impl Iterator<Item = &(String, u64)> {
        self.launches().into_iter().flat_map(|launch| &launch.variables)
    }

    /// Writes the launch, without what is beside it.
    pub(super) fn write(&self, path: &Path) -> std::io::Result<()> {
        let mut writer = Writer::new(BufWriter::new(File::create(path)?), &self.launch)?;
        for memory in &self.ranges {
            writer.range(&memory.range, |offset, into| {
                memory.fill(offset, into);
                Ok(())
            })?;
        }
        for object in &self.objects {
            writer.object(object)?;
        }
        writer.finish()?.flush()
    }

    /// Returns the bytes of all allocations.
    pub(super) fn bytes(&self) -> u64 {
        self.ranges.iter().map(|memory| memory.range.allocation.bytes).sum()
    }

    /// Returns the index of the allocation that contains an address, and the offset in it.
    pub(super) fn find(&self, address: u64) -> Option<(usize, u64)> {
        self.ranges.iter().enumerate().find_map(|(i, memory)| {
            let at = &memory.range.allocation;
            let offset = address.checked_sub(at.base)?;
            (offset < at.bytes).then_some((i, offset))
        })
    }
}

impl Memory {
    /// Copies contents from an offset on; zeros where there are none.
    pub(super) fn fill(&self, offset: u64, into: &mut [u8]) {
        into.fill(0);
        let end = offset + into.len() as u64;
        for (at, bytes) in &self.pieces {
            let (from, to) = ((*at).max(offset), (at + bytes.len() as u64).min(end));
            if from < to {
                let source = &bytes[(from - at) as usize..(to - at) as usize];
                into[(from - offset) as usize..(to - offset) as usize].copy_from_slice(source);
            }
        }
    }

    /// Removes everything beyond a number of bytes.
    pub(super) fn truncate(&mut self, bytes: u64) {
        self.range.allocation.bytes = bytes;
        self.pieces.retain(|(at, _)| *at < bytes);
        for (at, piece) in &mut self.pieces {
            piece.truncate((bytes - *at).min(PIECE as u64) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_is_the_same_after_it_was_read_and_written() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/snapshots/scatter.launch");
        let saved = Saved::read(&path).unwrap();
        let copy = std::env::temp_dir().join(format!("warprace-saved-{}", std::process::id()));
        saved.write(&copy).unwrap();
        let again = Saved::read(&copy).unwrap();
        std::fs::remove_file(&copy).unwrap();
        assert_eq!(again.launch, saved.launch);
        assert_eq!(again.ranges.len(), saved.ranges.len());
        for (a, b) in again.ranges.iter().zip(&saved.ranges) {
            assert_eq!((&a.range, &a.pieces), (&b.range, &b.pieces));
        }
    }
}

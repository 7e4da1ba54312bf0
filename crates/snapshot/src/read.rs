//! The reader of untrusted files.

use crate::{
    Error, HIGHEST, Launch, MOST_DEVICES, Object, PIECE, Range, ReadError, SIGNATURE, VERSION, kind,
};
use serde::de::DeserializeOwned;
use std::io::{self, BufReader, Read};

/// Upper bounds on the content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one JSON record, including the PTX in it.
    pub record: u32,
    /// The number of ranges of memory.
    pub ranges: usize,
    /// Bytes of address space of all ranges.
    pub addresses: u64,
    /// Bytes of contents that are not zero.
    pub contents: u64,
    /// The number of textures and surfaces.
    pub objects: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            record: 256 << 20,
            ranges: 1 << 20,
            addresses: 1 << 40,
            contents: 256 << 30,
            objects: 1 << 20,
        }
    }
}

/// Receives the records of a file while [`read`] decodes it.
pub trait Target {
    /// The reason for rejecting a record: a sentence fragment for messages.
    type Error;

    /// Receives the launch, before any other record.
    fn launch(&mut self, launch: Launch) -> Result<(), Self::Error>;

    /// Receives a range of memory, initially zero.
    fn range(&mut self, range: Range) -> Result<(), Self::Error>;

    /// Receives contents of the last range, inside its bounds.
    fn bytes(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Self::Error>;

    /// Receives a texture or surface, whose memory lies in a range that came earlier.
    fn object(&mut self, object: Object) -> Result<(), Self::Error>;
}

/// Reads a file to its end. On an error, `target` has received the records before it.
pub fn read<T: Target>(
    mut input: impl Read,
    limits: Limits,
    target: &mut T,
) -> Result<(), ReadError<T::Error>> {
    head(&mut input)?;
    let decoder = zstd::Decoder::new(input).map_err(Error::Io)?.single_frame();
    let mut records = Records { input: BufReader::with_capacity(1 << 16, decoder), limits };
    if records.kind()? != kind::LAUNCH {
        return Err(damaged("it does not begin with a launch").into());
    }
    let launch: Launch = records.json("the launch")?;
    sensible(&launch)?;
    target.launch(launch).map_err(ReadError::Target)?;
    let mut memory = Memory { end: 1, ..Memory::default() };
    let mut piece = [0; PIECE];
    loop {
        match records.kind()? {
            kind::END => break,
            kind::RANGE => {
                let range: Range = records.json("a range of memory")?;
                memory.range(&range, &limits)?;
                target.range(range).map_err(ReadError::Target)?;
            }
            kind::BYTES => {
                let (offset, length) = (records.u64()?, records.u32()?);
                memory.contents(offset, length, &limits)?;
                let piece = &mut piece[..length as usize];
                records.exact(piece)?;
                target.bytes(offset, piece).map_err(ReadError::Target)?;
            }
            kind::OBJECT => {
                let object: Object = records.json("a texture or surface")?;
                memory.object(&object, &limits)?;
                target.object(object).map_err(ReadError::Target)?;
            }
            other => return Err(damaged(format!("there is no record of kind {other}")).into()),
        }
    }
    // Reaching the end of the frame makes zstd verify its checksum.
    match records.input.read(&mut [0]).map_err(failed)? {
        0 => Ok(()),
        _ => Err(damaged("something follows its end").into()),
    }
}

/// Reads and checks the signature and the version.
fn head(input: &mut impl Read) -> Result<(), Error> {
    let mut head = [0; 16];
    let mut got = 0;
    while got < head.len() {
        match input.read(&mut head[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Error::Io(e)),
        }
    }
    if !head[..got].starts_with(&SIGNATURE) {
        return Err(Error::NotALaunch);
    }
    if got < head.len() {
        return Err(Error::Truncated);
    }
    let version = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
    if version == 0 || version > VERSION {
        return Err(Error::Version(version));
    }
    Ok(())
}

/// The ranges, objects and contents that were read so far, checked against the limits.
#[derive(Default)]
struct Memory {
    /// The end and the length of the last range.
    end: u64,
    bytes: u64,
    /// The start and the end of every range.
    ranges: Vec<(u64, u64)>,
    objects: usize,
    addresses: u64,
    contents: u64,
    /// The offset in the last range up to which its contents were read.
    filled: u64,
}

impl Memory {
    fn range(&mut self, range: &Range, limits: &Limits) -> Result<(), Error> {
        let (base, bytes) = (range.allocation.base, range.allocation.bytes);
        let end = base.checked_add(bytes).filter(|&end| bytes > 0 && base >= self.end && end <= HIGHEST);
        let Some(end) = end else {
            return Err(damaged(format!("{bytes} bytes of memory at {base:#x} cannot be there")));
        };
        if range.allocation.device >= MOST_DEVICES {
            return Err(damaged(format!("memory of device {}", range.allocation.device)));
        }
        self.addresses = self.addresses.saturating_add(bytes);
        if self.objects > 0 {
            return Err(damaged("memory is behind what lies in it"));
        }
        if self.ranges.len() >= limits.ranges {
            return Err(Error::TooLarge(format!("more than {} ranges of memory", limits.ranges)));
        }
        if self.addresses > limits.addresses {
            return Err(Error::TooLarge(format!("more than {} bytes of memory", limits.addresses)));
        }
        self.ranges.push((base, end));
        (self.end, self.bytes, self.filled) = (end, bytes, 0);
        Ok(())
    }

    fn object(&mut self, object: &Object, limits: &Limits) -> Result<(), Error> {
        self.objects += 1;
        if self.objects > limits.objects {
            return Err(Error::TooLarge(format!("more than {} textures and surfaces", limits.objects)));
        }
        let holds = |base: u64, bytes: u64| {
            let at = self.ranges.partition_point(|(_, end)| *end <= base);
            self.ranges.get(at).is_some_and(|(from, end)| *from <= base && bytes <= end - base)
        };
        match object.memory() {
            Some((base, bytes)) if holds(base, bytes) => Ok(()),
            _ => Err(damaged(format!("the texture or surface {:#x} is not in its memory", object.handle))),
        }
    }

    fn contents(&mut self, offset: u64, length: u32, limits: &Limits) -> Result<(), Error> {
        let end = offset.checked_add(u64::from(length)).filter(|&end| end <= self.bytes);
        let Some(end) = end.filter(|_| length as usize <= PIECE && length > 0 && offset >= self.filled)
        else {
            return Err(damaged(format!("{length} bytes at offset {offset} are not in their range")));
        };
        self.filled = end;
        self.contents += u64::from(length);
        if self.contents > limits.contents {
            return Err(Error::TooLarge(format!("more than {} bytes of contents", limits.contents)));
        }
        Ok(())
    }
}

/// Returns an error if the launch has values that no launch can have.
fn sensible(launch: &Launch) -> Result<(), Error> {
    let zero = [launch.grid, launch.block, launch.cluster].iter().any(|d| d.x == 0 || d.y == 0 || d.z == 0);
    if zero {
        return Err(damaged("an extent of the launch is zero"));
    }
    if launch.device >= launch.devices || launch.devices > MOST_DEVICES {
        return Err(damaged(format!("device {} of {}", launch.device, launch.devices)));
    }
    if launch.params.len() > 1 << 16 {
        return Err(damaged("its parameters are too long"));
    }
    Ok(())
}

struct Records<R: Read> {
    input: R,
    limits: Limits,
}

impl<R: Read> Records<R> {
    fn exact(&mut self, into: &mut [u8]) -> Result<(), Error> {
        self.input.read_exact(into).map_err(failed)
    }

    fn kind(&mut self) -> Result<u8, Error> {
        let mut byte = [0];
        self.exact(&mut byte)?;
        Ok(byte[0])
    }

    fn u32(&mut self) -> Result<u32, Error> {
        let mut bytes = [0; 4];
        self.exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn u64(&mut self) -> Result<u64, Error> {
        let mut bytes = [0; 8];
        self.exact(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn json<T: DeserializeOwned>(&mut self, what: &str) -> Result<T, Error> {
        let length = self.u32()?;
        if length > self.limits.record {
            return Err(Error::TooLarge(format!("a record of {length} bytes")));
        }
        // The buffer grows with the bytes that arrive, not with the length that the record claims.
        let mut text = Vec::new();
        let got = (&mut self.input).take(u64::from(length)).read_to_end(&mut text).map_err(failed)?;
        if got < length as usize {
            return Err(Error::Truncated);
        }
        serde_json::from_slice(&text).map_err(|e| damaged(format!("{what}: {e}")))
    }
}

fn damaged(what: impl Into<String>) -> Error {
    Error::Damaged(what.into())
}

fn failed(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Error::Truncated,
        // zstd reports bytes that it cannot decode by these kinds.
        io::ErrorKind::Other | io::ErrorKind::InvalidData => Error::Damaged("its bytes were changed".into()),
        _ => Error::Io(error),
    }
}

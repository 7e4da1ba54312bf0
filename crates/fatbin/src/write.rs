//! Containers, made from images and put into files.

use crate::arch::{Arch, Variant};
use crate::compress::{Compression, compress};
use crate::container::{ENTRY_HEADER_BYTES, HEADER_BYTES, Kind, MAGIC, flags};
use crate::error::Error;
use std::ops::Range;

/// Builds a container as nvcc's fatbinary does: images aligned to 8 bytes.
#[derive(Clone, Debug, Default)]
pub struct ContainerBuilder {
    body: Vec<u8>,
}

impl ContainerBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a PTX text. `version` is its `.version`.
    pub fn ptx(&mut self, arch: Arch, version: (u16, u16), text: &str, compression: Compression) {
        self.entry(&Image {
            kind: Kind::Ptx,
            arch,
            version,
            name: None,
            options: None,
            image: text.as_bytes(),
            compression,
        });
    }

    pub fn entry(&mut self, new: &Image<'_>) {
        let payload = compress(new.image, new.compression);
        let mut tail = Vec::new();
        let name_at = new.name.map(|name| append(&mut tail, name.as_bytes()));
        let options_at = new.options.map(|options| {
            let at = ENTRY_HEADER_BYTES + tail.len();
            tail.extend((at as u32 + 8).to_le_bytes());
            tail.extend((options.len() as u32).to_le_bytes());
            append(&mut tail, options.as_bytes());
            at as u32
        });
        let stored = new.compression == Compression::Stored;
        let method = match new.compression {
            Compression::Stored => 0,
            Compression::Zlib => flags::ZLIB,
            Compression::Lz4 => flags::LZ4,
            Compression::Zstd => flags::ZSTD,
        };
        let variant = match new.arch.variant {
            Variant::Portable => 0,
            Variant::Family => flags::FAMILY_SPECIFIC,
            Variant::Specific => flags::ARCH_SPECIFIC,
        };
        let kind: u16 = match new.kind {
            Kind::Ptx => 1,
            Kind::Cubin => 2,
            Kind::Other(k) => k,
        };
        let padded = payload.len().next_multiple_of(8);
        let out = &mut self.body;
        out.extend(kind.to_le_bytes());
        out.extend(0x0101u16.to_le_bytes());
        out.extend(((ENTRY_HEADER_BYTES + tail.len()) as u32).to_le_bytes());
        out.extend((padded as u64).to_le_bytes());
        out.extend(if stored { 0 } else { payload.len() as u32 }.to_le_bytes());
        out.extend(options_at.unwrap_or(0).to_le_bytes());
        out.extend(new.version.1.to_le_bytes());
        out.extend(new.version.0.to_le_bytes());
        out.extend(new.arch.sm.to_le_bytes());
        out.extend(name_at.unwrap_or(0).to_le_bytes());
        out.extend((new.name.map_or(0, str::len) as u32).to_le_bytes());
        out.extend((flags::IS_64_BIT | flags::LINUX | method | variant).to_le_bytes());
        out.extend(0u64.to_le_bytes());
        out.extend(if stored { 0 } else { new.image.len() as u64 }.to_le_bytes());
        out.extend(&tail);
        out.extend(&payload);
        out.resize(out.len() + padded - payload.len(), 0);
    }

    /// The container's bytes, header included.
    pub fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER_BYTES + self.body.len());
        out.extend(MAGIC.to_le_bytes());
        out.extend(1u16.to_le_bytes());
        out.extend((HEADER_BYTES as u16).to_le_bytes());
        out.extend((self.body.len() as u64).to_le_bytes());
        out.extend(self.body);
        out
    }
}

/// An entry to be written.
#[derive(Clone, Debug)]
pub struct Image<'a> {
    pub kind: Kind,
    pub arch: Arch,
    pub version: (u16, u16),
    pub name: Option<&'a str>,
    pub options: Option<&'a str>,
    /// Uncompressed.
    pub image: &'a [u8],
    pub compression: Compression,
}

/// Puts a container into a file in place of the one at `old` (a [`crate::elf::Block`]'s offset and
/// container size): nothing else in the file moves, so the new one must not be larger.
pub fn replace(file: &mut [u8], old: Range<usize>, new: &[u8]) -> Result<(), Error> {
    let available = old.len();
    let what = "container to be replaced";
    let truncated =
        Error::Truncated { what, offset: old.start, needed: available as u64, available: file.len() };
    let place = file.get_mut(old).ok_or(truncated)?;
    if new.len() > available {
        return Err(Error::NoRoom { needed: new.len(), available });
    }
    let (head, tail) = place.split_at_mut(new.len());
    head.copy_from_slice(new);
    // As the linker fills gaps between containers.
    tail.fill(0);
    Ok(())
}

/// Appends `bytes` padded to 8 and returns its offset from the start of the entry.
fn append(tail: &mut Vec<u8>, bytes: &[u8]) -> u32 {
    let at = ENTRY_HEADER_BYTES + tail.len();
    tail.extend(bytes);
    tail.resize(tail.len().next_multiple_of(8), 0);
    at as u32
}

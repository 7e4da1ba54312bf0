//! A container and its entries.
//!
//! ```text
//! container   u32 magic 0xBA55ED50, u16 version 1, u16 header size, u64 bytes that follow
//! entry  +0   u16 kind (1 PTX, 2 cubin), u16 version 0x0101, u32 header size, u64 payload size (padded)
//!        +16  u32 compressed size or 0, u32 options offset or 0, u16 minor, u16 major, u32 sm
//!        +32  u32 name offset or 0, u32 name length, u64 flags, u64 0, u64 uncompressed size
//! options     u32 text offset, u32 text length
//! ```
//! Offsets are from the start of the entry. All is little-endian.

use crate::arch::{Arch, Variant};
use crate::compress::{Compression, decompress};
use crate::error::Error;
use crate::{MAX_CONTAINER_BYTES, MAX_IMAGE_BYTES};
use std::borrow::Cow;

pub const MAGIC: u32 = 0xBA55_ED50;
pub(crate) const HEADER_BYTES: usize = 16;
pub(crate) const ENTRY_HEADER_BYTES: usize = 64;

/// Bits of an entry's flags.
pub mod flags {
    pub const IS_64_BIT: u64 = 0x1;
    pub const DEBUG: u64 = 0x2;
    pub const LINUX: u64 = 0x10;
    pub const ZLIB: u64 = 0x1000;
    pub const LZ4: u64 = 0x2000;
    pub const ZSTD: u64 = 0x8000;
    /// `compute_90a`.
    pub const ARCH_SPECIFIC: u64 = 0x10_0000;
    /// `compute_100f`.
    pub const FAMILY_SPECIFIC: u64 = 0x20_0000;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Ptx,
    /// Machine code for one architecture, an ELF file of its own.
    Cubin,
    /// Kinds this crate does not know (NVVM IR, …) are kept, so that a container can be listed.
    Other(u16),
}

/// A parsed container, borrowing its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container<'a> {
    pub entries: Vec<Entry<'a>>,
    /// Bytes it occupies, header included.
    pub bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    pub kind: Kind,
    pub arch: Arch,
    /// For PTX its `.version`; cubins have numbers of their own.
    pub version: (u16, u16),
    pub flags: u64,
    /// The source file, if nvcc was asked for debug or line information.
    pub name: Option<Cow<'a, str>>,
    /// Options for ptxas, such as `--compile-only` for `-rdc=true`.
    pub options: Option<Cow<'a, str>>,
    pub compression: Compression,
    /// The image as stored.
    pub payload: &'a [u8],
    /// The image's size by its producer; 0 if it does not say.
    pub image_bytes: u64,
}

impl<'a> Container<'a> {
    /// Reads the container at the start of `bytes`, which may go on after it.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        let total = header(bytes)?;
        let body = total as usize;
        if body > bytes.len() {
            return Err(Error::Truncated {
                what: "container",
                offset: 0,
                needed: total,
                available: bytes.len(),
            });
        }
        let mut entries = Vec::new();
        let mut at = u16_at(bytes, 6) as usize;
        while at < body {
            let (entry, next) = Entry::parse(&bytes[..body], at)?;
            entries.push(entry);
            at = next;
        }
        Ok(Container { entries, bytes: body })
    }
}

/// The size of the container at the start of `bytes`, header included; its
/// body need not be in `bytes`.
pub(crate) fn header(bytes: &[u8]) -> Result<u64, Error> {
    need(bytes, 0, HEADER_BYTES as u64, "container header")?;
    let magic = u32_at(bytes, 0);
    if magic != MAGIC {
        return Err(Error::Magic { what: "container", offset: 0, found: magic, expected: MAGIC });
    }
    let version = u16_at(bytes, 4);
    if version != 1 {
        return Err(Error::Version { what: "container", offset: 0, found: version.into() });
    }
    let header = u16_at(bytes, 6) as u64;
    if header < HEADER_BYTES as u64 {
        return Err(Error::Size { what: "container header", offset: 0, found: header });
    }
    let body = u64_at(bytes, 8);
    match header.checked_add(body) {
        Some(total) if total <= MAX_CONTAINER_BYTES => Ok(total),
        _ => Err(Error::Size { what: "container", offset: 0, found: body }),
    }
}

impl<'a> Entry<'a> {
    fn parse(bytes: &'a [u8], at: usize) -> Result<(Self, usize), Error> {
        need(bytes, at, ENTRY_HEADER_BYTES as u64, "entry header")?;
        let field = &bytes[at..];
        let version = u16_at(field, 2);
        if version >> 8 != 1 {
            return Err(Error::Version { what: "entry", offset: at, found: version.into() });
        }
        let header = u32_at(field, 4) as usize;
        let padded = u64_at(field, 8);
        if header < ENTRY_HEADER_BYTES {
            return Err(Error::Size { what: "entry header", offset: at, found: header as u64 });
        }
        need(bytes, at, header as u64, "entry header")?;
        need(bytes, at + header, padded, "entry payload")?;
        let padded = padded as usize;
        let flags = u64_at(field, 40);
        let compressed = u32_at(field, 16) as usize;
        let method = flags & (flags::ZLIB | flags::LZ4 | flags::ZSTD);
        let (compression, length) = match method {
            0 if compressed == 0 => (Compression::Stored, padded),
            flags::ZLIB => (Compression::Zlib, compressed),
            flags::LZ4 => (Compression::Lz4, compressed),
            flags::ZSTD => (Compression::Zstd, compressed),
            _ => return Err(Error::UnknownCompression { flags }),
        };
        if length > padded {
            return Err(Error::Size { what: "compressed image", offset: at, found: length as u64 });
        }
        let text = |offset: u32, length: u32| {
            let (start, end) = (offset as usize, offset as usize + length as usize);
            (offset != 0 && end <= header)
                .then(|| String::from_utf8_lossy(trim(&field[start..end])))
                .filter(|t| !t.is_empty())
        };
        let options_at = u32_at(field, 20) as usize;
        let options = if options_at != 0 && options_at + 8 <= header {
            text(u32_at(field, options_at), u32_at(field, options_at + 4))
        } else {
            None
        };
        let variant = match flags & (flags::ARCH_SPECIFIC | flags::FAMILY_SPECIFIC) {
            0 => Variant::Portable,
            flags::FAMILY_SPECIFIC => Variant::Family,
            _ => Variant::Specific,
        };
        let entry = Entry {
            kind: match u16_at(field, 0) {
                1 => Kind::Ptx,
                2 => Kind::Cubin,
                other => Kind::Other(other),
            },
            arch: Arch { sm: u32_at(field, 28), variant },
            version: (u16_at(field, 26), u16_at(field, 24)),
            flags,
            name: text(u32_at(field, 32), u32_at(field, 36)),
            options,
            compression,
            payload: &field[header..header + length],
            image_bytes: u64_at(field, 56),
        };
        Ok((entry, at + header + padded))
    }

    /// The image, decompressed. At most [`MAX_IMAGE_BYTES`].
    pub fn image(&self) -> Result<Cow<'a, [u8]>, Error> {
        let hint = usize::try_from(self.image_bytes).unwrap_or(0);
        decompress(self.payload, self.compression, hint.min(MAX_IMAGE_BYTES), MAX_IMAGE_BYTES)
    }

    /// The PTX text without the zero bytes that may follow it. Bytes that are not UTF-8 (in
    /// comments or file names) are replaced.
    pub fn ptx(&self) -> Result<String, Error> {
        let image = self.image()?;
        let end = image.iter().position(|&b| b == 0).unwrap_or(image.len());
        Ok(match image {
            Cow::Borrowed(b) => String::from_utf8_lossy(&b[..end]).into_owned(),
            Cow::Owned(mut v) => {
                v.truncate(end);
                String::from_utf8(v).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
            }
        })
    }

    /// Compiled with `-rdc=true`, so that it may refer to other modules.
    pub fn is_relocatable(&self) -> bool {
        self.options.as_deref().is_some_and(|o| o.split_whitespace().any(|w| w == "--compile-only"))
    }
}

fn need(bytes: &[u8], at: usize, length: u64, what: &'static str) -> Result<(), Error> {
    let available = bytes.len().saturating_sub(at);
    if length > available as u64 {
        return Err(Error::Truncated { what, offset: at, needed: length, available });
    }
    Ok(())
}

fn trim(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&b| b == 0).unwrap_or(text.len());
    text[..end].trim_ascii()
}

// The callers have checked that the bytes are there.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u32_at(bytes, at) as u64 | (u32_at(bytes, at + 4) as u64) << 32
}

//! The writer of the file format.

use crate::{Launch, Object, PIECE, Range, SIGNATURE, VERSION, kind};
use serde::Serialize;
use std::io::{self, Write};

/// The number of bytes requested from the source of a range at once.
const CHUNK: usize = 1 << 20;

const ZEROS: [u8; PIECE] = [0; PIECE];

/// Writes a file. A file without [`Writer::finish`] is invalid.
pub struct Writer<W: Write> {
    out: zstd::Encoder<'static, W>,
}

impl<W: Write> Writer<W> {
    pub fn new(out: W, launch: &Launch) -> io::Result<Writer<W>> {
        Writer::by(out, launch, 3, 0)
    }

    /// Returns a writer that compresses less, in up to `threads` threads of its own, for programs that wait
    /// for it.
    pub fn quick(out: W, launch: &Launch, threads: u32) -> io::Result<Writer<W>> {
        Writer::by(out, launch, 1, threads)
    }

    fn by(mut out: W, launch: &Launch, level: i32, threads: u32) -> io::Result<Writer<W>> {
        out.write_all(&SIGNATURE)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&[0; 4])?;
        let mut out = zstd::Encoder::new(out, level)?;
        out.include_checksum(true)?;
        out.multithread(threads)?;
        let mut writer = Writer { out };
        writer.json(kind::LAUNCH, launch)?;
        Ok(writer)
    }

    fn json(&mut self, kind: u8, what: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_vec(what).map_err(io::Error::other)?;
        let length = u32::try_from(text.len()).map_err(io::Error::other)?;
        self.out.write_all(&[kind])?;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(&text)
    }

    /// Adds a range of memory, in ascending order of addresses. `contents` fills a slice with the bytes at an
    /// offset; pages of zeros are omitted.
    pub fn range(
        &mut self,
        range: &Range,
        mut contents: impl FnMut(u64, &mut [u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        self.json(kind::RANGE, range)?;
        let bytes = range.allocation.bytes;
        let mut buffer = vec![0; CHUNK.min(usize::try_from(bytes).unwrap_or(CHUNK))];
        let mut offset = 0;
        while offset < bytes {
            let length = (bytes - offset).min(CHUNK as u64) as usize;
            let chunk = &mut buffer[..length];
            contents(offset, chunk)?;
            for (i, piece) in chunk.chunks(PIECE).enumerate() {
                if piece != &ZEROS[..piece.len()] {
                    self.out.write_all(&[kind::BYTES])?;
                    self.out.write_all(&(offset + (i * PIECE) as u64).to_le_bytes())?;
                    self.out.write_all(&(piece.len() as u32).to_le_bytes())?;
                    self.out.write_all(piece)?;
                }
            }
            offset += length as u64;
        }
        Ok(())
    }

    /// Adds a texture or surface, after all ranges of memory.
    pub fn object(&mut self, object: &Object) -> io::Result<()> {
        self.json(kind::OBJECT, object)
    }

    /// Completes the file.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&[kind::END])?;
        self.out.finish()
    }
}

//! The writer of sessions.

use super::{Call, Header, Note, SIGNATURE, VERSION, kind};
use events::Site;
use serde::Serialize;
use std::io::{self, Write};

/// The largest section of bytes. Longer bytes of a call are several sections.
pub(super) const PIECE: usize = 1 << 20;

/// Writes a file, section by section.
pub struct Writer<W: Write> {
    out: zstd::Encoder<'static, W>,
    texts: u32,
    sites: u32,
    /// The bytes of all sections so far.
    written: u64,
}

impl<W: Write> Writer<W> {
    pub fn new(mut out: W, header: &Header) -> io::Result<Writer<W>> {
        out.write_all(&SIGNATURE)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&[0; 4])?;
        let mut out = zstd::Encoder::new(out, 1)?;
        out.include_checksum(true)?;
        let mut writer = Writer { out, texts: 0, sites: 0, written: 0 };
        writer.json(kind::HEADER, header)?;
        Ok(writer)
    }

    /// Returns the bytes of all sections so far, before compression.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Adds a PTX text, and returns its number.
    pub fn text(&mut self, text: &str) -> io::Result<u32> {
        self.section(kind::TEXT, text.as_bytes())?;
        self.texts += 1;
        Ok(self.texts - 1)
    }

    /// Adds a source position, and returns its number.
    pub fn site(&mut self, site: &Site) -> io::Result<u32> {
        self.json(kind::SITE, site)?;
        self.sites += 1;
        Ok(self.sites - 1)
    }

    /// Adds a call with its bytes.
    pub fn call(&mut self, call: &Call) -> io::Result<()> {
        for piece in call.bytes.chunks(PIECE) {
            self.section(kind::BYTES, piece)?;
        }
        self.json(kind::CALL, call)
    }

    pub fn note(&mut self, note: &Note) -> io::Result<()> {
        self.json(kind::NOTE, note)
    }

    /// Makes what was added readable, whatever becomes of the process.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Completes the file.
    pub fn finish(mut self) -> io::Result<W> {
        self.section(kind::END, &[])?;
        self.out.finish()
    }

    fn json(&mut self, kind: u8, what: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_vec(what).map_err(io::Error::other)?;
        self.section(kind, &text)
    }

    fn section(&mut self, kind: u8, content: &[u8]) -> io::Result<()> {
        let length = u32::try_from(content.len()).map_err(io::Error::other)?;
        self.written += 5 + u64::from(length);
        self.out.write_all(&[kind])?;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(content)
    }
}

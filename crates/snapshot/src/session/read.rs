//! The reader of untrusted sessions.

use super::check::Checked;
use super::error::{Error, damaged};
use super::write::PIECE;
use super::{Call, Header, Note, SIGNATURE, Session, VERSION, kind};
use events::Site;
use serde::de::DeserializeOwned;
use std::io::{self, BufReader, Read};

/// Upper bounds on the content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one section.
    pub section: u32,
    /// The number of sections.
    pub sections: usize,
    /// Bytes of all sections.
    pub bytes: u64,
    /// Bytes of address space of all memory that exists at one time.
    pub addresses: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { section: 256 << 20, sections: 1 << 24, bytes: 16 << 30, addresses: 1 << 40 }
    }
}

impl Session {
    /// Returns whether bytes begin as those of a session.
    pub fn is_one(head: &[u8]) -> bool {
        head.starts_with(&SIGNATURE)
    }

    /// Reads a file to its end, or to where the process that wrote it was killed.
    pub fn read(mut input: impl Read, limits: Limits) -> Result<Session, Error> {
        head(&mut input)?;
        let decoder = zstd::Decoder::new(input).map_err(Error::Io)?.single_frame();
        let mut sections =
            Sections { input: BufReader::with_capacity(1 << 16, decoder), limits, number: 0, bytes: 0 };
        let Some((kind::HEADER, first)) = sections.next()? else {
            return Err(damaged("it does not begin with its process"));
        };
        let header: Header = json("the process", &first)?;
        let mut checked = Checked::new(&header, limits.addresses)?;
        let (texts, sites, calls, notes) = Default::default();
        let mut session = Session { header, texts, sites, calls, notes, complete: false };
        let mut bytes = Vec::new();
        loop {
            let section = match sections.next() {
                Ok(Some(section)) => section,
                // The process was killed while it wrote.
                Ok(None) | Err(Error::Truncated) => return Ok(session),
                Err(error) => return Err(error),
            };
            match section {
                (kind::END, _) => break,
                (kind::TEXT, text) => {
                    let text = String::from_utf8(text).map_err(|_| damaged("a text is not UTF-8"))?;
                    session.texts.push(text);
                }
                (kind::SITE, text) => session.sites.push(json::<Site>("a source position", &text)?),
                (kind::BYTES, piece) if piece.len() <= PIECE => bytes.extend(piece),
                (kind::CALL, text) => {
                    let call = Call { bytes: std::mem::take(&mut bytes), ..json("a call", &text)? };
                    checked.call(&call, session.texts.len(), session.sites.len())?;
                    session.calls.push(call);
                }
                (kind::NOTE, text) => session.notes.push(json::<Note>("a note", &text)?),
                (other, _) => return Err(damaged(format!("there is no section of kind {other}"))),
            }
        }
        // Reaching the end of the frame makes zstd verify its checksum.
        match sections.input.read(&mut [0]).map_err(failed)? {
            0 => Ok(Session { complete: true, ..session }),
            _ => Err(damaged("something follows its end")),
        }
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
    if !Session::is_one(&head[..got]) {
        return Err(Error::NotASession);
    }
    if got < head.len() {
        return Err(Error::Truncated);
    }
    match u32::from_le_bytes([head[8], head[9], head[10], head[11]]) {
        VERSION => Ok(()),
        other => Err(Error::Version(other)),
    }
}

struct Sections<R: Read> {
    input: BufReader<R>,
    limits: Limits,
    number: usize,
    bytes: u64,
}

impl<R: Read> Sections<R> {
    /// Returns the next section; `None` where the file ends between two.
    fn next(&mut self) -> Result<Option<(u8, Vec<u8>)>, Error> {
        let mut head = [0; 5];
        if self.input.read(&mut head[..1]).map_err(failed)? == 0 {
            return Ok(None);
        }
        self.input.read_exact(&mut head[1..]).map_err(failed)?;
        let [kind, length @ ..] = head;
        let length = u32::from_le_bytes(length);
        self.number += 1;
        self.bytes += u64::from(length);
        let Limits { section, sections, bytes, .. } = self.limits;
        if length > section || self.number > sections || self.bytes > bytes {
            let what = format!("section {} of {length} bytes, {} bytes so far", self.number, self.bytes);
            return Err(Error::TooLarge(what));
        }
        // The buffer grows with the bytes that arrive, not with the length that the section claims.
        let mut content = Vec::new();
        let got = (&mut self.input).take(u64::from(length)).read_to_end(&mut content).map_err(failed)?;
        match got < length as usize {
            true => Err(Error::Truncated),
            false => Ok(Some((kind, content))),
        }
    }
}

fn json<T: DeserializeOwned>(what: &str, text: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(text).map_err(|e| damaged(format!("{what}: {e}")))
}

fn failed(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Error::Truncated,
        // zstd reports bytes that it cannot decode by these kinds.
        io::ErrorKind::Other | io::ErrorKind::InvalidData => Error::Damaged("its bytes were changed".into()),
        _ => Error::Io(error),
    }
}

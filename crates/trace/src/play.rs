//! Playing a trace back to a monitor.

use crate::batch::Batch;
use crate::decode::{Cursor, Malformed};
use crate::order::Waits;
use crate::player::{Heard, Played, Player};
use crate::{CHUNK, Error, MAGIC, MAX_CHUNK, NAMES_ENGINE, OLDEST, VERSION, check};
use events::Monitor;
use names::Engine;
use std::io::Read;

/// Splits a trace into chunks.
pub(crate) struct Reader<R> {
    input: R,
    offset: u64,
    engine: Engine,
}

/// A chunk as it is in the file.
pub(crate) struct Chunk {
    offset: u64,
    packed: Vec<u8>,
    /// Bytes once decompressed, and the check of those that are not.
    size: u32,
    check: u32,
}

impl<R: Read> Reader<R> {
    /// Checks the header.
    pub(crate) fn new(mut input: R) -> Result<Self, Error> {
        let mut header = [0; 12];
        if read_full(&mut input, &mut header)? < header.len() || header[..8] != MAGIC[..] {
            return Err(Error::NotATrace);
        }
        let version = word(&header[8..]);
        if !(OLDEST..=VERSION).contains(&version) {
            return Err(Error::Version(version));
        }
        let (mut offset, mut engine) = (12, Engine::Virtual);
        if version >= NAMES_ENGINE {
            let mut name = vec![0; usize::from(byte(&mut input)?)];
            if read_full(&mut input, &mut name)? < name.len() {
                return Err(Error::Truncated { offset });
            }
            offset += 1 + name.len() as u64;
            let name = String::from_utf8_lossy(&name).into_owned();
            engine = name.parse().map_err(|_| Error::Engine(name))?;
        }
        Ok(Reader { input, offset, engine })
    }

    /// Returns the engine of the recorded run.
    pub(crate) fn engine(&self) -> Engine {
        self.engine
    }

    /// Nothing at the end of the file.
    pub(crate) fn next_chunk(&mut self) -> Result<Option<Chunk>, Error> {
        let offset = self.offset;
        let mut header = [0; 16];
        match read_full(&mut self.input, &mut header)? {
            0 => return Ok(None),
            16 => {}
            _ => return Err(Error::Truncated { offset }),
        }
        let (bytes, size) = (word(&header[4..]), word(&header[8..]));
        let mut chunk = Chunk { offset, packed: Vec::new(), size, check: word(&header[12..]) };
        if word(&header) != CHUNK {
            return Err(chunk.damaged("a chunk does not begin with its mark"));
        }
        if bytes > MAX_CHUNK || size > MAX_CHUNK {
            return Err(chunk.damaged("a chunk claims an impossible size"));
        }
        chunk.packed.resize(bytes as usize, 0);
        if read_full(&mut self.input, &mut chunk.packed)? < bytes as usize {
            return Err(Error::Truncated { offset });
        }
        self.offset += 16 + u64::from(bytes);
        Ok(Some(chunk))
    }
}

impl Chunk {
    /// Its records' bytes.
    pub(crate) fn open(&self) -> Result<Vec<u8>, Error> {
        if check(&self.packed) != self.check {
            return Err(self.damaged("a chunk's check does not match its bytes"));
        }
        let raw = zstd::bulk::decompress(&self.packed, self.size as usize)
            .map_err(|error| self.damaged(format!("a chunk cannot be decompressed ({error})")))?;
        if raw.len() != self.size as usize {
            return Err(self.damaged("a chunk is not as long as it claims"));
        }
        Ok(raw)
    }

    /// One of its records is.
    pub(crate) fn malformed(&self, record: &Malformed) -> Error {
        self.damaged(format!("{} (record byte {})", record.what, record.at))
    }

    fn damaged(&self, what: impl Into<String>) -> Error {
        Error::Damaged { offset: self.offset, what: what.into() }
    }
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn byte(input: &mut impl Read) -> Result<u8, Error> {
    let mut byte = [0];
    match read_full(input, &mut byte)? {
        0 => Err(Error::Truncated { offset: 12 }),
        _ => Ok(byte[0]),
    }
}

/// Reads until `buffer` is full or the input ends; how much was read.
fn read_full(input: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Returns the contents of a trace's chunks: the opposite of [`seal`](crate::seal).
pub fn unseal(input: impl Read) -> Result<Vec<Vec<u8>>, Error> {
    let mut reader = Reader::new(input)?;
    let mut chunks = Vec::new();
    while let Some(chunk) = reader.next_chunk()? {
        chunks.push(chunk.open()?);
    }
    Ok(chunks)
}

/// Records that are decoded at a time when one monitor listens: few enough to stay in a core's cache.
const AT_A_TIME: usize = 1024;

/// Plays all of `input` to `monitor`. On damage everything before it has been played, and
/// what was learned comes back beside the error.
pub fn play<M: Monitor>(input: impl Read, monitor: &M) -> (Played, Result<(), Error>) {
    let (heard, result) = alone(input, monitor);
    (heard.played, result)
}

/// With the time it took.
pub(crate) fn alone<M: Monitor>(input: impl Read, monitor: &M) -> (Heard, Result<(), Error>) {
    let mut player = Player::new(monitor);
    let result = play_chunks(input, &mut player);
    (player.heard(), result)
}

fn play_chunks<M: Monitor>(input: impl Read, player: &mut Player<'_, M>) -> Result<(), Error> {
    let mut reader = Reader::new(input)?;
    player.speaks(reader.engine());
    let mut batch = Batch::default();
    while let Some(chunk) = reader.next_chunk()? {
        let raw = chunk.open()?;
        let mut cursor = Cursor::new(&raw);
        while !cursor.is_at_end() {
            batch.clear();
            let filled = cursor.fill(&mut batch, AT_A_TIME);
            player.play(&batch, &Waits::default());
            filled.map_err(|malformed| chunk.malformed(&malformed))?;
        }
    }
    Ok(())
}

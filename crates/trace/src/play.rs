//! Playing a trace back to a monitor.

use crate::decode::{Cursor, Host, Sink};
use crate::{CHUNK, Error, MAGIC, MAX_CHUNK, VERSION, check};
use events::{Access, BlockId, LaneMask, Monitor, Observer, SiteTable, Sync, TaskId};
use std::io::Read;

/// Splits a trace into decompressed chunks.
pub struct Reader<R> {
    input: R,
    offset: u64,
    packed: Vec<u8>,
}

/// How far playing came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    pub sites: SiteTable,
    pub warp_accesses: u64,
    pub thread_accesses: u64,
    /// The recorded program ended in order (the trace has its end mark).
    pub complete: bool,
}

impl<R: Read> Reader<R> {
    /// Checks the header.
    pub fn new(mut input: R) -> Result<Self, Error> {
        let mut header = [0; 12];
        if read_full(&mut input, &mut header)? < header.len() || header[..8] != MAGIC[..] {
            return Err(Error::NotATrace);
        }
        let version = word(&header[8..]);
        if version != VERSION {
            return Err(Error::Version(version));
        }
        Ok(Reader { input, offset: 12, packed: Vec::new() })
    }

    /// The byte offset of the next chunk.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Decompresses the next chunk into `raw`; false at the end of the file.
    pub fn next_chunk(&mut self, raw: &mut Vec<u8>) -> Result<bool, Error> {
        let offset = self.offset;
        let mut header = [0; 16];
        match read_full(&mut self.input, &mut header)? {
            0 => return Ok(false),
            16 => {}
            _ => return Err(Error::Truncated { offset }),
        }
        let damaged = |what: &str| Error::Damaged { offset, what: what.into() };
        let (packed, size) = (word(&header[4..]), word(&header[8..]));
        if word(&header) != CHUNK {
            return Err(damaged("a chunk does not begin with its mark"));
        }
        if packed > MAX_CHUNK || size > MAX_CHUNK {
            return Err(damaged("a chunk claims an impossible size"));
        }
        self.packed.resize(packed as usize, 0);
        if read_full(&mut self.input, &mut self.packed)? < packed as usize {
            return Err(Error::Truncated { offset });
        }
        if check(&self.packed) != word(&header[12..]) {
            return Err(damaged("a chunk's check does not match its bytes"));
        }
        *raw = zstd::bulk::decompress(&self.packed, size as usize)
            .map_err(|error| damaged(&format!("a chunk cannot be decompressed ({error})")))?;
        if raw.len() != size as usize {
            return Err(damaged("a chunk is not as long as it claims"));
        }
        self.offset += 16 + u64::from(packed);
        Ok(true)
    }
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
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

struct Player<'m, M: Monitor> {
    monitor: &'m M,
    observer: M::Observer,
    played: Played,
}

impl<M: Monitor> Sink for Player<'_, M> {
    fn hears(&mut self, task: TaskId, block: BlockId) -> bool {
        self.observer.hears(task, block)
    }

    fn passed(&mut self, task: TaskId, lanes: LaneMask) {
        self.played.warp_accesses += 1;
        self.played.thread_accesses += u64::from(lanes.count_ones());
        self.observer.passed(task, lanes);
    }

    fn access(&mut self, access: &Access<'_>) {
        self.played.warp_accesses += 1;
        self.played.thread_accesses += u64::from(access.mask.count_ones());
        self.observer.access(access);
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        self.observer.sync(sync);
    }

    fn host(&mut self, host: Host) {
        match host {
            Host::TaskStart(task) => self.monitor.task_start(&task),
            Host::TaskEnd(task) => self.monitor.task_end(task),
            Host::TaskAfter(task, after) => self.monitor.task_after(task, &after),
            Host::Range(range) => self.monitor.range(&range),
            Host::Alloc(allocation) => self.monitor.alloc(&allocation),
            Host::Free { base, bytes } => self.monitor.free(base, bytes),
            Host::Site(id, site) => self.played.sites.place(id, site),
            Host::End => self.played.complete = true,
        }
    }
}

/// Plays all of `input` to `monitor`. On damage everything before it has been played, and
/// what was learned comes back beside the error.
pub fn play<M: Monitor>(input: impl Read, monitor: &M) -> (Played, Result<(), Error>) {
    let observer = monitor.observer(0);
    let mut player = Player { monitor, observer, played: Played::default() };
    let result = play_chunks(input, &mut player);
    (player.played, result)
}

fn play_chunks(input: impl Read, sink: &mut impl Sink) -> Result<(), Error> {
    let mut reader = Reader::new(input)?;
    let mut raw = Vec::new();
    loop {
        let offset = reader.offset();
        if !reader.next_chunk(&mut raw)? {
            return Ok(());
        }
        Cursor::new(&raw).run(sink).map_err(|malformed| Error::Damaged {
            offset,
            what: format!("{} (record byte {})", malformed.what, malformed.at),
        })?;
    }
}

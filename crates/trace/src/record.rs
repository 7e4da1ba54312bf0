//! Records a trace: a monitor that writes the events that it receives.

use crate::code::tag;
use crate::encode::{self, Context};
use crate::{CHUNK, MAGIC, VERSION, check};
use events::{Access, Account, Finding, HostEvent, Listener, Monitor, Observer, SiteId, Sync};
use names::Engine;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Raw bytes gathered before a chunk is compressed and written.
const CHUNK_BYTES: usize = 1 << 18;
/// Fast, and already within a fifth of the best on these streams.
const LEVEL: i32 = 3;

struct Stream {
    file: Option<File>,
    /// The path of the future file, until its first chunk is written.
    path: PathBuf,
    engine: Engine,
    raw: Vec<u8>,
    context: Context,
    /// The first error; later events are dropped and it is told at the end.
    failed: Option<io::Error>,
    /// The same in words, once the program has ended.
    lost: Option<String>,
    accesses: u64,
    bytes: u64,
    /// Events of kernels that are still written.
    left: u64,
    /// Whether the number of events is bounded: a trace that cannot be written is then no loss.
    partial: bool,
}

/// Writes a trace. One stream, so the engine runs on one worker while it records.
pub struct Recorder {
    stream: Arc<Mutex<Stream>>,
}

/// Hears kernels for the recorder.
pub struct RecorderObserver {
    stream: Arc<Mutex<Stream>>,
}

impl Recorder {
    /// Creates (or truncates) `path` and writes the header. `engine` is what will speak.
    pub fn create(path: &Path, engine: Engine) -> io::Result<Recorder> {
        let recorder = Recorder::new(path, engine);
        lock(&recorder.stream).begin(File::create(path)?)?;
        Ok(recorder)
    }

    /// Creates `path` when there is something to write; if it is there by then, an earlier
    /// process of the same run has taken it, and `.PID` is added. No file without events.
    pub fn new(path: &Path, engine: Engine) -> Recorder {
        let stream = Stream {
            file: None,
            path: path.to_owned(),
            engine,
            raw: Vec::with_capacity(CHUNK_BYTES + 4096),
            context: Context::default(),
            failed: None,
            lost: None,
            accesses: 0,
            bytes: header(engine).len() as u64,
            left: u64::MAX,
            partial: false,
        };
        Recorder { stream: Arc::new(Mutex::new(stream)) }
    }

    /// Writes no more than the first `events` events of kernels (with all that the host does), and says nothing of what
    /// could not be written.
    pub fn up_to(self, events: u64) -> Recorder {
        {
            let mut stream = lock(&self.stream);
            (stream.left, stream.partial) = (events, true);
        }
        self
    }

    /// Writes what is gathered; a program killed afterwards loses nothing before this.
    pub fn flush(&self) -> io::Result<()> {
        let mut stream = lock(&self.stream);
        stream.write_chunk();
        stream.failed.take().map_or(Ok(()), Err)
    }

    /// Marks the trace as complete and reports the first error of the whole recording.
    pub fn close(&self) -> io::Result<Recorded> {
        let nothing = {
            let mut stream = lock(&self.stream);
            let nothing = stream.file.is_none() && stream.raw.is_empty();
            stream.host(&HostEvent::End);
            nothing
        };
        if nothing {
            return Ok(Recorded { accesses: 0, bytes: 0 });
        }
        self.flush()?;
        let stream = lock(&self.stream);
        if let Some(file) = &stream.file {
            file.sync_data()?;
        }
        Ok(Recorded { accesses: stream.accesses, bytes: stream.bytes })
    }
}

/// The counts of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Accesses of threads, not of warps.
    pub accesses: u64,
    pub bytes: u64,
}

fn lock(stream: &Mutex<Stream>) -> MutexGuard<'_, Stream> {
    stream.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the beginning of a file.
fn header(engine: Engine) -> Vec<u8> {
    let name = engine.to_string();
    let mut header = [MAGIC.as_slice(), &VERSION.to_le_bytes()].concat();
    // Names of engines are a few letters.
    header.push(name.len() as u8);
    header.extend_from_slice(name.as_bytes());
    header
}

/// Compressed, with its header.
fn chunk(raw: &[u8]) -> io::Result<Vec<u8>> {
    let packed = zstd::bulk::compress(raw, LEVEL)?;
    let mut chunk = Vec::with_capacity(packed.len() + 16);
    for word in [CHUNK, packed.len() as u32, raw.len() as u32, check(&packed)] {
        chunk.extend_from_slice(&word.to_le_bytes());
    }
    chunk.extend_from_slice(&packed);
    Ok(chunk)
}

/// A trace of chunks that hold these bytes, whatever they are: what fuzzers change has to get past the
/// chunks' checks to be worth reading.
pub fn seal(chunks: &[Vec<u8>]) -> io::Result<Vec<u8>> {
    let mut file = header(Engine::default());
    for raw in chunks {
        file.extend(chunk(raw)?);
    }
    Ok(file)
}

impl Stream {
    /// Returns whether there is room for one more event of kernels, and takes it.
    fn takes(&mut self) -> bool {
        let takes = self.left > 0;
        self.left = self.left.saturating_sub(1);
        takes
    }

    fn room(&mut self) {
        if self.raw.len() >= CHUNK_BYTES {
            self.write_chunk();
        }
    }

    fn json(&mut self, tag: u8, number: Option<u32>, value: &impl serde::Serialize) {
        match serde_json::to_vec(value) {
            Ok(text) => {
                self.raw.push(tag);
                if let Some(number) = number {
                    encode::unsigned(&mut self.raw, number.into());
                }
                encode::bytes(&mut self.raw, &text);
            }
            Err(error) => self.failed = self.failed.take().or(Some(error.into())),
        }
        self.room();
    }

    fn host(&mut self, event: &HostEvent<'_>) {
        match event {
            HostEvent::TaskStart(task) => self.json(tag::TASK_START, None, task),
            HostEvent::TaskEnd(task) => {
                self.raw.push(tag::TASK_END);
                encode::unsigned(&mut self.raw, task.0.into());
                // A kernel's events are on disk when it ends.
                self.write_chunk();
            }
            HostEvent::Launched(task, facts) => self.json(tag::LAUNCHED, Some(task.0), facts),
            // A reader of a trace checks all accesses.
            HostEvent::Apart(..) => {}
            HostEvent::TaskAfter(task, after) => {
                self.raw.push(tag::TASK_AFTER);
                encode::unsigned(&mut self.raw, task.0.into());
                encode::unsigned(&mut self.raw, after.len() as u64);
                for task in after.iter() {
                    encode::unsigned(&mut self.raw, task.0.into());
                }
            }
            HostEvent::Range(range) => {
                self.raw.push(tag::RANGE);
                encode::unsigned(&mut self.raw, range.task.0.into());
                encode::unsigned(&mut self.raw, range.site.map_or(0, |SiteId(n)| u64::from(n) + 1));
                encode::unsigned(&mut self.raw, range.address);
                encode::unsigned(&mut self.raw, range.bytes);
                self.raw.push(u8::from(range.write));
            }
            HostEvent::Alloc(allocation) => self.json(tag::ALLOC, None, allocation),
            HostEvent::Free { base, bytes } => {
                self.raw.push(tag::FREE);
                encode::unsigned(&mut self.raw, *base);
                encode::unsigned(&mut self.raw, *bytes);
            }
            HostEvent::Site(id, site) => self.json(tag::SITE, Some(id.0), site),
            HostEvent::End => self.raw.push(tag::END),
        }
    }

    fn begin(&mut self, mut file: File) -> io::Result<()> {
        file.write_all(&header(self.engine))?;
        self.file = Some(file);
        Ok(())
    }

    /// The file, created if this is its first use.
    fn file(&mut self) -> io::Result<&mut File> {
        if self.file.is_none() {
            let file = match File::create_new(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if self.path.is_file() {
                        self.path.as_mut_os_string().push(format!(".{}", std::process::id()));
                    }
                    File::create(&self.path)?
                }
                created => created?,
            };
            self.begin(file)?;
        }
        self.file.as_mut().ok_or_else(|| io::Error::other("the trace has no file"))
    }

    fn write_chunk(&mut self) {
        if self.raw.is_empty() || self.failed.is_some() {
            self.raw.clear();
            return;
        }
        let result = chunk(&self.raw).and_then(|chunk| {
            self.bytes += chunk.len() as u64;
            self.file()?.write_all(&chunk)
        });
        self.failed = result.err();
        self.raw.clear();
        // Chunks stand alone, so that a reader may start at any of them.
        self.context = Context::default();
    }
}

impl Observer for RecorderObserver {
    fn access(&mut self, access: &Access<'_>) {
        let mut stream = lock(&self.stream);
        if !stream.takes() {
            return;
        }
        let Stream { raw, context, .. } = &mut *stream;
        encode::access(raw, context, access);
        stream.accesses += u64::from(access.mask.count_ones());
        stream.room();
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        let mut stream = lock(&self.stream);
        if !stream.takes() {
            return;
        }
        let Stream { raw, context, .. } = &mut *stream;
        encode::sync(raw, context, sync);
        stream.room();
    }
}

impl Listener for Recorder {
    fn host(&self, event: &HostEvent<'_>) {
        if *event == HostEvent::End {
            if let Err(error) = self.close() {
                let mut stream = lock(&self.stream);
                let partial = stream.partial;
                stream.lost = Some(format!("the trace could not be written: {error}")).filter(|_| !partial);
            }
            return;
        }
        lock(&self.stream).host(event);
    }

    fn findings(&self) -> Vec<Finding> {
        Vec::new()
    }

    fn so_far(&self) -> Vec<Finding> {
        Vec::new()
    }

    fn account(&self) -> Account {
        Account { limits: lock(&self.stream).lost.iter().cloned().collect(), ..Account::default() }
    }
}

impl Monitor for Recorder {
    type Observer = RecorderObserver;

    fn observer(&self, _worker: usize) -> RecorderObserver {
        RecorderObserver { stream: Arc::clone(&self.stream) }
    }
}

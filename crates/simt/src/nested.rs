//! Kernels that kernels launch: streams and events of one grid, and launches until the caller takes them.
//!
//! Source: Programming Guide, "CUDA Dynamic Parallelism". Streams and events belong to the grid whose threads
//! made them. The NULL stream is one for each block, and waits for no other stream. Every launch in the
//! fire-and-forget stream is on its own. The tail stream comes after the grid and all its other launches.

use events::{BlockId, Dim3, SiteId, StreamId, TaskId, ThreadId};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The deepest nesting of launches ("Maximum nesting depth" of the Guide).
pub const MAX_DEPTH: u32 = 24;

/// The largest number of launches of one grid that wait, unless the program sets `cudaLimitDevRuntimePendingLaunchCount`.
pub const PENDING: u32 = 2048;

/// The terms on which a launch's threads launch kernels.
#[derive(Clone, Debug)]
pub struct Nesting {
    /// The numbers of tasks and chains that kernels make. The host's are below [`Numbers::FIRST`].
    pub numbers: Arc<Numbers>,
    /// How many launches by kernels the launch is inside of.
    pub depth: u32,
    /// The value of `cudaLimitDevRuntimePendingLaunchCount`.
    pub pending: u32,
    pub devices: u32,
}

/// Gives out numbers of tasks and chains.
#[derive(Debug)]
pub struct Numbers {
    task: AtomicU32,
    chain: AtomicU32,
}

impl Numbers {
    /// The first number: the host, which submits while kernels run, counts from 0.
    pub const FIRST: u32 = 1 << 31;
}

impl Default for Numbers {
    fn default() -> Numbers {
        Numbers { task: AtomicU32::new(Numbers::FIRST), chain: AtomicU32::new(Numbers::FIRST) }
    }
}

/// A kernel, copy or memset that a thread has launched.
#[derive(Clone, Debug)]
pub struct Child {
    pub task: TaskId,
    pub chain: StreamId,
    /// Tasks of the same grid that it comes after directly.
    pub after: Vec<TaskId>,
    /// Whether it comes after the grid and all other launches of the grid that are no tail launches.
    pub tail: bool,
    pub site: SiteId,
    pub block: BlockId,
    pub thread: ThreadId,
    pub work: Work,
}

/// What a thread has launched.
#[derive(Clone, Debug)]
pub enum Work {
    Kernel {
        /// The index in [`Module::kernels`](crate::Module::kernels).
        kernel: usize,
        grid: Dim3,
        threads: Dim3,
        dynamic_shared: u32,
        params: Vec<u8>,
    },
    /// A copy of `height` rows of `width` bytes.
    Copy { dst: Rows, src: Rows, width: u64, height: u64 },
    /// A memset of `height` rows of `width` bytes.
    Fill { dst: Rows, value: u8, width: u64, height: u64 },
}

/// Rows in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    pub address: u64,
    /// Bytes from one row to the next.
    pub pitch: u64,
}

/// A stream as kernels name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stream {
    /// The NULL stream of a block.
    Block(u32),
    /// The default stream of a thread, of programs compiled with `--default-stream per-thread`.
    Thread(u32, u16),
    Named(u64),
    Tail,
    FireAndForget,
}

/// A stream's chain, and the tasks that its next launch comes after directly.
#[derive(Clone, Debug)]
struct Line {
    chain: StreamId,
    tail: Vec<TaskId>,
}

/// The place of a launch in its grid's order.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub task: TaskId,
    pub chain: StreamId,
    pub after: Vec<TaskId>,
}

/// A parameter buffer: the kernel to launch, and its configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    pub kernel: usize,
    pub grid: Dim3,
    pub threads: Dim3,
    pub dynamic_shared: u32,
}

/// What the threads of one grid have made.
#[derive(Debug, Default)]
pub(crate) struct Nested {
    /// Launches that the caller has not taken yet.
    pub children: Vec<Child>,
    /// The number of launches so far.
    pub launches: u32,
    /// Parameter buffers that no launch has used yet, by address.
    pub buffers: FxHashMap<u64, Buffer>,
    /// The last error of each thread that has one.
    pub errors: FxHashMap<(u32, u16), u32>,
    lines: FxHashMap<Stream, Line>,
    /// The tasks that are complete when an event is, by handle.
    marks: FxHashMap<u64, Vec<TaskId>>,
    handles: u64,
}

/// Handles are unlike addresses and the numbers of special streams.
const HANDLES: u64 = 0x5743_4450_0000_0000;

impl Nested {
    fn handle(&mut self, task: TaskId) -> u64 {
        self.handles += 1;
        HANDLES + (u64::from(task.0) << 20) + (self.handles << 4)
    }

    /// Creates a stream of the grid `task`, and returns its handle.
    pub(crate) fn create_stream(&mut self, task: TaskId, numbers: &Numbers) -> u64 {
        let handle = self.handle(task);
        self.line(Stream::Named(handle), numbers);
        handle
    }

    /// Returns whether there is such a stream. Streams without a handle always are.
    pub(crate) fn has_stream(&self, stream: Stream) -> bool {
        !matches!(stream, Stream::Named(_)) || self.lines.contains_key(&stream)
    }

    /// Destroys a stream: its work goes on.
    pub(crate) fn destroy_stream(&mut self, stream: Stream) {
        self.lines.remove(&stream);
    }

    pub(crate) fn create_event(&mut self, task: TaskId) -> u64 {
        let handle = self.handle(task);
        self.marks.insert(handle, Vec::new());
        handle
    }

    /// Destroys an event; returns whether there was one.
    pub(crate) fn destroy_event(&mut self, event: u64) -> bool {
        self.marks.remove(&event).is_some()
    }

    pub(crate) fn has_event(&self, event: u64) -> bool {
        self.marks.contains_key(&event)
    }

    /// Marks the present end of a stream.
    pub(crate) fn record(&mut self, event: u64, stream: Stream) {
        let tail = self.lines.get(&stream).map_or_else(Vec::new, |line| line.tail.clone());
        self.marks.insert(event, tail);
    }

    /// Orders later launches of a stream after an event's last record.
    pub(crate) fn wait(&mut self, stream: Stream, event: u64, numbers: &Numbers) {
        let mark = self.marks.get(&event).cloned().unwrap_or_default();
        let line = self.line(stream, numbers);
        for task in mark {
            if !line.tail.contains(&task) {
                line.tail.push(task);
            }
        }
    }

    fn line(&mut self, stream: Stream, numbers: &Numbers) -> &mut Line {
        self.lines.entry(stream).or_insert_with(|| Line { chain: numbers.chain(), tail: Vec::new() })
    }

    /// Places a launch of the grid `parent` in a stream.
    pub(crate) fn place(&mut self, parent: TaskId, stream: Stream, numbers: &Numbers) -> Place {
        let task = numbers.task();
        if stream == Stream::FireAndForget {
            return Place { task, chain: numbers.chain(), after: Vec::new() };
        }
        let line = self.line(stream, numbers);
        let mut after = std::mem::replace(&mut line.tail, vec![task]);
        let chain = line.chain;
        if stream == Stream::Tail {
            after.push(parent);
        }
        Place { task, chain, after }
    }
}

impl Numbers {
    fn task(&self) -> TaskId {
        TaskId(self.task.fetch_add(1, Ordering::Relaxed))
    }

    fn chain(&self) -> StreamId {
        StreamId(self.chain.fetch_add(1, Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: TaskId = TaskId(7);

    fn after(nested: &mut Nested, numbers: &Numbers, stream: Stream) -> (TaskId, Vec<TaskId>) {
        let placed = nested.place(PARENT, stream, numbers);
        (placed.task, placed.after)
    }

    #[test]
    fn launches_of_one_block_follow_each_other() {
        let (mut nested, numbers) = (Nested::default(), Numbers::default());
        let (first, before) = after(&mut nested, &numbers, Stream::Block(0));
        assert_eq!(before, []);
        assert_eq!(after(&mut nested, &numbers, Stream::Block(0)).1, [first]);
        assert_eq!(after(&mut nested, &numbers, Stream::Block(1)).1, []);
        assert_eq!(after(&mut nested, &numbers, Stream::FireAndForget).1, []);
        assert_eq!(after(&mut nested, &numbers, Stream::FireAndForget).1, []);
    }

    #[test]
    fn events_order_streams() {
        let (mut nested, numbers) = (Nested::default(), Numbers::default());
        let streams = [0; 2].map(|_| Stream::Named(nested.create_stream(PARENT, &numbers)));
        let event = nested.create_event(PARENT);
        let (first, _) = after(&mut nested, &numbers, streams[0]);
        nested.record(event, streams[0]);
        let (_, _) = after(&mut nested, &numbers, streams[0]);
        nested.wait(streams[1], event, &numbers);
        assert_eq!(after(&mut nested, &numbers, streams[1]).1, [first]);
    }

    #[test]
    fn tail_launches_follow_their_grid_and_each_other() {
        let (mut nested, numbers) = (Nested::default(), Numbers::default());
        let (first, before) = after(&mut nested, &numbers, Stream::Tail);
        assert_eq!(before, [PARENT]);
        assert_eq!(after(&mut nested, &numbers, Stream::Tail).1, [first, PARENT]);
    }
}

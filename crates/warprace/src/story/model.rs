//! The parts of a story.

use super::walk::Thread;
use events::{Site, Space};

/// A step of the story.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) who: Who,
    pub(crate) site: Option<Site>,
    pub(crate) what: What,
    /// The number of consecutive repetitions.
    pub(crate) times: u64,
    /// The index of the racing access (1) or (2), if the step is one of them.
    pub(crate) mark: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// One of the two racing threads.
    Party(usize),
    Other(Thread),
}

/// A step's operation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    Access {
        how: String,
        /// Index into [`Story::places`].
        place: usize,
        /// The values read and written, if the trace has values.
        values: Option<(Option<u64>, Option<u64>)>,
        /// The step that wrote the value that this step reads, if it is known.
        from: Option<usize>,
        releases: bool,
        acquires: bool,
    },
    Fence(String),
    Barrier {
        text: String,
        /// Whether threads of several blocks take part.
        cluster: bool,
    },
    /// The host starts the thread's task.
    Start(String),
}

/// A piece of memory that the story refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) space: Space,
    pub(crate) address: u64,
    pub(crate) name: String,
    pub(crate) text: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Story {
    /// Whether both threads belong to one block.
    pub(crate) one_block: bool,
    pub(crate) parties: [String; 2],
    pub(crate) places: Vec<Place>,
    pub(crate) steps: Vec<Step>,
    /// The launches, each with its kernel and its number.
    pub(crate) launches: Vec<String>,
}

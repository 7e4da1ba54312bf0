//! What a story consists of.

use super::walk::Thread;
use events::{Site, Space};

/// A step of the story.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) who: Who,
    pub(crate) site: Option<Site>,
    pub(crate) what: What,
    /// How many times in a row.
    pub(crate) times: u64,
    /// Is it one of the two accesses, (1) or (2)?
    pub(crate) mark: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// One of the two threads.
    Party(usize),
    Other(Thread),
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    Access {
        how: String,
        /// Index into [`Story::places`].
        place: usize,
        /// What it read and wrote, where the record has values.
        values: Option<(Option<u64>, Option<u64>)>,
        /// The step that wrote what it reads, if that is known.
        from: Option<usize>,
        releases: bool,
        acquires: bool,
    },
    Fence(String),
    Barrier {
        text: String,
        /// Of more than a block's threads.
        cluster: bool,
    },
    /// The host starts what the thread is of.
    Start(String),
}

/// A piece of memory that the story is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) space: Space,
    pub(crate) address: u64,
    pub(crate) name: String,
    pub(crate) text: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Story {
    /// Are both threads of one block?
    pub(crate) one_block: bool,
    pub(crate) parties: [String; 2],
    pub(crate) places: Vec<Place>,
    pub(crate) steps: Vec<Step>,
    /// The kernels, and which launch each is.
    pub(crate) launches: Vec<String>,
}

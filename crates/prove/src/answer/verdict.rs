//! The types of answers.

use crate::replay::bench::Witness;
use events::{Allocation, Finding, TaskInfo};

/// The answer about one kernel.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The mangled name.
    pub kernel: String,
    pub verdict: Verdict,
    /// The assumptions of the proof, or of the attempt.
    pub assumed: Vec<String>,
    /// The number of pairs that the solver was asked about, and of those that it left open.
    pub asked: usize,
    pub open: usize,
    /// The assumptions in `assumed` that host code can break.
    pub(crate) breakable: Vec<String>,
}

impl Answer {
    /// Returns an answer without a question about any pair of the kernel.
    pub(crate) fn unasked(kernel: &str, verdict: Verdict) -> Answer {
        let (assumed, breakable) = (Vec::new(), Vec::new());
        Answer { kernel: kernel.to_owned(), verdict, assumed, asked: 0, open: 0, breakable }
    }

    /// Returns a proof that an earlier process has found, with these assumptions and numbers of pairs.
    pub fn proved_before(kernel: &str, assumed: Vec<String>, asked: usize, open: usize) -> Answer {
        let breakable = Vec::new();
        Answer { kernel: kernel.to_owned(), verdict: Verdict::Proved, assumed, asked, open, breakable }
    }
}

#[derive(Clone, Debug)]
pub enum Verdict {
    /// The proof covers all launches that satisfy the assumptions; for known host code, all launches that it
    /// makes with any input.
    Proved,
    /// The proof covers a part of the launches that the host code can make.
    Partly(Part),
    Race(Box<Race>),
    Unknown(Vec<Doubt>),
}

/// The launches of the host code that a proof covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Only launches of a program that is started without arguments are covered.
    pub without_arguments: bool,
    /// Only launches that satisfy these conditions are covered; the host code does not guarantee them.
    pub conditions: Vec<String>,
}

impl Part {
    /// Returns the intersection of both parts.
    pub(crate) fn and(mut self, other: &Part) -> Part {
        self.without_arguments |= other.without_arguments;
        let new = other.conditions.iter().filter(|c| !self.conditions.contains(c));
        self.conditions.extend(new.cloned().collect::<Vec<_>>());
        self
    }
}

/// A race that a launch has shown.
#[derive(Clone, Debug)]
pub struct Race {
    pub witness: Witness,
    /// The program's input that leads to this launch, in words, if it is known.
    pub started: Option<String>,
    pub findings: Vec<Finding>,
    pub task: TaskInfo,
    pub allocations: Vec<Allocation>,
}

/// Returns the doubt for a question that took too long.
pub(crate) fn out_of_time(why: String) -> Doubt {
    Doubt { why, lines: None, suggestion: Some("give more with --timeout".into()) }
}

/// The reason for an open question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    pub why: String,
    /// The PTX lines of the two accesses, if the doubt is about a pair.
    pub lines: Option<[u32; 2]>,
    pub suggestion: Option<String>,
}

impl Doubt {
    /// Returns the doubt for launches that may follow the point where the host code's execution was lost.
    pub fn lost(why: &str) -> Doubt {
        let suggestion =
            "show what it launches there: `warprace run --facts`; or say it: --block, --grid, --assume";
        Doubt { why: why.to_owned(), lines: None, suggestion: Some(suggestion.into()) }
    }
}

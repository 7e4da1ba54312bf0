//! A schedule that brings two threads to two accesses at the same time, by name.

use events::{BlockId, ThreadId};
use std::fmt;
use std::str::FromStr;

/// A thread about to execute an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Point {
    /// The instruction: its site's number among those of the kernel's module.
    pub site: u32,
    /// The count of this thread's executions of the instruction, from 1.
    pub nth: u32,
    pub block: BlockId,
    pub thread: ThreadId,
}

/// Two points; the access of the first is made first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Meeting {
    pub points: [Point; 2],
}

/// Prints `SITE[^NTH]@BLOCK.THREAD`.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.site)?;
        if self.nth > 1 {
            write!(f, "^{}", self.nth)?;
        }
        write!(f, "@{}.{}", self.block.0, self.thread.0)
    }
}

/// The error of a text that does not name two points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected two places such as 12@0.0/25^3@1.40")]
pub struct NotAMeeting;

impl FromStr for Point {
    type Err = NotAMeeting;

    fn from_str(text: &str) -> Result<Self, NotAMeeting> {
        fn number<N: FromStr>(text: &str) -> Result<N, NotAMeeting> {
            text.parse().map_err(|_| NotAMeeting)
        }
        let (what, who) = text.split_once('@').ok_or(NotAMeeting)?;
        let (site, nth) = what.split_once('^').unwrap_or((what, "1"));
        let (block, thread) = who.split_once('.').ok_or(NotAMeeting)?;
        let point = Point {
            site: number(site)?,
            nth: number(nth)?,
            block: BlockId(number(block)?),
            thread: ThreadId(number(thread)?),
        };
        if point.nth == 0 { Err(NotAMeeting) } else { Ok(point) }
    }
}

impl fmt::Display for Meeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.points[0], self.points[1])
    }
}

impl FromStr for Meeting {
    type Err = NotAMeeting;

    fn from_str(text: &str) -> Result<Self, NotAMeeting> {
        let (first, second) = text.split_once('/').ok_or(NotAMeeting)?;
        Ok(Meeting { points: [first.parse()?, second.parse()?] })
    }
}

//! Schedules by name, and the plan that names the schedules of a run. `simt::schedule` implements them.

pub mod meeting;
pub mod path;
pub mod plan;

pub use meeting::{Meeting, NotAMeeting, Point};
pub use path::{NotAPath, Path, Turn};
pub use plan::{Explored, Plan, PlanError, Seeded};
use std::fmt;
use std::str::FromStr;

/// A scheduling policy by name. `Display` prints the text that `FromStr` reads, including the seed if it
/// matters: the schedule part of a replay string.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// A warp runs until it waits; diverged lanes reconverge early. The default, and the fastest.
    #[default]
    ConvergedFirst,
    /// Every group of lanes runs `quantum` instructions in turn.
    RoundRobin { quantum: u32 },
    /// The seed determines blocks, warps, groups and quanta.
    Random,
    /// Random priorities, with `depth - 1` changes of them among `steps` steps.
    Pct { depth: u32, steps: Option<u64> },
    /// Converged-first, with the blocks in another order (an affine map of their numbers).
    ShuffleBlocks,
    /// Blocks as in `ShuffleBlocks`; warps have turns of random lengths.
    ShuffleWarps,
    /// Blocks as in `ShuffleBlocks`; warps and their diverged groups have turns of random lengths.
    ShuffleLanes,
    /// Each group runs on, except at the steps named; a search prints such schedules.
    Path(Path),
    /// Two threads are brought to two accesses at the same time; the seed orders the other groups.
    Meet(Meeting),
    /// As in `Random`, and the seed also decides which of the writes that PTX allows each read returns. A read
    /// is performed up to `window` accesses of its thread late.
    Weak { window: Option<u32> },
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::ConvergedFirst => f.write_str("converged-first"),
            Schedule::RoundRobin { quantum: 1 } => f.write_str("round-robin"),
            Schedule::RoundRobin { quantum } => write!(f, "round-robin/{quantum}"),
            Schedule::Random => f.write_str("random"),
            Schedule::Pct { depth, steps: None } => write!(f, "pct/{depth}"),
            Schedule::Pct { depth, steps: Some(steps) } => write!(f, "pct/{depth}/{steps}"),
            Schedule::ShuffleBlocks => f.write_str("shuffle-blocks"),
            Schedule::ShuffleWarps => f.write_str("shuffle-warps"),
            Schedule::ShuffleLanes => f.write_str("shuffle-lanes"),
            Schedule::Path(path) => write!(f, "path/{path}"),
            Schedule::Meet(meeting) => write!(f, "meet/{meeting}"),
            Schedule::Weak { window: None } => f.write_str("weak"),
            Schedule::Weak { window: Some(window) } => write!(f, "weak/{window}"),
        }
    }
}

/// The error of a text that does not name a schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown schedule `{0}`: expected converged-first, round-robin[/QUANTUM], random, pct/DEPTH[/STEPS], \
     shuffle-blocks, shuffle-warps, shuffle-lanes or weak[/WINDOW]"
)]
pub struct UnknownSchedule(String);

impl FromStr for Schedule {
    type Err = UnknownSchedule;

    fn from_str(text: &str) -> Result<Self, UnknownSchedule> {
        match text.split_once('/') {
            None => match text {
                "converged-first" => Ok(Schedule::ConvergedFirst),
                "round-robin" => Ok(Schedule::RoundRobin { quantum: 1 }),
                "random" => Ok(Schedule::Random),
                "shuffle-blocks" => Ok(Schedule::ShuffleBlocks),
                "shuffle-warps" => Ok(Schedule::ShuffleWarps),
                "shuffle-lanes" => Ok(Schedule::ShuffleLanes),
                "weak" => Ok(Schedule::Weak { window: None }),
                _ => Err(UnknownSchedule(text.to_owned())),
            },
            Some(("round-robin", quantum)) => match quantum.parse() {
                Ok(quantum) if quantum > 0 => Ok(Schedule::RoundRobin { quantum }),
                _ => Err(UnknownSchedule(text.to_owned())),
            },
            Some(("weak", window)) => match window.parse() {
                Ok(window) => Ok(Schedule::Weak { window: Some(window) }),
                Err(_) => Err(UnknownSchedule(text.to_owned())),
            },
            Some(("pct", numbers)) => pct(numbers).ok_or_else(|| UnknownSchedule(text.to_owned())),
            Some(("path", path)) => {
                path.parse().map(Schedule::Path).map_err(|_| UnknownSchedule(text.to_owned()))
            }
            Some(("meet", meeting)) => {
                meeting.parse().map(Schedule::Meet).map_err(|_| UnknownSchedule(text.to_owned()))
            }
            Some(_) => Err(UnknownSchedule(text.to_owned())),
        }
    }
}

/// Parses `DEPTH[/STEPS]`.
fn pct(text: &str) -> Option<Schedule> {
    let (depth, steps) = match text.split_once('/') {
        Some((depth, steps)) => (depth, Some(steps.parse().ok().filter(|&n| n > 0)?)),
        None => (text, None),
    };
    let depth = depth.parse().ok().filter(|depth| (1..=100).contains(depth))?;
    Some(Schedule::Pct { depth, steps })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_print_what_they_parse() {
        for text in [
            "converged-first",
            "round-robin",
            "round-robin/7",
            "random",
            "pct/3",
            "pct/3/12000",
            "shuffle-blocks",
            "shuffle-warps",
            "shuffle-lanes",
            "path/-",
            "path/3.1-17.0",
            "meet/1@2.3/4^5@6.7",
            "weak",
            "weak/0",
            "weak/64",
        ] {
            assert_eq!(text.parse::<Schedule>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "round-robin/0",
            "round-robin/x",
            "random/3",
            "weak/",
            "weak/x",
            "fifo",
            "pct",
            "pct/0",
            "pct/2/0",
            "pct/2/3/4",
            "meet",
        ] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }
}

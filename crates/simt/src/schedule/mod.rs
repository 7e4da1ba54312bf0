//! Who runs next: policies, and the strings that replay them.

mod meet;
mod policy;
mod random;
mod replay;

pub use meet::{Meeting, Point};
pub(crate) use policy::policy;
pub use policy::{Choice, Pick, Policy};
pub use replay::{Explored, Replay, ReplayError, Seeded};
use std::fmt;
use std::str::FromStr;

/// A scheduling policy by name. `Display` prints what `FromStr` reads, seed
/// included where it matters: the schedule part of a replay string.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// A warp runs until it waits; diverged lanes are brought together early. Fast, the default.
    #[default]
    ConvergedFirst,
    /// Every group of lanes gets `quantum` instructions in turn.
    RoundRobin { quantum: u32 },
    /// Blocks, warps, groups and quanta are drawn by the seed.
    Random,
    /// Two threads are brought to two accesses at the same time; groups run by the seed.
    Meet(Meeting),
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::ConvergedFirst => f.write_str("converged-first"),
            Schedule::RoundRobin { quantum: 1 } => f.write_str("round-robin"),
            Schedule::RoundRobin { quantum } => write!(f, "round-robin/{quantum}"),
            Schedule::Random => f.write_str("random"),
            Schedule::Meet(meeting) => write!(f, "meet/{meeting}"),
        }
    }
}

/// Not the name of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown schedule `{0}`: expected converged-first, round-robin[/QUANTUM] or random")]
pub struct UnknownSchedule(String);

impl FromStr for Schedule {
    type Err = UnknownSchedule;

    fn from_str(text: &str) -> Result<Self, UnknownSchedule> {
        match text.split_once('/') {
            None => match text {
                "converged-first" => Ok(Schedule::ConvergedFirst),
                "round-robin" => Ok(Schedule::RoundRobin { quantum: 1 }),
                "random" => Ok(Schedule::Random),
                _ => Err(UnknownSchedule(text.to_owned())),
            },
            Some(("round-robin", quantum)) => match quantum.parse() {
                Ok(quantum) if quantum > 0 => Ok(Schedule::RoundRobin { quantum }),
                _ => Err(UnknownSchedule(text.to_owned())),
            },
            Some(("meet", meeting)) => {
                meeting.parse().map(Schedule::Meet).map_err(|()| UnknownSchedule(text.to_owned()))
            }
            Some(_) => Err(UnknownSchedule(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_print_what_they_parse() {
        for text in ["converged-first", "round-robin", "round-robin/7", "random", "meet/1@2.3/4^5@6.7"] {
            assert_eq!(text.parse::<Schedule>().unwrap().to_string(), text);
        }
        for text in ["", "round-robin/0", "round-robin/x", "random/3", "fifo"] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }
}

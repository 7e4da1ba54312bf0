//! The schedule of a run, and of a second run of its launches under another schedule.
//!
//! ```text
//! PLAN     = RUN [ "+" EXPLORED ]
//! RUN      = SCHEDULE ":seed=" NUMBER
//! EXPLORED = SCHEDULE ":seed=" NUMBER [ ":launch=" NUMBER ]
//! ```
//!
//! The launch number counts the process's launches from 1 in the order in which they begin; without it every
//! launch is explored.

use super::Schedule;
use std::fmt;
use std::str::FromStr;

/// A schedule with its seed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seeded {
    pub schedule: Schedule,
    pub seed: u64,
}

/// A second schedule under which launches run in addition to the run's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explored {
    pub how: Seeded,
    /// The only launch to explore, from 1; `None` for all.
    pub launch: Option<u64>,
}

/// The order of a run's threads: the information that repeats a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub run: Seeded,
    pub explored: Option<Explored>,
}

impl fmt::Display for Seeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:seed={}", self.schedule, self.seed)
    }
}

impl fmt::Display for Explored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.how.fmt(f)?;
        self.launch.map_or(Ok(()), |launch| write!(f, ":launch={launch}"))
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.run.fmt(f)?;
        self.explored.as_ref().map_or(Ok(()), |explored| write!(f, "+{explored}"))
    }
}

/// The error of a text that is not a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("expected something like `random:seed=3`, as a report prints it")]
    Form,
    #[error(transparent)]
    Schedule(#[from] super::UnknownSchedule),
}

impl FromStr for Explored {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Self, PlanError> {
        let mut words = text.split(':');
        let schedule = words.next().unwrap_or_default();
        let mut number = |key: &str| match words.next() {
            None => Ok(None),
            Some(word) => {
                let value = word.strip_prefix(key).and_then(|v| v.parse::<u64>().ok());
                value.map(Some).ok_or(PlanError::Form)
            }
        };
        let seed = number("seed=")?.ok_or(PlanError::Form)?;
        let launch = number("launch=")?;
        if words.next().is_some() || launch == Some(0) {
            return Err(PlanError::Form);
        }
        Ok(Explored { how: Seeded { schedule: schedule.parse()?, seed }, launch })
    }
}

impl FromStr for Plan {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Self, PlanError> {
        let (run, explored) = match text.split_once('+') {
            Some((run, explored)) => (run, Some(explored.parse()?)),
            None => (text, None),
        };
        let run: Explored = run.parse()?;
        if run.launch.is_some() {
            return Err(PlanError::Form);
        }
        Ok(Plan { run: run.how, explored })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_print_what_they_parse() {
        for text in [
            "converged-first:seed=0",
            "random:seed=3",
            "converged-first:seed=0+random:seed=18446744073709551615",
            "round-robin/7:seed=1+random:seed=2:launch=12",
            "converged-first:seed=0+meet/12@0.0/25^3@1.40:seed=1:launch=1",
        ] {
            assert_eq!(text.parse::<Plan>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "random",
            "random:3",
            "random:seed=x",
            "random:seed=1:launch=1",
            "random:seed=1+random:seed=1:launch=0",
            "random:seed=1+random:seed=1:launch=1:x=1",
            "random:seed=1+random:seed=1+random:seed=1",
            "fifo:seed=1",
        ] {
            assert!(text.parse::<Plan>().is_err(), "{text}");
        }
    }
}

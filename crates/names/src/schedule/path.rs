//! A schedule as a list of deviations from a default order, by name: `STEP.INDEX-STEP.INDEX…`.

use std::fmt;
use std::str::FromStr;

/// A choice that deviates from the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    pub step: u32,
    /// The index among the runnable groups.
    pub index: u32,
}

/// All deviations from the default, by step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path {
    pub turns: Vec<Turn>,
}

/// Prints `STEP.INDEX-STEP.INDEX…`, or `-` without any.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.turns.is_empty() {
            return f.write_str("-");
        }
        for (i, turn) in self.turns.iter().enumerate() {
            let dash = if i > 0 { "-" } else { "" };
            write!(f, "{dash}{}.{}", turn.step, turn.index)?;
        }
        Ok(())
    }
}

/// The error of a text that is not a list of turns in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected turns such as 3.1-7.0")]
pub struct NotAPath;

impl FromStr for Path {
    type Err = NotAPath;

    fn from_str(text: &str) -> Result<Self, NotAPath> {
        if text == "-" {
            return Ok(Path::default());
        }
        let mut turns: Vec<Turn> = Vec::new();
        for word in text.split('-') {
            let (step, index) = word.split_once('.').ok_or(NotAPath)?;
            let turn = Turn {
                step: step.parse().map_err(|_| NotAPath)?,
                index: index.parse().map_err(|_| NotAPath)?,
            };
            if turns.last().is_some_and(|last| last.step >= turn.step) {
                return Err(NotAPath);
            }
            turns.push(turn);
        }
        Ok(Path { turns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_print_what_they_parse() {
        for text in ["-", "0.1", "3.0-17.2"] {
            assert_eq!(text.parse::<Path>().unwrap().to_string(), text);
        }
        for text in ["", "1", "1.x", "5.0-5.1", "7.0-5.1"] {
            assert!(text.parse::<Path>().is_err(), "{text}");
        }
    }
}

//! Which launches of a program on a real GPU are saved, to be run again.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};
use std::str::FromStr;

/// A choice among the launches that are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Pick {
    /// So many of each kernel and geometry, the first ones.
    First(u32),
    /// Launches of kernels of which a race has been seen before the launch.
    Flagged,
    /// One of so many, at random.
    OneOf(u32),
}

impl Default for Pick {
    fn default() -> Pick {
        Pick::First(1)
    }
}

/// The text names none. Printed, it is a fragment of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected first[/N] of each kernel and geometry, flagged, or random/N, one launch of N")]
pub struct UnknownPick;

const FIRST: &str = "first/";
const RANDOM: &str = "random/";

impl Display for Pick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pick::First(1) => f.write_str("first"),
            Pick::First(n) => write!(f, "{FIRST}{n}"),
            Pick::Flagged => f.write_str("flagged"),
            Pick::OneOf(n) => write!(f, "{RANDOM}{n}"),
        }
    }
}

impl FromStr for Pick {
    type Err = UnknownPick;

    fn from_str(text: &str) -> Result<Pick, UnknownPick> {
        let number = |prefix| text.strip_prefix(prefix)?.parse().ok().filter(|n| *n > 0);
        match text {
            "first" => Ok(Pick::First(1)),
            "flagged" => Ok(Pick::Flagged),
            _ => match (number(FIRST), number(RANDOM)) {
                (Some(n), _) => Ok(Pick::First(n)),
                (_, Some(n)) => Ok(Pick::OneOf(n)),
                _ => Err(UnknownPick),
            },
        }
    }
}

impl From<Pick> for String {
    fn from(pick: Pick) -> String {
        pick.to_string()
    }
}

impl TryFrom<String> for Pick {
    type Error = UnknownPick;

    fn try_from(text: String) -> Result<Pick, UnknownPick> {
        text.parse()
    }
}

impl Pick {
    /// Returns whether the launch of this number is among the random ones. The answer is the same for a seed
    /// each time, and one of `of` in the long run.
    pub fn draws(seed: u64, number: u64, of: u32) -> bool {
        // SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
        let mut x = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ x >> 31).is_multiple_of(u64::from(of.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_print_what_they_parse() {
        for text in ["first", "first/3", "flagged", "random/1", "random/1000"] {
            assert_eq!(text.parse::<Pick>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "last",
            "first/",
            "first/0",
            "random",
            "random/",
            "random/0",
            "random/x",
            "random/99999999999",
        ] {
            assert_eq!(text.parse::<Pick>(), Err(UnknownPick), "{text}");
        }
    }

    #[test]
    fn one_of_so_many_is_drawn() {
        for of in [1, 4, 100] {
            let drawn = (1..=10_000).filter(|&number| Pick::draws(7, number, of)).count() as u32;
            assert!((5_000 / of..=20_000 / of).contains(&drawn), "{drawn} of 10,000, one of {of}");
        }
        let of = |seed| (1..=100).filter(|&n| Pick::draws(seed, n, 4)).collect::<Vec<_>>();
        assert!(of(1) == of(1) && of(1) != of(2));
    }
}

//! Seeds: a number of them, a range, or a list of numbers and ranges.

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::ops::Range;

/// The seeds of runs, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeds(Vec<Range<u64>>);

impl Default for Seeds {
    /// Seed 0 alone.
    fn default() -> Self {
        Seeds(vec![single(0)])
    }
}

const fn single(seed: u64) -> Range<u64> {
    seed..seed.saturating_add(1)
}

const fn first(number: u64) -> Range<u64> {
    0..number
}

impl Seeds {
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().cloned().flatten()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn len(&self) -> u64 {
        self.0.iter().map(|range| range.end - range.start).fold(0, u64::saturating_add)
    }

    fn range(text: &str) -> Result<Range<u64>, String> {
        let (from, to) = text.split_once("..").ok_or("expected a range of seeds such as `0..100`")?;
        let number = |text: &str| {
            text.trim().parse::<u64>().map_err(|_| format!("`{text}` is no number of a range of seeds"))
        };
        let (from, to) = (number(from)?, number(to)?);
        match from <= to {
            true => Ok(from..to),
            false => Err(format!("the range of seeds `{text}` ends before it begins")),
        }
    }
}

impl<'de> Deserialize<'de> for Seeds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Seeds;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of seeds, a range such as \"0..100\", or a list of seeds and ranges")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Seeds, E> {
        match u64::try_from(number) {
            Ok(number) => Ok(Seeds(vec![first(number)])),
            Err(_) => Err(E::custom("the number of seeds is negative")),
        }
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Seeds, E> {
        Ok(Seeds(vec![first(number)]))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Seeds, E> {
        Seeds::range(text).map(|range| Seeds(vec![range])).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Seeds, A::Error> {
        let mut out = Vec::new();
        while let Some(One(range)) = list.next_element()? {
            out.push(range);
        }
        Ok(Seeds(out))
    }
}

/// One element of a list.
struct One(Range<u64>);

impl<'de> Deserialize<'de> for One {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Element;
        impl Visitor<'_> for Element {
            type Value = One;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a seed, or a range of seeds such as \"0..100\"")
            }

            fn visit_i64<E: de::Error>(self, seed: i64) -> Result<One, E> {
                u64::try_from(seed).map(|seed| One(single(seed))).map_err(|_| E::custom("a seed is negative"))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<One, E> {
                Seeds::range(text).map(One).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_numbers_and_ranges() {
        #[derive(Deserialize)]
        struct File {
            seeds: Seeds,
        }
        let read = |text: &str| {
            toml::from_str::<File>(&format!("seeds = {text}"))
                .map(|file| file.seeds.iter().collect::<Vec<_>>())
        };
        assert_eq!(read("3").unwrap(), [0, 1, 2]);
        assert_eq!(read("'3..5'").unwrap(), [3, 4]);
        assert_eq!(read("[9, '3..5', 1]").unwrap(), [9, 3, 4, 1]);
        assert!(
            read("-1").is_err() && read("'a'").is_err() && read("[-2]").is_err() && read("true").is_err()
        );
        assert_eq!(
            toml::from_str::<File>("seeds = '0..18446744073709551615'").unwrap().seeds.len(),
            u64::MAX
        );
    }
}

//! The text form of one launch, as in a replay line.
//!
//! `grid=4,1,1 block=64,1,1 shared=0 contents=zeros order=0 arg0:8=array arg1:4=2 arg2+8:4=#3f800000`: an
//! argument has the parameter's number, the offset of a part in it, its bytes, and its value: an array of its
//! own (`array`), a made-up image (`texture`, `surface`), an integer, or bits.

use crate::replay::bench::{Argument, Contents, Value, Witness};
use crate::replay::images::Image;
use std::fmt::Write as _;

/// The reason why a text is no launch. It prints as a sentence fragment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no part of a launch: grid=X,Y,Z block=X,Y,Z shared=BYTES contents=NAME order=N argN:BYTES=VALUE"
)]
pub struct Malformed(String);

impl Witness {
    /// Returns the launch as text, which [`Witness::parse`] reads.
    pub fn text(&self) -> String {
        let dim = |d: [u32; 3]| format!("{},{},{}", d[0], d[1], d[2]);
        let contents = match self.contents {
            Contents::Zeros => "zeros".to_owned(),
            Contents::ManyZeros => "many-zeros".to_owned(),
            Contents::Ascending => "ascending".to_owned(),
            Contents::Ones => "ones".to_owned(),
            Contents::Small(seed) => format!("small{seed}"),
            Contents::Observed => "observed".to_owned(),
        };
        let mut text = format!(
            "grid={} block={} shared={} contents={contents} order={}",
            dim(self.grid),
            dim(self.block),
            self.dynamic_shared,
            self.order
        );
        for a in &self.arguments {
            let place = if a.offset == 0 { String::new() } else { format!("+{}", a.offset) };
            let value = match a.value {
                Value::Array => "array".to_owned(),
                Value::Image(Image::Texture) => "texture".to_owned(),
                Value::Image(Image::Surface) => "surface".to_owned(),
                Value::Scalar(v) => v.to_string(),
                Value::Bits(b) => format!("#{b:x}"),
            };
            let _ = write!(text, " arg{}{place}:{}={value}", a.index, a.bytes);
        }
        text
    }

    /// Parses a launch.
    pub fn parse(text: &str) -> Result<Witness, Malformed> {
        let mut witness = Witness {
            grid: [1; 3],
            block: [1; 3],
            dynamic_shared: 0,
            arguments: Vec::new(),
            contents: Contents::Zeros,
            order: 0,
        };
        for part in text.split_whitespace() {
            read(part, &mut witness).ok_or_else(|| Malformed(part.to_owned()))?;
        }
        Ok(witness)
    }
}

fn read(part: &str, witness: &mut Witness) -> Option<()> {
    let (name, value) = part.split_once('=')?;
    let dim = || -> Option<[u32; 3]> {
        let all: Vec<u32> = value.split(',').map(|n| n.parse().ok()).collect::<Option<_>>()?;
        all.try_into().ok().filter(|d: &[u32; 3]| d.iter().all(|&n| n > 0))
    };
    match name {
        "grid" => witness.grid = dim()?,
        "block" => witness.block = dim()?,
        "shared" => witness.dynamic_shared = value.parse().ok()?,
        "order" => witness.order = value.parse().ok()?,
        "contents" => {
            witness.contents = match value {
                "zeros" => Contents::Zeros,
                "many-zeros" => Contents::ManyZeros,
                "ascending" => Contents::Ascending,
                "ones" => Contents::Ones,
                _ => Contents::Small(value.strip_prefix("small")?.parse().ok()?),
            }
        }
        _ => {
            let (place, bytes) = name.strip_prefix("arg")?.split_once(':')?;
            let (index, offset) = place.split_once('+').unwrap_or((place, "0"));
            let value = match value.strip_prefix('#') {
                Some(bits) => Value::Bits(u64::from_str_radix(bits, 16).ok()?),
                None => match value {
                    "array" => Value::Array,
                    "texture" => Value::Image(Image::Texture),
                    "surface" => Value::Image(Image::Surface),
                    _ => Value::Scalar(value.parse().ok()?),
                },
            };
            let (index, offset) = (index.parse().ok()?, offset.parse().ok()?);
            witness.arguments.push(Argument { index, offset, bytes: bytes.parse().ok()?, value });
        }
    }
    Some(())
}

/// Returns the options of `prove` that repeat a launch.
pub(crate) fn replay(kernel: &str, witness: &Witness, volatile_weak: bool) -> String {
    format!("--launch '{}' --kernel-name kne={kernel}{}", witness.text(), law(volatile_weak))
}

/// Returns the options of `prove` that select the treatment of volatile accesses.
pub(crate) fn law(volatile_weak: bool) -> &'static str {
    if volatile_weak { " --volatile weak" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_is_what_its_text_says() {
        let argument = |index, offset, bytes, value| Argument { index, offset, bytes, value };
        let witness = Witness {
            grid: [4, 2, 1],
            block: [64, 1, 1],
            dynamic_shared: 16384,
            arguments: vec![
                argument(0, 0, 8, Value::Array),
                argument(1, 0, 4, Value::Scalar(-2)),
                argument(2, 8, 4, Value::Bits(0x3f80_0000)),
                argument(3, 0, 8, Value::Image(Image::Texture)),
                argument(4, 0, 8, Value::Image(Image::Surface)),
            ],
            contents: Contents::Small(1),
            order: 3,
        };
        assert_eq!(Witness::parse(&witness.text()), Ok(witness));
        for wrong in ["grid=0,1,1", "block=4", "contents=full", "arg1=3", "arg:4=3", "turns=2"] {
            assert!(Witness::parse(wrong).is_err(), "{wrong}");
        }
    }
}

//! Identities of runs: hashes that stay the same between machines, builds and versions of the compiler.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The 128-bit FNV-1a hash of a run's content, printed as 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Identity(u128);

/// The text of an identity does not have 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected 32 hexadecimal digits")]
pub struct NotAnIdentity;

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl From<Identity> for String {
    fn from(identity: Identity) -> String {
        identity.to_string()
    }
}

impl FromStr for Identity {
    type Err = NotAnIdentity;

    fn from_str(text: &str) -> Result<Self, NotAnIdentity> {
        let digit = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
        match text.len() == 32 && text.bytes().all(digit) {
            true => u128::from_str_radix(text, 16).map(Identity).map_err(|_| NotAnIdentity),
            false => Err(NotAnIdentity),
        }
    }
}

impl TryFrom<String> for Identity {
    type Error = NotAnIdentity;

    fn try_from(text: String) -> Result<Self, NotAnIdentity> {
        text.parse()
    }
}

/// Hashes a sequence of fields. Each field is followed by its length, so that no two sequences read alike.
#[derive(Clone, Copy, Debug)]
pub struct Hasher(u128);

const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

impl Hasher {
    /// Begins a hash of things of this kind.
    pub fn new(kind: &str) -> Hasher {
        Hasher(BASIS).text(kind)
    }

    #[must_use]
    pub fn bytes(self, bytes: &[u8]) -> Hasher {
        let length = (bytes.len() as u64).to_le_bytes();
        let step = |hash: u128, byte: &u8| (hash ^ u128::from(*byte)).wrapping_mul(PRIME);
        Hasher(bytes.iter().chain(&length).fold(self.0, step))
    }

    #[must_use]
    pub fn text(self, text: &str) -> Hasher {
        self.bytes(text.as_bytes())
    }

    #[must_use]
    pub fn number(self, number: u64) -> Hasher {
        self.bytes(&number.to_le_bytes())
    }

    pub fn finish(self) -> Identity {
        Identity(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_survives_printing() {
        let identity = Hasher::new("run").text("a").number(3).finish();
        assert_eq!(identity.to_string().parse(), Ok(identity));
        for wrong in ["", "0", &"g".repeat(32), &"A".repeat(32), &format!("+{}", "0".repeat(31))] {
            assert_eq!(wrong.parse::<Identity>(), Err(NotAnIdentity), "{wrong}");
        }
    }

    #[test]
    fn fields_do_not_run_into_each_other() {
        let two = |a: &str, b: &str| Hasher::new("x").text(a).text(b).finish();
        assert_ne!(two("ab", "c"), two("a", "bc"));
        assert_ne!(two("", "a"), two("a", ""));
    }

    #[test]
    fn an_identity_is_the_same_in_every_build() {
        assert_eq!(Hasher::new("run").finish().to_string(), "96c5dd10bcd507250f306027150e2369");
    }
}

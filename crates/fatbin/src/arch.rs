//! GPU architectures: `sm_90`, `sm_90a`, `sm_100f`.

use std::fmt;
use std::str::FromStr;

/// Which devices code for an architecture runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variant {
    /// `sm_90`: for PTX, on every later architecture too.
    #[default]
    Portable,
    /// `sm_100f`: on the same family, in which only the minor number differs.
    Family,
    /// `sm_90a`: on exactly this one.
    Specific,
}

/// A compute capability as in file names and flags: `sm` is ten times the major plus the minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arch {
    pub sm: u32,
    pub variant: Variant,
}

impl Arch {
    pub const fn new(sm: u32) -> Self {
        Arch { sm, variant: Variant::Portable }
    }

    /// Returns whether a device of compute capability `device` (its plain number, such as 90) can run PTX of
    /// this architecture.
    pub const fn ptx_runs_on(self, device: u32) -> bool {
        match self.variant {
            Variant::Portable => self.sm <= device,
            Variant::Family => self.sm <= device && self.sm / 10 == device / 10,
            Variant::Specific => self.sm == device,
        }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.variant {
            Variant::Portable => "",
            Variant::Family => "f",
            Variant::Specific => "a",
        };
        write!(f, "sm_{}{suffix}", self.sm)
    }
}

/// Neither `sm_…` nor `compute_…` and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected an architecture such as sm_90a")]
pub struct UnknownArch;

impl FromStr for Arch {
    type Err = UnknownArch;

    /// Reads `sm_90a` and `compute_90a`.
    fn from_str(text: &str) -> Result<Self, UnknownArch> {
        let digits = text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_")).ok_or(UnknownArch)?;
        let (digits, variant) = match digits.as_bytes().last() {
            Some(b'a') => (&digits[..digits.len() - 1], Variant::Specific),
            Some(b'f') => (&digits[..digits.len() - 1], Variant::Family),
            _ => (digits, Variant::Portable),
        };
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(UnknownArch);
        }
        Ok(Arch { sm: digits.parse().map_err(|_| UnknownArch)?, variant })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_round_trips() {
        for text in ["sm_75", "sm_90a", "sm_100f", "sm_121"] {
            assert_eq!(text.parse::<Arch>().unwrap().to_string(), text);
        }
        assert_eq!("compute_90a".parse::<Arch>().unwrap(), Arch { sm: 90, variant: Variant::Specific });
        for text in ["", "sm_", "sm_a", "90", "sm_9x0", "sm_+90", "sm_99999999999"] {
            assert!(text.parse::<Arch>().is_err(), "{text}");
        }
    }

    #[test]
    fn only_portable_ptx_runs_on_later_devices() {
        let arch = |t: &str| t.parse::<Arch>().unwrap();
        assert!(arch("sm_75").ptx_runs_on(90));
        assert!(!arch("sm_100").ptx_runs_on(90));
        assert!(arch("sm_90a").ptx_runs_on(90));
        assert!(!arch("sm_90a").ptx_runs_on(100));
        assert!(arch("sm_100f").ptx_runs_on(103));
        assert!(!arch("sm_100f").ptx_runs_on(120));
        assert!(!arch("sm_103f").ptx_runs_on(100));
    }
}

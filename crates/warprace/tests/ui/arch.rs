//! Selects the architecture that a fixture is built for.
//!
//! Code differs by architecture: nvcc and the toolkit's headers choose other instructions, and libraries
//! choose their kernels by it. Building all fixtures for all architectures takes hours (`cargo xtask
//! arches`), so each clean fixture is built for one of them, chosen by its name. Fixtures with a blessed
//! report are built for `compute_90`.

use crate::fixture::{Expected, Fixture};

/// nvcc's default architecture.
pub(crate) const DEFAULT: u32 = 75;

/// The target of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Arch {
    /// No flag: nvcc's default, which makes machine code besides PTX.
    Unsaid,
    /// PTX for `compute_N`.
    Compute(u32),
}

const ALL: [Arch; 5] =
    [Arch::Unsaid, Arch::Compute(75), Arch::Compute(80), Arch::Compute(90), Arch::Compute(100)];

impl Arch {
    /// Parses `default` or a name such as `compute_90`.
    pub(crate) fn parse(text: &str) -> Option<Arch> {
        match text {
            "default" => Some(Arch::Unsaid),
            _ => text.strip_prefix("compute_")?.parse().ok().map(Arch::Compute),
        }
    }

    fn number(self) -> u32 {
        match self {
            Arch::Unsaid => DEFAULT,
            Arch::Compute(number) => number,
        }
    }

    /// Returns whether the architecture has the fixture's instructions.
    pub(crate) fn suits(self, fixture: &Fixture) -> bool {
        self.number() >= fixture.arch
    }

    /// Returns the flags for nvcc. PTX alone avoids ptxas, which takes half of the time.
    pub(crate) fn flags(self) -> Vec<String> {
        match self {
            Arch::Unsaid => vec![],
            Arch::Compute(n) => vec!["-gencode".into(), format!("arch=compute_{n},code=compute_{n}")],
        }
    }
}

/// Returns the architecture of a fixture if the user asks for no other.
pub(crate) fn usual(fixture: &Fixture) -> Arch {
    if fixture.expected != Expected::Clean {
        return Arch::Compute(90);
    }
    let suitable: Vec<Arch> = ALL.into_iter().filter(|arch| arch.suits(fixture)).collect();
    // FNV-1a is stable across versions.
    let hash = fixture
        .name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    // The upper bits are used, since the lower ones of similar names are similar.
    suitable
        .get((hash >> 32) as usize % suitable.len().max(1))
        .copied()
        .unwrap_or(Arch::Compute(fixture.arch))
}

//! How much of what there was to check was checked, and by which engine.

use super::{Kernel, Summary};
use crate::proof::{Proof, Proved};
use serde::{Deserialize, Serialize};

/// The shares of launches, kernels and accesses that were checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completeness {
    /// The engine of `run` that checked them, or `prove`.
    pub engine: String,
    /// The lens, if one listened.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lens: String,
    /// Absent of proofs, which hold for launches that were not made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launches: Option<Share>,
    /// The checked launches that were proved free of races, and ran without checks on a GPU.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub proved: u64,
    /// The other checked launches that left out checks of accesses that were proved free of races.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub proved_in_part: u64,
    pub kernels: Share,
    /// Accesses of threads. Absent where they are not counted: on a GPU, and in proofs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accesses: Option<Share>,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    pub checked: u64,
    pub of: u64,
}

impl Share {
    fn new(checked: u64, of: u64) -> Share {
        Share { checked: checked.min(of), of }
    }

    fn whole(self) -> bool {
        self.checked == self.of
    }
}

impl Completeness {
    pub(crate) fn of_run(summary: &Summary, kernels: &[Kernel]) -> Completeness {
        let launched = kernels.iter().filter(|kernel| kernel.launches > 0);
        let checked = launched.clone().filter(|kernel| kernel.checked > 0).count() as u64;
        // A GPU counts no accesses.
        let counted = summary.accesses > 0 || summary.thread_instructions > 0;
        Completeness {
            engine: summary.engine.clone(),
            lens: summary.lens.clone(),
            launches: Some(Share::new(summary.checked, summary.launches)),
            proved: summary.proved,
            proved_in_part: summary.proved_in_part,
            kernels: Share::new(checked, launched.count() as u64),
            accesses: counted.then(|| Share::new(summary.checked_accesses, summary.accesses)),
        }
    }

    /// Returns the share of kernels that a prover has decided for all their launches.
    pub fn of_proofs(proofs: &[Proof]) -> Completeness {
        let whole = |proof: &&Proof| proof.verdict != Proved::Unknown && !proof.is_in_part();
        let decided = proofs.iter().filter(whole).count();
        Completeness {
            engine: "prove".into(),
            kernels: Share::new(decided as u64, proofs.len() as u64),
            ..Completeness::default()
        }
    }

    /// Returns whether everything was checked.
    pub fn whole(&self) -> bool {
        let shares = [self.launches, Some(self.kernels), self.accesses];
        shares.into_iter().flatten().all(Share::whole)
    }
}

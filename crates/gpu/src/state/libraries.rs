//! Kernels of libraries of which there is machine code only: how often and how long they run.

use super::State;
use crate::{library, timing};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The launches of a library's kernels without PTX.
#[derive(Clone, Debug, Default)]
struct Launched {
    kernels: BTreeSet<String>,
    launches: u64,
}

#[derive(Debug, Default)]
pub(super) struct Libraries {
    by_name: BTreeMap<String, Launched>,
}

impl Libraries {
    fn count(&mut self, library: &str, kernel: &str) {
        let known = self.by_name.entry(library.to_owned()).or_default();
        known.launches += 1;
        if !known.kernels.contains(kernel) {
            known.kernels.insert(kernel.to_owned());
        }
    }
}

/// Returns the sentence about a library's kernels, of a process with so many launches. `share` is the kernels' share of
/// the time of all kernels.
fn described(library: &str, of: &Launched, launches: u64, share: Option<f64>) -> String {
    let time =
        share.map_or(String::new(), |share| format!(", about {:.0} % of the kernels' time,", 100.0 * share));
    let kernels = of.kernels.len();
    let plural = if kernels == 1 { "" } else { "s" };
    format!(
        "{library}: {} of {launches} launches{time} had no checks: {kernels} kernel{plural} of machine code only",
        of.launches
    )
}

impl State {
    /// Counts the launch of a library's kernel that has no checks.
    pub(super) fn count_library(&mut self, library: &str, kernel: &str) {
        timing::begin();
        self.libraries.count(library, kernel);
    }

    /// Returns whether a library's kernels are accepted without checks.
    pub(super) fn trusts(&self, library: &str) -> bool {
        library::is_trusted(library, &self.options.trust)
    }

    /// Returns each library's share of the time of all kernels, as far as that was measured.
    fn shares(&self) -> HashMap<&str, f64> {
        let times = timing::estimated();
        let all: f64 = times.values().sum();
        let mut out: HashMap<&str, f64> = HashMap::new();
        for (kernel, time) in times.iter().filter(|_| all > 0.0) {
            if let Some(library) = self.modules.origin_of(*kernel) {
                *out.entry(library).or_default() += time / all;
            }
        }
        out
    }

    /// Returns one sentence for each name of a trusted library of which no kernel ran.
    pub(super) fn trusted_in_vain(&self) -> impl Iterator<Item = String> {
        let ran = |name: &String| {
            let mut all = self.libraries.by_name.keys();
            all.any(|library| library::is_trusted(library, std::slice::from_ref(name)))
        };
        let unknown = self.options.trust.iter().filter(move |name| !ran(name));
        unknown.map(|name| format!("`--trust {name}`: no kernel of such a library ran without checks"))
    }

    /// Returns one sentence for each library, of those that are trusted or of the others.
    pub(super) fn about_libraries(&self, trusted: bool) -> Vec<String> {
        if self.libraries.by_name.is_empty() {
            return Vec::new();
        }
        let (shares, launches) = (self.shares(), self.report.result.counters.launches);
        let those = self.libraries.by_name.iter().filter(|(name, _)| self.trusts(name) == trusted);
        those
            .map(|(name, of)| {
                let text = described(name, of, launches, shares.get(name.as_str()).copied());
                match trusted {
                    true => format!("{text}, as asked for"),
                    false => format!("{text} (`--trust {}` accepts them)", name.to_lowercase()),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_told_in_one_sentence() {
        let mut libraries = Libraries::default();
        ["gemm", "gemm", "gemv"].iter().for_each(|kernel| libraries.count("cuBLAS", kernel));
        libraries.count("cuDNN", "conv");
        let text = |name: &str, share| described(name, &libraries.by_name[name], 40, share);
        assert_eq!(
            text("cuBLAS", Some(0.614)),
            "cuBLAS: 3 of 40 launches, about 61 % of the kernels' time, had no checks: 2 kernels of machine code only"
        );
        assert_eq!(
            text("cuDNN", None),
            "cuDNN: 1 of 40 launches had no checks: 1 kernel of machine code only"
        );
    }
}

//! Proofs for all inputs that rest on what index arrays hold.
//!
//! `host_ir` executes the host code for every input ([`Launched::for_every_input`]). If an array's words are all different
//! in each launch that this finds, they are so in each launch that the program makes, and the proof may use it as it uses
//! `--assume 'permutation(…)'`. What else holds of the launches follows from the host code's constraints.

use crate::answer::{Answer, Prover, Verdict};
use crate::facts::Facts;
use crate::facts::assume::{Expr, Name, Relation, Test};
use crate::launches::known::{Written, is_written};
use host_ir::{Concrete, Launched, Number};
use std::collections::{BTreeMap, BTreeSet};

impl Prover<'_> {
    /// Returns a proof of all launches, if arrays have different words in each of them.
    pub(crate) fn proof_by_contents(
        &self,
        kernel: usize,
        facts: &Facts,
        launched: &Launched,
        stop: &dyn Fn() -> bool,
    ) -> Option<Answer> {
        let (calls, launches) = (launched.calls.as_deref()?, launched.for_every_input.as_deref()?);
        let arrays = self.arrays_of_different_words(kernel, launches);
        if arrays.is_empty() || calls.is_empty() {
            return None;
        }
        let relation = |n: &u32| {
            Relation::new(Expr::Name(Name::Param(format!("arg{n}"))), Test::Permutation, Expr::Number(0))
        };
        let facts = Facts { relations: arrays.iter().map(relation).collect(), ..facts.clone() };
        let mut whole = Answer::unasked(&self.linked.kernels[kernel].name, Verdict::Proved);
        for launch in calls {
            let (answer, _) = self.prove_by_cases(kernel, &self.call_facts(kernel, &facts, launch), stop);
            if !matches!(answer.verdict, Verdict::Proved) {
                return None;
            }
            whole.asked += answer.asked;
            whole.assumed.extend(answer.assumed);
        }
        for n in arrays {
            whole.assumed.push(format!("arg{n} holds what the host code has put there"));
        }
        whole.assumed.push("calls that the host code makes succeed, and nothing is thrown".to_owned());
        let places = if calls.len() == 1 { "place" } else { "places" };
        whole.assumed.push(format!("it is launched as its sources do it, in {} {places}", calls.len()));
        let mut seen = BTreeSet::new();
        whole.assumed.retain(|a| seen.insert(a.clone()));
        Some(whole)
    }

    /// Returns the parameters that point to the beginning of an array whose words are all different in each launch.
    fn arrays_of_different_words(&self, kernel: usize, launches: &[Concrete]) -> Vec<u32> {
        let described = &self.linked.kernels[kernel];
        let params = &self.linked.functions[described.function].flat.function.params;
        let sizes: Vec<u64> = params.iter().map(|p| p.size().unwrap_or(0)).collect();
        let earlier = launches.iter().flat_map(|c| &c.memory).flat_map(|m| &m.launches);
        let kernels: BTreeSet<&str> = earlier.map(|(kernel, _)| kernel.as_str()).collect();
        let written: BTreeMap<&str, Written> = kernels.into_iter().map(|k| (k, self.written(k))).collect();
        let all = |n: &u32| {
            !launches.is_empty()
                && launches.iter().all(|c| has_different_words(c, *n as usize, &sizes, &written))
        };
        (0..sizes.len() as u32).filter(all).collect()
    }
}

/// Returns whether all words of the array that a parameter points to are known and different. Words are those of 32 bits
/// at multiples of 4 bytes; those of 64 bits are different, too, then.
fn has_different_words(
    launch: &Concrete,
    parameter: usize,
    sizes: &[u64],
    written: &BTreeMap<&str, Written>,
) -> bool {
    let same = launch.arguments.len() == sizes.len()
        && launch.arguments.iter().zip(sizes).all(|(a, size)| u64::from(a.bytes) == *size && !a.open);
    let Some([piece]) = launch.arguments.get(parameter).map(|a| &a.pieces[..]) else { return false };
    let Number::Address(n, 0) = piece.number else { return false };
    let Some(memory) = launch.memory.get(n).filter(|_| same && piece.offset == 0 && piece.bytes == 8) else {
        return false;
    };
    let is_own = memory.allocated || memory.variable.is_some();
    let Some(contents) = memory.contents.as_ref().filter(|_| is_own && !is_written(memory, written)) else {
        return false;
    };
    let (words, rest) = contents.as_chunks::<4>();
    let different: BTreeSet<&[u8; 4]> = words.iter().collect();
    rest.is_empty() && different.len() == words.len()
}

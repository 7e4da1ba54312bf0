//! Sparse products of warpgroups against the results of an H200, by their hashes (`tests/ptx/results/wgmma-sparse.txt`).

use crate::recorded_forms::sparse::{Case, RESULTS, SparseForm, THREADS, cases, forms, line};
use crate::support::Machine;

const RECORDED: &str = include_str!("../../../tests/ptx/results/wgmma-sparse.txt");

fn results(machine: &Machine, form: &SparseForm, index: usize, case: Case) -> Vec<u64> {
    let inputs = form.inputs(index, case);
    let words: Vec<u32> = inputs.iter().flat_map(|slot| [*slot as u32, (slot >> 32) as u32]).collect();
    let sources = machine.upload(&words);
    let out = machine.alloc((8 * RESULTS * THREADS) as u64);
    machine.finish("form", 1, THREADS as u32, args![sources, out, 0u64]);
    let words = machine.words(out, 2 * RESULTS * THREADS);
    words.as_chunks::<2>().0.iter().map(|[low, high]| u64::from(*low) | u64::from(*high) << 32).collect()
}

#[test]
fn results_are_those_of_a_gpu() {
    let mut recorded = RECORDED.lines().filter(|line| !line.starts_with('#'));
    let mut wrong = Vec::new();
    for (index, form) in forms().iter().enumerate() {
        let machine = Machine::new(&form.text());
        for case in cases() {
            let line = line(form, case, &results(&machine, form, index, case));
            if recorded.next() != Some(line.as_str()) {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(recorded.next(), None);
}

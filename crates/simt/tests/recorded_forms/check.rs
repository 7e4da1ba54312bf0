//! Compares results with their recording.

use super::form::{Compare, Form, load, register};
use super::inputs::{fnv, inputs};
use super::results::{Recording, compact, hash, read};
use std::collections::HashMap;
use std::path::Path;

pub(crate) enum Checked {
    Same,
    /// A description of the difference.
    Differs(String),
}

/// Calls `f` with every recorded form, its PTX, inputs and recording.
pub(crate) fn each_form(root: &Path, mut f: impl FnMut(&Form, &str, &[u64], &Recording)) {
    let mut groups: HashMap<String, HashMap<String, Recording>> = HashMap::new();
    for (form, text) in load(root).unwrap_or_else(|e| panic!("{e}")) {
        let group = groups.entry(form.group.clone()).or_insert_with(|| {
            let path = root.join("results").join(format!("{}.zst", form.group));
            let packed = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let bytes = zstd::decode_all(&packed[..]).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let all = read(&bytes).unwrap_or_else(|| panic!("{}: cut short", path.display()));
            all.into_iter().map(|r| (r.name.clone(), r)).collect()
        });
        let recording = group
            .get(&form.name)
            .unwrap_or_else(|| panic!("{}/{} has no recording: record again", form.group, form.name));
        let inputs = inputs(&form);
        assert_eq!(
            hash(&inputs),
            recording.inputs,
            "{}/{}: the inputs changed since the recording: record again",
            form.group,
            form.name
        );
        f(&form, &text, &inputs, recording);
    }
}

/// Compares the fully recorded results one by one and, if they must be exact and `outputs` has them all, all
/// results by their hash.
pub(crate) fn check(form: &Form, inputs: &[u64], outputs: &[u64], recording: &Recording) -> Checked {
    let bytes = compact(form, outputs);
    let mut at = 0;
    let (mut bad, mut first) = (0, String::new());
    for item in 0..form.kept {
        let mut same = true;
        let start = at;
        for ty in &form.results {
            let width = register(ty).1;
            let word = |b: &[u8]| b.iter().rev().fold(0u64, |v, &x| v << 8 | u64::from(x));
            let (ours, theirs) = (word(&bytes[at..at + width]), word(&recording.kept[at..at + width]));
            same &= close(form.compare, ty, ours, theirs);
            at += width;
        }
        if !same {
            bad += 1;
            if first.is_empty() {
                let n = form.sources.len();
                let hex = |b: &[u8]| b.iter().rev().map(|x| format!("{x:02x}")).collect::<String>();
                first = format!(
                    "item {item}, inputs {:x?}: ours {} recorded {}",
                    &inputs[item * n..(item + 1) * n],
                    hex(&bytes[start..at]),
                    hex(&recording.kept[start..at])
                );
            }
        }
    }
    let name = format!("{}/{}", form.group, form.name);
    if bad > 0 {
        return Checked::Differs(format!("{name}: {bad} of {} items; {first}", form.kept));
    }
    let complete = outputs.len() == form.items * form.results.len();
    if complete && form.compare == Compare::Exact && fnv(bytes) != recording.all {
        return Checked::Differs(format!("{name}: the kept items agree, some of the others do not"));
    }
    Checked::Same
}

fn close(how: Compare, ty: &str, ours: u64, theirs: u64) -> bool {
    let Compare::Near { ulp, absolute } = how else { return ours == theirs };
    let (pair, bits) = match ty {
        "f16x2" | "bf16x2" => (true, 16),
        "f16" | "bf16" => (false, 16),
        "f64" => (false, 64),
        _ => (false, 32),
    };
    if pair {
        let half = |v: u64, i: u32| v >> (16 * i) & 0xffff;
        return (0..2).all(|i| near(16, half(ours, i), half(theirs, i), ulp));
    }
    if near(bits, ours, theirs, ulp) {
        return true;
    }
    let value = |v: u64| if bits == 64 { f64::from_bits(v) } else { f64::from(f32::from_bits(v as u32)) };
    bits >= 32 && (value(ours) - value(theirs)).abs() <= absolute
}

/// Returns whether the distance of two patterns, in order of their values, is at most `ulp`.
fn near(bits: u32, a: u64, b: u64, ulp: u32) -> bool {
    let sign = 1u64 << (bits - 1);
    let order = |v: u64| if v & sign != 0 { -((v & !sign) as i64) } else { v as i64 };
    // `u32::MAX` allows a whole unit of a double's upper word.
    order(a).abs_diff(order(b)).saturating_sub(u64::from(ulp == u32::MAX)) <= u64::from(ulp)
}

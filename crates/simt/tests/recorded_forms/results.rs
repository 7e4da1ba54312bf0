//! The recorded results, one compressed file per group.
//!
//! `results/GROUP.zst` contains, for each form in name order: the name (length as `u8`, bytes), the hash of
//! the inputs and the hash of all results (`u64`), and the first results themselves, each at its register's
//! width. Little-endian throughout.

use super::form::{Form, register};
use super::inputs::fnv;

/// One form's recording.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) inputs: u64,
    pub(crate) all: u64,
    /// The first [`Form::kept`] items, [`Form::result_bytes`] bytes each.
    pub(crate) kept: Vec<u8>,
}

impl Recording {
    /// Packs the result slots of all items.
    pub(crate) fn new(form: &Form, inputs: &[u64], results: &[u64]) -> Recording {
        let bytes = compact(form, results);
        Recording {
            name: form.name.clone(),
            inputs: hash(inputs),
            all: fnv(bytes.iter().copied()),
            kept: bytes[..form.kept * form.result_bytes()].to_vec(),
        }
    }
}

/// Returns the hash of input slots.
pub(crate) fn hash(slots: &[u64]) -> u64 {
    fnv(slots.iter().flat_map(|s| s.to_le_bytes()))
}

/// Returns result slots at their registers' widths.
pub(crate) fn compact(form: &Form, slots: &[u64]) -> Vec<u8> {
    let widths: Vec<usize> = form.results.iter().map(|t| register(t).1).collect();
    slots.iter().zip(widths.iter().cycle()).flat_map(|(s, &w)| s.to_le_bytes().into_iter().take(w)).collect()
}

pub(crate) fn write(recordings: &[Recording]) -> Vec<u8> {
    let mut out = Vec::new();
    for r in recordings {
        out.push(r.name.len() as u8);
        out.extend(r.name.bytes());
        out.extend(r.inputs.to_le_bytes());
        out.extend(r.all.to_le_bytes());
        out.extend((r.kept.len() as u32).to_le_bytes());
        out.extend(&r.kept);
    }
    out
}

/// Reads the output of [`write`]; `None` if it is truncated.
pub(crate) fn read(mut bytes: &[u8]) -> Option<Vec<Recording>> {
    let mut take = move |n: usize| {
        let (head, rest) = bytes.split_at_checked(n)?;
        bytes = rest;
        Some(head)
    };
    let mut all = Vec::new();
    while let Some(&[n]) = take(1) {
        let name = String::from_utf8(take(n.into())?.to_vec()).ok()?;
        let word = |b: &[u8]| b.iter().rev().fold(0u64, |v, &x| v << 8 | u64::from(x));
        let (inputs, hash, length) = (word(take(8)?), word(take(8)?), word(take(4)?));
        all.push(Recording { name, inputs, all: hash, kept: take(length as usize)?.to_vec() });
    }
    Some(all)
}

//! Makes numbers in a kernel's instructions smaller, if its launch still has more than [`FEW`] threads or [`BLOCKS`] blocks: a
//! tile of 128 elements, whose halves race, becomes one of 64.

use super::replays::Replays;
use super::saved::Saved;
use events::Dim3;
use ptx::ast::{FunctionKind, Item};
use std::ops::Range;

const FEW: u64 = 64;
const BLOCKS: u64 = 2;

/// Changes of numbers that are tried for a launch.
const TRIES: usize = 160;

/// Changes that may be made to a kernel.
const MOST: usize = 4;

/// Cuts every launch that is too large. Returns whether one became smaller.
pub(super) fn cut(replays: &mut Replays, saved: &mut Saved) -> bool {
    let mut smaller = false;
    for at in 0..saved.launches().len() {
        for _ in 0..MOST {
            let launch = saved.launch_mut(at);
            if launch.block.count() <= FEW && launch.grid.count() <= BLOCKS || launch.texts.len() != 1 {
                break;
            }
            let Some(other) = changed(replays, saved, at) else { break };
            *saved = other;
            smaller = true;
        }
    }
    smaller
}

/// Returns the first change of one number with which a smaller shape has the finding.
fn changed(replays: &mut Replays, saved: &Saved, at: usize) -> Option<Saved> {
    let launch = saved.launches()[at];
    let (text, kernel) = (launch.texts[0].clone(), launch.kernel.clone());
    let changes = numbers(&text, &kernel)
        .into_iter()
        .flat_map(|(place, number)| smaller(number).into_iter().map(move |new| (place.clone(), number, new)));
    for (place, number, new) in changes.take(TRIES) {
        let mut edited = text.clone();
        edited.replace_range(place, &new.to_string());
        let mut other = saved.clone();
        for i in 0..saved.launches().len() {
            let launch = other.launch_mut(i);
            // Launches of one module stay so.
            if launch.texts[0] == text {
                launch.texts[0].clone_from(&edited);
            }
        }
        let launch = other.launch_mut(at);
        (launch.grid, launch.block) = (few_blocks(launch.grid), few_threads(launch.block));
        other.constants.push((number, new));
        if replays.shows(&other) {
            return Some(other);
        }
    }
    None
}

fn few_blocks(grid: Dim3) -> Dim3 {
    if grid.count() <= BLOCKS { grid } else { Dim3 { x: grid.x.min(BLOCKS as u32), y: 1, z: 1 } }
}

fn few_threads(block: Dim3) -> Dim3 {
    if block.count() <= FEW { block } else { Dim3 { x: FEW as u32, y: 1, z: 1 } }
}

/// Returns smaller numbers that may stand for the same thing: a size, the last index of a size, the offset of the last
/// element of four or eight bytes.
fn smaller(number: u64) -> Vec<u64> {
    let mut out = Vec::new();
    for factor in [2, 4] {
        for less in [0, 1, 4, 8] {
            if (number + less).is_multiple_of(factor * less.max(1)) && (number + less) / factor > less {
                out.push((number + less) / factor - less);
            }
        }
    }
    out.sort_unstable_by(|a, b| b.cmp(a));
    out.dedup();
    out.retain(|&new| new < number);
    out
}

/// Returns the places and values of numbers from 3 on among the operands of a kernel's instructions.
fn numbers(text: &str, kernel: &str) -> Vec<(Range<usize>, u64)> {
    let parsed = ptx::parse(text);
    let is_own = |item: &Item| match item {
        Item::Function(f) if f.kind == FunctionKind::Entry && f.name.text == kernel => {
            Some(f.span.start as usize..f.span.end as usize)
        }
        _ => None,
    };
    let Some(span) = parsed.module.items.iter().find_map(is_own) else { return Vec::new() };
    let mut out = Vec::new();
    let mut from = span.start;
    for line in text[span].split_inclusive('\n') {
        let instruction = line.trim();
        let is_shift = instruction.contains("shl.") || instruction.contains("shr.");
        if instruction.ends_with(';') && !instruction.starts_with(['.', '$', '/']) && !is_shift {
            out.extend(operands(line).into_iter().map(|(at, n)| (from + at.start..from + at.end, n)));
        }
        from += line.len();
    }
    out
}

/// Returns the numbers of one instruction.
fn operands(line: &str) -> Vec<(Range<usize>, u64)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.' | '-');
    let mut out = Vec::new();
    let mut at = 0;
    for word in line.split_inclusive(|c| !is_word(c)) {
        let token = word.trim_end_matches(|c| !is_word(c));
        let number = token.parse().ok().filter(|n: &u64| (3..1 << 20).contains(n));
        out.extend(number.map(|number| (at..at + token.len(), number)));
        at += word.len();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_instructions_are_found() {
        let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n.reqntid 128\n{\n\
                    .reg .b32 %r<20>;\nmov.u32 %r1, 127;\nshl.b32 %r2, %r1, 7;\nld.shared.u32 %r3, [%r2+508];\n\
                    mov.f32 %f1, 0f3F800000;\n$L__BB0_64:\nret;\n}\n.visible .entry other()\n{\nmov.u32 %r1, 99;\n}\n";
        let found = numbers(text, "k");
        assert_eq!(found.iter().map(|(_, n)| *n).collect::<Vec<_>>(), [127, 508]);
        assert!(found.iter().all(|(at, n)| text[at.clone()] == n.to_string()));
    }

    #[test]
    fn a_size_its_last_index_and_its_last_offset_become_smaller() {
        assert!(smaller(128).contains(&64));
        assert!(smaller(127).contains(&63));
        assert!(smaller(508).contains(&252));
        assert!(smaller(3).contains(&1));
        assert!((3..600).all(|n| smaller(n).iter().all(|&new| (1..n).contains(&new))));
    }
}

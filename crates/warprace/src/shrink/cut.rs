//! Cuts a saved launch, and one that it races with, down to what the finding needs.

use super::constants;
use super::replays::Replays;
use super::saved::Saved;
use events::Dim3;
use kernels::{GlobalVariable, ParamLayout, Source};
use mend::reduce::{minimal, smallest};
use ptx::ast::{FunctionKind, Item};
use snapshot::Launch;

/// Subsets that are tried for one kind of parts.
const TRIES: usize = 200;

/// Allocations of which not even the contents are looked at one by one.
const MANY: usize = 512;

/// Cuts everything, in the order of what is gained.
pub(super) fn cut(replays: &mut Replays, mut saved: Saved) -> Saved {
    replays.simplest_schedule(&saved);
    functions(replays, &mut saved);
    for _ in 0..2 {
        extents(replays, &mut saved);
    }
    numbers(replays, &mut saved);
    extents(replays, &mut saved);
    if constants::cut(replays, &mut saved) {
        extents(replays, &mut saved);
    }
    memory(replays, &mut saved);
    saved
}

/// Replaces `saved` by a changed copy if that shows the finding, too.
fn attempt(replays: &mut Replays, saved: &mut Saved, change: impl FnOnce(&mut Saved)) -> bool {
    let mut other = saved.clone();
    change(&mut other);
    let shows = replays.shows(&other);
    if shows {
        *saved = other;
    }
    shows
}

/// Cuts blocks and threads, each extent of each launch by itself.
fn extents(replays: &mut Replays, saved: &mut Saved) {
    let extents: [fn(&mut Launch) -> &mut u32; 6] = [
        |l| &mut l.grid.x,
        |l| &mut l.grid.y,
        |l| &mut l.grid.z,
        |l| &mut l.block.z,
        |l| &mut l.block.y,
        |l| &mut l.block.x,
    ];
    for at in 0..saved.launches().len() {
        for extent in extents {
            let from = u64::from(*extent(saved.launch_mut(at)));
            if from == 1 {
                continue;
            }
            let best = smallest(from, |n| {
                let mut other = saved.clone();
                *extent(other.launch_mut(at)) = n as u32;
                replays.shows(&other)
            });
            *extent(saved.launch_mut(at)) = best as u32;
        }
        // A grid of many short rows can be one of few: all in one extent.
        let Dim3 { x, y, z } = saved.launch_mut(at).block;
        if x * y * z > 64 && (y > 1 || z > 1) {
            attempt(replays, saved, |s| s.launch_mut(at).block = Dim3 { x: 64, y: 1, z: 1 });
        }
    }
}

/// Makes numbers among the arguments smaller.
fn numbers(replays: &mut Replays, saved: &mut Saved) {
    for at in 0..saved.launches().len() {
        for ParamLayout { offset, size, .. } in parameters(saved.launch_mut(at)) {
            let (offset, size) = (offset as usize, size as usize);
            if !matches!(size, 4 | 8) {
                continue;
            }
            let value = number(&saved.launch_mut(at).params, offset, size);
            // A float, a negative number, or a pointer.
            if !(2..1 << 28).contains(&value) || saved.find(value).is_some() {
                continue;
            }
            let with = |saved: &Saved, value: u64| {
                let mut other = saved.clone();
                let bytes = value.to_le_bytes();
                other.launch_mut(at).params[offset..offset + size].copy_from_slice(&bytes[..size]);
                other
            };
            let best = smallest(value, |n| replays.shows(&with(saved, n)));
            *saved = with(saved, best);
        }
    }
}

pub(super) fn number(params: &[u8], offset: usize, size: usize) -> u64 {
    let mut bytes = [0; 8];
    if let Some(part) = params.get(offset..offset + size) {
        bytes[..size].copy_from_slice(part);
    }
    u64::from_le_bytes(bytes)
}

/// Returns the layout of the kernel's parameters; empty if the PTX cannot be linked.
pub(super) fn parameters(launch: &Launch) -> Vec<ParamLayout> {
    let parsed: Vec<ptx::Parse> = launch.texts.iter().map(|text| ptx::parse(text)).collect();
    let sources = Source::all(&parsed, &launch.texts, "module");
    let mut nowhere = |_: &GlobalVariable<'_>| Ok(1 << 20);
    let Ok(linked) = kernels::link(&sources, &mut nowhere) else { return Vec::new() };
    let kernel = linked.kernels.iter().find(|k| k.name == launch.kernel);
    kernel.map(|k| k.params.clone()).unwrap_or_default()
}

/// Removes the modules' other kernels.
fn functions(replays: &mut Replays, saved: &mut Saved) {
    let kernels: Vec<String> = saved.launches().iter().map(|launch| launch.kernel.clone()).collect();
    attempt(replays, saved, |s| {
        for at in 0..kernels.len() {
            s.launch_mut(at).texts.iter_mut().for_each(|text| *text = without_others(text, &kernels));
        }
    });
}

fn without_others(text: &str, kernels: &[String]) -> String {
    let parsed = ptx::parse(text);
    let mut out = text.to_owned();
    for item in parsed.module.items.iter().rev() {
        if let Item::Function(f) = item
            && f.kind == FunctionKind::Entry
            && !kernels.iter().any(|kernel| f.name.text == *kernel)
        {
            out.replace_range(f.span.start as usize..f.span.end as usize, "");
        }
    }
    out
}

/// Removes allocations and contents, and shortens what is left.
fn memory(replays: &mut Replays, saved: &mut Saved) {
    if saved.ranges.len() > MANY {
        return;
    }
    // Variables of the module keep their places.
    let fixed = |s: &Saved, i: usize| s.ranges[i].range.allocation.name.is_some() || !s.objects.is_empty();
    let free: Vec<usize> = (0..saved.ranges.len()).filter(|&i| !fixed(saved, i)).collect();
    let with = |saved: &Saved, kept: &[usize]| {
        let mut other = saved.clone();
        let mut index = 0;
        other.ranges.retain(|_| {
            index += 1;
            !free.contains(&(index - 1)) || kept.contains(&(index - 1))
        });
        other
    };
    let kept = minimal(&free, TRIES, |kept| replays.shows(&with(saved, kept)));
    *saved = with(saved, &kept);
    for i in (0..saved.ranges.len()).filter(|&i| !fixed(saved, i)).collect::<Vec<_>>() {
        let bytes = saved.ranges[i].range.allocation.bytes;
        let best = halved(bytes, |n| {
            let mut other = saved.clone();
            other.ranges[i].truncate(n);
            replays.shows(&other)
        });
        saved.ranges[i].truncate(best);
    }
    for i in 0..saved.ranges.len() {
        if !saved.ranges[i].pieces.is_empty() {
            attempt(replays, saved, |s| s.ranges[i].pieces.clear());
        }
    }
}

/// Halves a number as long as that shows the finding.
fn halved(mut best: u64, mut shows: impl FnMut(u64) -> bool) -> u64 {
    while best > 4 && shows(best.div_ceil(2)) {
        best = best.div_ceil(2);
    }
    best
}

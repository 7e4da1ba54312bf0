//! Questions about no launch at all, whose proof would say nothing: extents that no device takes, assumptions that
//! contradict each other, and kernels of which no thread comes to its end.

use crate::exec::Summary;
use crate::facts::Facts;
use crate::solver::instance::Instance;
use kernels::Kernel;

/// Why no launch is meant, if that is known. Printed, a fragment of a sentence.
pub(crate) fn no_launch(kernel: &Kernel, facts: &Facts) -> Option<String> {
    let shown = |d: [u32; 3]| format!("({}, {}, {})", d[0], d[1], d[2]);
    if let Some(block) = facts.block {
        let threads = block.iter().map(|&n| u64::from(n)).product::<u64>();
        let most = u64::from(kernel.max_threads);
        if threads > most {
            return Some(format!("no launch has {threads} threads a block: it takes at most {most}"));
        }
        if block[0] > 1024 || block[1] > 1024 || block[2] > 64 {
            return Some(format!("no launch has blocks of {}: at most (1024, 1024, 64)", shown(block)));
        }
        if let Some(required) = kernel.required_threads.map(|d| [d.x, d.y, d.z])
            && required != block
        {
            return Some(format!(
                "no launch has blocks of {}: it requires {}",
                shown(block),
                shown(required)
            ));
        }
    }
    if let Some(grid) = facts.grid
        && (grid[0] > i32::MAX as u32 || grid[1] > 65_535 || grid[2] > 65_535)
    {
        return Some(format!("no launch has a grid of {}: at most (2147483647, 65535, 65535)", shown(grid)));
    }
    None
}

/// Returns whether what is given of the kernel's launches contradicts itself.
pub(crate) fn is_contradicted(summary: &Summary) -> bool {
    let mut question = Instance::new(&summary.syms);
    question.assume_all(&[], &summary.given);
    !summary.given.is_empty() && question.refuted()
}

/// Why a proof of the kernel would be about no launch, if it would.
pub(crate) fn nothing_happens(summary: &Summary, facts: &Facts) -> Option<String> {
    if is_contradicted(summary) {
        let all: Vec<&str> = facts.relations.iter().map(|r| r.text.as_str()).collect();
        return Some(format!("no launch satisfies all that is assumed of it: {}", all.join(" && ")));
    }
    let blocks = &summary.cfg.blocks;
    let mut seen = vec![false; blocks.len()];
    let mut work = vec![0usize];
    let mut ends = blocks.is_empty();
    while let Some(b) = work.pop() {
        if !std::mem::replace(&mut seen[b], true) {
            ends |= blocks[b].exits;
            work.extend(blocks[b].successors.iter().map(|s| s.0 as usize));
        }
    }
    (!ends).then(|| "no thread comes to its end: each traps, or goes on for ever".to_owned())
}

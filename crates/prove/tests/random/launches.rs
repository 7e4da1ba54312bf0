//! Launches of random kernels, as a run observes them.

use super::Dice;
use events::observed::Bytes;
use events::task::{LaunchInfo, Parameter};
use events::{AllocKind, Dim3, LaunchFacts, ObservedLaunch, ObservedMemory};
use prove::facts::assume::Part;
use prove::facts::spread::Spread;

/// Bytes of an array of an observed launch.
pub(crate) const ARRAY: u64 = 1 << 14;

/// A launch as `run --facts` writes it: two arrays, far apart or one beside the other.
pub(crate) fn observed(
    uses: events::task::SyncUse,
    block: u32,
    grid: u32,
    n: i32,
    dice: &mut Dice,
) -> ObservedLaunch {
    let small = dice.one(2);
    let mut contents = || {
        let bytes = (0..ARRAY).map(|i| if i % 4 == 0 && !small { dice.roll(9) as u8 } else { 0 });
        Some(Bytes(bytes.collect()))
    };
    let (a, b) = (1u64 << 34, (1u64 << 34) + ARRAY);
    let memory = [a, b].map(|base| ObservedMemory {
        base,
        bytes: ARRAY,
        kind: AllocKind::Device,
        name: None,
        contents: contents(),
    });
    let mut bytes = Vec::new();
    // At times both parameters point into one array.
    let second = if dice.one(8) { a + 64 } else { b };
    bytes.extend(a.to_le_bytes());
    bytes.extend(second.to_le_bytes());
    bytes.extend(n.to_le_bytes());
    let parameters = [(0, 8), (8, 8), (16, 4)].map(|(offset, bytes)| Parameter { offset, bytes }).to_vec();
    ObservedLaunch {
        info: LaunchInfo {
            kernel: "k".into(),
            grid: Dim3::new(grid, 1, 1),
            block: Dim3::new(block, 1, 1),
            cluster: Dim3::ONE,
            cooperative: false,
            shared_bytes: 16384,
            uses,
        },
        facts: LaunchFacts { dynamic_shared: 0, bytes, parameters, shared: Vec::new() },
        memory: memory.to_vec(),
    }
}

/// Returns another launch of the kernel, and the spread of a question about it that covers `launch`, which has passed `n`.
pub(crate) fn alike(launch: &ObservedLaunch, n: i32) -> (ObservedLaunch, Spread) {
    let mut other = launch.clone();
    other.info.grid.x += 2;
    other.facts.bytes[16..20].copy_from_slice(&(n ^ 1).to_le_bytes());
    let mut spread = Spread::default();
    spread.grid[0] = Some(1..=other.info.grid.x);
    spread.numbers.insert(Part { index: 2, offset: 0, bytes: 4 }, 0..=9);
    (other, spread)
}

/// Shapes of launches; of whole warps if the kernel has matrices.
pub(crate) fn observed_shapes(text: &str) -> [(u32, u32); 3] {
    let whole = text.contains("matrix") || text.contains("wmma");
    if whole { [(32, 2), (64, 1), (96, 2)] } else { [(3, 2), (64, 1), (40, 2)] }
}

//! The launches that a proof about accesses covers, as a condition that takes microseconds to test.
//!
//! The condition is about what the symbolic execution has read of a launch: extents, numbers in parameters, and the
//! arrays that pointers lead to. A launch satisfies it if its arrays can be assigned to those of the proof so that
//! pointers of one array stay pointers of one array, at the same distances from its beginning, and different arrays
//! stay different. An array may be larger than the proof's: its accesses stay inside. Contents are no part of it.

use crate::facts::assume::Part;
use crate::facts::observed::{self, number};
use crate::facts::spread::Spread;
use events::observed::holder;
use events::task::{LaunchFacts, LaunchInfo};
use events::{Dim3, ObservedLaunch, ObservedMemory};
use serde_json::{Value, json};
use std::ops::{Range, RangeInclusive};

/// The fields of a condition in a text: the block, the cluster, whether it is cooperative, the bytes of dynamic shared
/// memory, the grid's ranges, parts of parameters with what they hold, and arrays.
type Fields = (
    [u32; 3],
    [u32; 3],
    bool,
    u32,
    [[u32; 2]; 3],
    Vec<([u32; 3], (u8, i64, i64))>,
    Vec<(Option<String>, u64)>,
);

/// A condition on launches of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Covered {
    block: Dim3,
    cluster: Dim3,
    cooperative: bool,
    dynamic_shared: u32,
    grid: [RangeInclusive<u32>; 3],
    /// Parts of parameters that were read, with their values.
    read: Vec<(Part, Held)>,
    arrays: Vec<Array>,
}

/// The value of a part of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Held {
    /// An integer, as a signed one.
    Number(RangeInclusive<i64>),
    /// An address in an array, by its index, so many bytes behind its beginning.
    Pointer { array: usize, offset: u64 },
}

/// An allocation or a variable of the module.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Array {
    /// A variable's name.
    name: Option<String>,
    bytes: u64,
}

impl Covered {
    /// Creates the condition of a proof about `launch` and those that differ from it as `spread` says, which has read
    /// these parts of parameters. Also returns the number in the condition of each array of `accessed`, which are
    /// indices into the launch's memory.
    pub(super) fn new(
        launch: &ObservedLaunch,
        spread: &Spread,
        read: impl IntoIterator<Item = Part>,
        accessed: &[usize],
    ) -> (Covered, Vec<usize>) {
        let info = &launch.info;
        let extents = [info.grid.x, info.grid.y, info.grid.z];
        let grid = std::array::from_fn(|i| spread.grid[i].clone().unwrap_or(extents[i]..=extents[i]));
        let mut known: Vec<usize> = Vec::new();
        let mut numbered = |memory: usize| {
            known.iter().position(|&m| m == memory).unwrap_or_else(|| {
                known.push(memory);
                known.len() - 1
            })
        };
        let held = |part: Part, numbered: &mut dyn FnMut(usize) -> usize| {
            let value = number(&launch.facts, part)?;
            let memory = launch.holder(value as u64).filter(|_| part.bytes == 8);
            Some(match (memory, spread.numbers.get(&part)) {
                (Some(memory), _) => {
                    let offset = value as u64 - launch.memory[memory].base;
                    Held::Pointer { array: numbered(memory), offset }
                }
                (None, Some(range)) => Held::Number(range.clone()),
                (None, None) => Held::Number(value..=value),
            })
        };
        let read = read.into_iter().filter_map(|part| Some((part, held(part, &mut numbered)?))).collect();
        let accessed = accessed.iter().map(|&memory| numbered(memory)).collect();
        let array = |&m: &usize| Array { name: launch.memory[m].name.clone(), bytes: launch.memory[m].bytes };
        let covered = Covered {
            block: info.block,
            cluster: info.cluster,
            cooperative: info.cooperative,
            dynamic_shared: launch.facts.dynamic_shared,
            grid,
            read,
            arrays: known.iter().map(array).collect(),
        };
        (covered, accessed)
    }

    /// Returns the number of arrays.
    pub(super) fn arrays(&self) -> usize {
        self.arrays.len()
    }

    /// Returns the condition as text, which [`Covered::parsed`] reads.
    pub(super) fn text(&self) -> Value {
        let extents = |extents: Dim3| [extents.x, extents.y, extents.z];
        let grid = self.grid.each_ref().map(|range| [*range.start(), *range.end()]);
        let read = self.read.iter().map(|(part, held)| {
            let held = match held {
                Held::Number(range) => json!([0, *range.start(), *range.end()]),
                Held::Pointer { array, offset } => json!([1, *array, *offset]),
            };
            json!([[part.index, part.offset, part.bytes], held])
        });
        let arrays = self.arrays.iter().map(|array| json!([array.name, array.bytes]));
        json!([
            extents(self.block),
            extents(self.cluster),
            self.cooperative,
            self.dynamic_shared,
            grid,
            read.collect::<Vec<_>>(),
            arrays.collect::<Vec<_>>(),
        ])
    }

    /// Reads a condition; `None` if the text is none.
    pub(super) fn parsed(text: Value) -> Option<Covered> {
        let fields: Fields = serde_json::from_value(text).ok()?;
        let ([x, y, z], [i, j, k], cooperative, dynamic_shared, grid, read, arrays) = fields;
        let held = |(what, a, b): (u8, i64, i64)| match what {
            0 => Some(Held::Number(a..=b)),
            1 => {
                let (array, offset) = (usize::try_from(a).ok()?, u64::try_from(b).ok()?);
                (array < arrays.len()).then_some(Held::Pointer { array, offset })
            }
            _ => None,
        };
        let part = |[index, offset, bytes]: [u32; 3]| Part { index, offset, bytes };
        let read = read.into_iter().map(|(of, value)| Some((part(of), held(value)?)));
        Some(Covered {
            block: Dim3::new(x, y, z),
            cluster: Dim3::new(i, j, k),
            cooperative,
            dynamic_shared,
            grid: grid.map(|[first, last]| first..=last),
            read: read.collect::<Option<_>>()?,
            arrays: arrays.into_iter().map(|(name, bytes)| Array { name, bytes }).collect(),
        })
    }

    /// Returns the addresses of the condition's arrays in a launch of the kernel; `None` if the proof does not cover
    /// it. `memory` is sorted by address.
    pub fn arrays_of(
        &self,
        info: &LaunchInfo,
        facts: &LaunchFacts,
        memory: &[ObservedMemory],
    ) -> Option<Vec<Range<u64>>> {
        let alike = info.block == self.block
            && info.cluster == self.cluster
            && info.cooperative == self.cooperative
            && facts.dynamic_shared == self.dynamic_shared;
        let extents = [info.grid.x, info.grid.y, info.grid.z];
        if !alike || !self.grid.iter().zip(extents).all(|(range, extent)| range.contains(&extent)) {
            return None;
        }
        let mut places: Vec<Option<usize>> = vec![None; self.arrays.len()];
        for (part, held) in &self.read {
            let value = number(facts, *part)?;
            let place = holder(memory, value as u64).filter(|_| part.bytes == 8);
            match (held, place) {
                (Held::Number(range), None) if range.contains(&value) => {}
                (Held::Pointer { array, offset }, Some(place))
                    if value as u64 - memory[place].base == *offset
                        && places[*array].is_none_or(|known| known == place) =>
                {
                    places[*array] = Some(place);
                }
                _ => return None,
            }
        }
        self.placed(places, memory)
    }

    /// Returns the addresses of arrays that are at these places in `memory`, and of variables, which are found by name.
    fn placed(&self, mut places: Vec<Option<usize>>, memory: &[ObservedMemory]) -> Option<Vec<Range<u64>>> {
        let mut found = Vec::with_capacity(places.len());
        for at in 0..places.len() {
            let array = &self.arrays[at];
            let by_name = || memory.iter().position(|m| array.name.is_some() && m.name == array.name);
            let place = places[at].or_else(by_name)?;
            let taken = places.iter().enumerate().any(|(other, p)| other != at && *p == Some(place));
            let memory = &memory[place];
            if taken || memory.name != array.name || memory.bytes < array.bytes {
                return None;
            }
            places[at] = Some(place);
            found.push(memory.base..memory.base + memory.bytes);
        }
        Some(found)
    }
}

/// Returns the memory of a launch by the names that the symbolic execution gives it.
pub(super) fn named(launch: &ObservedLaunch) -> std::collections::BTreeMap<String, usize> {
    (0..launch.memory.len()).map(|array| (observed::name(launch, array), array)).collect()
}

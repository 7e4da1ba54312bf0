//! Proofs about several launches at once: which launches they cover, and where their arrays are there.

use super::super::random::Dice;
use super::super::random::launches::observed;
use events::ObservedLaunch;
use kernels::Source;
use prove::Prover;
use prove::facts::assume::Part;
use prove::facts::spread::Spread;
use prove::launches::Covered;
use std::sync::Arc;

/// One column of a matrix of 64 rows of 32 words is divided by a number of another array: `q[i * 32 + k] = a[i * 32 + k] / b[k]`.
const COLUMN: &str = ".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 q, .param .u64 b, .param .u32 k) {
  .reg .pred %p<2>; .reg .u32 %r<9>; .reg .u64 %rd<9>;
  ld.param.u64 %rd1, [q];
  ld.param.u64 %rd2, [b];
  ld.param.u32 %r1, [k];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mad.lo.s32 %r5, %r3, %r4, %r2;
  setp.gt.s32 %p1, %r5, 63;
  @%p1 bra END;
  mul.wide.s32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r6, [%rd4];
  shl.b32 %r7, %r5, 5;
  add.s32 %r7, %r7, %r1;
  mul.wide.s32 %rd5, %r7, 4;
  add.s64 %rd6, %rd1, %rd5;
  ld.global.u32 %r8, [%rd6];
  div.u32 %r8, %r8, %r6;
  st.global.u32 [%rd6], %r8;
END:
  ret;
}";

const K: Part = Part { index: 2, offset: 0, bytes: 4 };

/// A launch of two blocks of 32 threads for a column, over two arrays.
fn launch(column: i32) -> ObservedLaunch {
    let parsed = ptx::parse(COLUMN);
    let source = Source { tree: &parsed.module, text: COLUMN, name: "column" };
    let uses = Prover::new(&[source]).expect("it links").kernels()[0].uses;
    let mut launch = observed(uses, 32, 2, column, &mut Dice(2));
    let second = launch.memory[1].base;
    launch.facts.bytes[8..16].copy_from_slice(&second.to_le_bytes());
    launch
}

/// Returns the launches that a question about column 3 and others covers, and whether all accesses stay in their arrays there.
fn asked(spread: &Spread) -> Option<(Covered, bool)> {
    let parsed = ptx::parse(COLUMN);
    let source = Source { tree: &parsed.module, text: COLUMN, name: "column" };
    let prover = Prover::new(&[source]).expect("it links");
    let free = prover.apart(0, &Arc::new(launch(3)), spread, false, &|| false);
    let inside = free.global.values().all(|access| access.is_inside && access.proved);
    Some((free.covered?, inside))
}

fn arrays(covered: &Covered, launch: &ObservedLaunch) -> Option<Vec<std::ops::Range<u64>>> {
    covered.arrays_of(&launch.info, &launch.facts, &launch.memory)
}

/// Columns up to this one.
fn columns(most: i64) -> Spread {
    Spread { numbers: [(K, 0..=most)].into(), ..Spread::default() }
}

#[test]
fn one_proof_is_about_all_columns() {
    let (covered, inside) = asked(&columns(31)).expect("it is proved");
    assert!(inside);
    for (column, is_covered) in [(0, true), (31, true), (32, false), (-1, false)] {
        assert_eq!(arrays(&covered, &launch(column)).is_some(), is_covered, "column {column}");
    }
    let mut larger = launch(4);
    larger.info.grid.x = 3;
    assert_eq!(arrays(&covered, &larger), None);
}

/// The array has 4096 words, of which 2016 are before the last row.
#[test]
fn columns_that_leave_the_array_are_not_proved_to_stay_inside() {
    let most = |column| asked(&columns(column)).expect("it is proved").1;
    assert_eq!([2079, 2080].map(most), [true, false]);
}

#[test]
fn a_grid_of_any_size_is_covered() {
    let mut spread = columns(31);
    spread.grid[0] = Some(1..=1000);
    let (covered, inside) = asked(&spread).expect("it is proved");
    assert!(inside);
    let mut launch = launch(9);
    for (blocks, is_covered) in [(1, true), (1000, true), (1001, false)] {
        launch.info.grid.x = blocks;
        assert_eq!(arrays(&covered, &launch).is_some(), is_covered, "{blocks} blocks");
    }
}

/// A proof that says nothing of a number holds for that number alone.
#[test]
fn a_number_that_was_read_is_a_condition() {
    let (covered, _) = asked(&Spread::default()).expect("it is proved");
    assert!(arrays(&covered, &launch(3)).is_some());
    assert_eq!(arrays(&covered, &launch(4)), None);
}

#[test]
fn arrays_may_be_others_but_not_one() {
    let (covered, _) = asked(&columns(31)).expect("it is proved");
    let this = launch(5);
    let at =
        |launch: &ObservedLaunch| launch.memory.iter().map(|m| m.base..m.base + m.bytes).collect::<Vec<_>>();
    let found = arrays(&covered, &this).expect("it is covered");
    assert_eq!(found.len(), 2);
    assert!(at(&this).iter().all(|array| found.contains(array)));
    // They change places.
    let mut swapped = this.clone();
    swapped.facts.bytes[..16].rotate_left(8);
    let mut other = found.clone();
    other.reverse();
    assert_eq!(arrays(&covered, &swapped), Some(other));
    // Both pointers lead into one array.
    let mut one = this.clone();
    one.facts.bytes.copy_within(..8, 8);
    assert_eq!(arrays(&covered, &one), None);
    // A pointer leads into the array's middle.
    let mut shifted = this.clone();
    shifted.facts.bytes[0] += 4;
    assert_eq!(arrays(&covered, &shifted), None);
    // An array is larger, or smaller.
    let mut larger = this.clone();
    larger.memory[1].bytes *= 2;
    let sizes = arrays(&covered, &larger).expect("it is covered").into_iter().map(|a| a.end - a.start);
    assert_eq!(sizes.sum::<u64>(), 3 * this.memory[0].bytes);
    let mut smaller = this.clone();
    smaller.memory[0].bytes -= 4;
    assert_eq!(arrays(&covered, &smaller), None);
    // A variable of the module, which the kernel might access by its name.
    let mut variable = this;
    variable.memory[0].name = Some("table".into());
    assert_eq!(arrays(&covered, &variable), None);
}

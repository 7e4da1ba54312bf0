//! The functions that compare operations on tensor memory, and their part of the table.

use super::super::report::parameters;
use super::super::runtime::TENSOR;
use super::super::table_address::{TOLD, header, in_function, place, scope};
use super::super::template::Values;
use super::super::tensor_layout::{self, LISTS, OPERATIONS};
use super::super::{ENDED, Options};
use crate::PREFIX;
use crate::collide::KINDS;
use crate::sink::{self, MOST, RECORD, field, tensor};
use std::fmt::Write;

/// The offset of the counts of each warp's waits for loads and for stores, and of each cluster's waits for an `mbarrier`.
const MOVES: u64 = TENSOR + tensor_layout::MOVES;
const COMMITS: u64 = TENSOR + tensor_layout::COMMITS;

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Load,
    Store,
    /// A write or a read by an operation that commits track.
    Write,
    Read,
}

impl Kind {
    /// Returns the first of the two places of the kind's operations.
    pub(super) fn place(self) -> u32 {
        2 * match self {
            Kind::Load => tensor::LOAD,
            Kind::Store => tensor::STORE,
            Kind::Write => tensor::WRITE,
            Kind::Read => tensor::READ,
        }
    }

    pub(super) fn writes(self) -> bool {
        matches!(self, Kind::Store | Kind::Write)
    }
}

/// Bits of the first parameter: the places of pending operations to compare with; those that write, those that read, and those
/// of loads and stores.
pub(super) const WRITES: u32 = 0b0011_1100;
pub(super) const READS: u32 = 0b1100_0011;
pub(super) const UNTRACKED: u32 = 0b0000_1111;
/// Whether the operation is stored, and at which place.
pub(super) const STORED: u32 = 1 << 8;
pub(super) const PLACE_AT: u32 = 9;
/// Whether the cells are those of the peer block.
pub(super) const PEER_AT: u32 = 12;
/// Whether commits track the operation, whether it writes, and whether it is no asynchronous one.
pub(super) const TRACKED: u32 = 1 << 13;
pub(super) const OWN_WRITES: u32 = 1 << 14;
pub(super) const PLAIN: u32 = 1 << 15;
/// Whether the operation is compared with those of its own warp alone; else with those of all others.
pub(super) const OWN: u32 = 1 << 16;
const _: () =
    assert!(TRACKED == tensor::TRACKED && OWN_WRITES == tensor::OWN_WRITES && PLAIN == tensor::PLAIN);

/// The third parameter: the first column, and the number of columns.
pub(super) const COLUMN: u32 = 511;
pub(super) const COLUMNS_AT: u32 = 9;

/// Fields of an operation in the table. Word 0: the number of the check plus 1, the lane of its thread, whether the peer block has
/// issued it, and the number of columns less 1. Word 1: the first column; bits of the launch's number; the groups of lanes in the
/// upper half. Word 2: the count of waits. Word 3: the block, and the last bits of the launch's number.
const CHECK_BITS: u32 = 17;
const LANE_AT: u32 = CHECK_BITS;
const BY_PEER_AT: u32 = 22;
const LAST_AT: u32 = 23;
const MORE_AT: u32 = 9;
const MORE_BITS: u32 = 7;

/// A function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Compares,
    /// Counts a wait.
    Done,
    Clears,
}

impl Function {
    fn name(self) -> String {
        let name = match self {
            Function::Compares => "tensor",
            Function::Done => "tensor_done",
            Function::Clears => "tensor_new",
        };
        format!("{PREFIX}{name}")
    }

    fn parameters(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Function::Compares => &[
                ("what", "b32"),
                ("check", "b32"),
                ("cells", "b32"),
                ("lanes", "b32"),
                ("who", "b32"),
                ("warp", "b32"),
                ("known", "b32"),
            ],
            Function::Done => &[("what", "b32"), ("who", "b32")],
            Function::Clears => &[("who", "b32")],
        }
    }
}

const TELL: [(&str, &str); 6] = [
    ("record", "b32"),
    ("earlier", "b32"),
    ("place", "b32"),
    ("how", "b32"),
    ("warp", "b32"),
    ("who", "b32"),
];

fn tell_name() -> String {
    format!("{PREFIX}tell_tensor")
}

/// Returns a call of a function with these arguments; `table` sets the table's address if callers pass it.
fn call(name: &str, all: &[(&str, &str)], values: &[&str], table: Option<String>) -> String {
    let mut out = String::from("\t{\n");
    let mut names = Vec::new();
    for ((parameter, ty), value) in all.iter().zip(values) {
        let _ = writeln!(out, "\t.param .{ty} wr_{parameter};\n\tst.param.{ty} [wr_{parameter}], {value};");
        names.push(format!("wr_{parameter}"));
    }
    if let Some(table) = table {
        let (parameter, ty) = TOLD;
        let _ = writeln!(
            out,
            "\t.reg .b64 %wr_table;\n{table}\t.param .{ty} wr_{parameter};\n\tst.param.{ty} [wr_{parameter}], %wr_table;"
        );
        names.push(format!("wr_{parameter}"));
    }
    let _ = write!(out, "\tcall {name}, ({});\n\t}}\n", names.join(", "));
    out
}

/// Returns a call of one of the functions from the kernel.
pub(super) fn called(function: Function, values: &[&str], options: &Options) -> String {
    let table = options.table.is_none().then(|| place(options, 0, "%wr_table"));
    call(&function.name(), function.parameters(), values, table)
}

/// Returns text that loads the number of waits for commits of the thread's cluster into a register; uses `%wr_r0`, `%wr_r1`,
/// `%wr_a0`, `%wr_a1` and `%wr_p0`, and branches to the end of the scope without a table.
pub(super) fn committed(register: &str, options: &Options) -> String {
    let (header, scope) = (header(options), scope(options.table));
    let number: String = ["y", "x"]
        .iter()
        .map(|axis| {
            format!("\tmov.u32 %wr_r1, %nclusterid.{axis};\n\tmul.lo.u32 %wr_r0, %wr_r0, %wr_r1;\n\tmov.u32 %wr_r1, %clusterid.{axis};\n\tadd.u32 %wr_r0, %wr_r0, %wr_r1;\n")
        })
        .collect();
    format!(
        "{header}\tmov.u32 %wr_r0, %clusterid.z;\n{number}\tand.b32 %wr_r0, %wr_r0, {};\n\tmul.wide.u32 %wr_a1, %wr_r0, 4;\n{}\tadd.u64 %wr_a0, %wr_a0, %wr_a1;\n\tld.relaxed.{scope}.global.u32 {register}, [%wr_a0];\n",
        (1 << LISTS) - 1,
        place(options, COMMITS, "%wr_a0"),
    )
}

/// Returns the texts of all functions.
pub(in super::super) fn functions(sink: u64, base: Option<u64>) -> String {
    let all = [Function::Compares, Function::Done, Function::Clears];
    told(sink) + &all.map(|function| text(function, sink, base)).concat()
}

/// Returns the text of a function.
fn text(function: Function, sink: u64, base: Option<u64>) -> String {
    let name = function.name();
    let more = base.is_none().then_some(TOLD);
    let all: Vec<_> = function.parameters().iter().copied().chain(more).collect();
    let at = |at| in_function(&name, base, at, "%rd3");
    let values = Values::default()
        .constants(&[
            ("COLUMN", COLUMN.into()),
            ("COLUMNS_AT", COLUMNS_AT.into()),
            ("OPERATIONS", OPERATIONS as i64),
            ("OWN", OWN.into()),
            ("STORED", STORED.into()),
            ("TRACKED", TRACKED.into()),
            ("PLACE_AT", PLACE_AT.into()),
            ("PEER_AT", PEER_AT.into()),
            ("LANE_AT", LANE_AT.into()),
            ("BY_PEER_AT", BY_PEER_AT.into()),
            ("LAST_AT", LAST_AT.into()),
            ("MORE_AT", MORE_AT.into()),
            ("MORE_BITS", MORE_BITS.into()),
            ("MORE", (((1 << MORE_BITS) - 1) << MORE_AT).into()),
            ("LISTS_MASK", (1 << LISTS) - 1),
            ("COMMITTED", tensor::WRITE.into()),
            ("ENDED", (sink + ENDED) as i64),
            // Groups of eight lanes in the upper half of an address.
            ("GROUP_AT", 16 + 3),
            ("HOW", (1 << PEER_AT | TRACKED | OWN_WRITES | PLAIN).into()),
            ("KINDS", KINDS.into()),
        ])
        .set("parameters", parameters(&name, &all))
        .set("at_operations", at(TENSOR))
        .set("at_moves", at(MOVES))
        .set("at_commits", at(COMMITS))
        .set("scope", scope(base))
        .set("name", name)
        .when("several", base.is_none())
        .when("compares", function == Function::Compares)
        .when("done", function == Function::Done)
        .when("clears", function == Function::Clears);
    let zeros: String = (0..OPERATIONS / 16)
        .map(|i| {
            let (scope, at) = (scope(base), 16 * i);
            format!("\tst.relaxed.{scope}.global.v4.u32 [%rd5+{at}], {{%r1, %r1, %r1, %r1}};\n")
        })
        .collect();
    let entries: String = (0..OPERATIONS / 16).map(|i| entry(i as u32, &values)).collect();
    let list = values.fill(include_str!("list.ptx"));
    values.set("list", list).set("entries", entries).set("zeros", zeros).fill(include_str!("tensor.ptx"))
}

/// Returns text that compares the operation with the one at a place.
fn entry(place: u32, values: &Values) -> String {
    let kind = place / 2;
    let counter = match kind {
        tensor::LOAD => "%r20",
        tensor::STORE => "%r21",
        _ => "%r9",
    };
    let tell = call(&tell_name(), &TELL, &["%r28", "%e0", "%r24", "%r27", "%r6", "%r5"], None);
    values
        .clone()
        .set("BIT", 1 << place)
        .set("AT", 16 * place)
        .set("N", place)
        .set("KIND", kind)
        .set("counter", counter)
        .set("tell", tell)
        .when("pipelined", kind >= tensor::WRITE)
        .fill(include_str!("entry.ptx"))
}

/// Returns the function that fills in a record.
fn told(sink: u64) -> String {
    let name = tell_name();
    Values::default()
        .constants(&[
            ("SINK", sink as i64),
            ("RECORD", RECORD as i64),
            ("MOST", MOST.into()),
            ("COUNT", field::COUNT as i64),
            ("VALID", field::VALID as i64),
            ("ADDRESS", field::ADDRESS as i64),
            ("EXPECTED", field::EXPECTED as i64),
            ("SPACE", field::SPACE as i64),
            ("OTHER_CHECK", field::OTHER_CHECK as i64),
            ("OTHER_BLOCK", field::OTHER_BLOCK as i64),
            ("OTHER", field::OTHER as i64),
            ("OWN", field::OWN as i64),
            ("TENSOR", sink::TENSOR.into()),
            ("WITH_OTHER", sink::WITH_OTHER.into()),
            ("CHECK_MASK", (1 << CHECK_BITS) - 1),
            ("LANE_AT", LANE_AT.into()),
            ("BY_PEER_AT", BY_PEER_AT.into()),
            ("PEER_AT", PEER_AT.into()),
        ])
        .set("parameters", parameters(&name, &TELL))
        .set("place", sink::place("%rd3", "%r14"))
        .set("name", name)
        .fill(include_str!("tell.ptx"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_are_ptx() {
        for base in [None, Some(1 << 30)] {
            let text =
                format!(".version 8.6\n.target sm_100a\n.address_size 64\n{}", functions(1 << 20, base));
            let parsed = ptx::parse(&text);
            assert!(parsed.errors.is_empty(), "{:?}\n{text}", parsed.errors);
        }
    }
}

//! Products of warpgroups (`wgmma`) and of tensor cores (`tcgen05.mma`): the reads of shared memory by matrix
//! descriptors (PTX §9.7.15.5.1, §9.7.17.4.1).
//!
//! Each warp of a warpgroup reads its 16 rows of A and a quarter of B, as accesses of its first lane, which checks
//! [`PLACES`] places of 16 bytes of each. The thread that issues a `tcgen05.mma` checks places in the first eight rows
//! of both factors, which every shape has.
//!
//! The instruction counts as a release, and the reads are pending from then on: those of `wgmma` until a warp of the
//! block waits for groups, which acquires, those of `tcgen05.mma` until a thread of the block waits for an `mbarrier` at
//! which a later commit arrives ([`super::completion`]).
//! A wait that leaves groups outstanding ends all, and the thread then makes the reads of these groups pending again
//! ([`super::copies`] stores them).
//!
//! Left out are base offsets, swizzles in units of 32 bytes, and factors of `tcgen05.mma` that are transposed.

use super::bulk::Bulks;
use super::called::is_silent_call;
use super::copies::{self, CHECK, COMMITTED, FIRST, GROUP, NEXT, entry};
use super::emit::{self, called};
use super::properties::Properties;
use super::runtime::{self, COPY, UNFENCED, WIDE};
use super::thread::WHO;
use super::tickets::{PRODUCTS, TICKET_AT, WARPGROUP};
use super::{Options, register};
use crate::collide::access::guard as guard_of;
use crate::sample::GOLDEN;
use ptx::ast::{FunctionKind, Operand};
use ptx::flat::{Arg, Flat, FlatInstruction};
use ptx::op::{MemSpace, Op, Tcgen05};
use std::fmt::Write;

/// The number of places of [`PIECE`] bytes of a factor that a thread checks: the first and random ones.
const PLACES: u32 = 4;
const PIECE: u32 = 16;

/// Bits of a descriptor's upper half that are not modelled: a base offset, an absolute address, a swizzle in units of
/// 32 bytes.
const NOT_MODELLED: u32 = 7 << 17 | 1 << 20 | 1 << 29;

/// Returns whether the operation reads shared memory by matrix descriptors and is checked here.
pub(super) fn is_product(op: &Op) -> bool {
    matches!(op, Op::Wgmma(_) | Op::Tcgen05(Tcgen05::Product(_)))
}

/// Properties of the products of a function.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Products {
    /// Whether products of warpgroups are pending until a wait.
    followed: bool,
    /// Whether a thread stores them for waits that leave groups outstanding.
    pub(super) stored: bool,
}

impl Products {
    /// Returns the properties of a function; `copies` if its threads store their `cp.async`.
    pub(super) fn of(flat: &Flat<'_>, copies: bool) -> Products {
        let all = |alone: &dyn Fn(&FlatInstruction<'_>, &Op) -> bool| {
            flat.instructions.iter().all(|inst| inst.op.as_ref().is_ok_and(|op| alone(inst, op)))
        };
        let followed = flat.function.kind == FunctionKind::Entry
            && all(&|inst, op| match op {
                Op::Call => is_silent_call(inst),
                Op::WgmmaWait => left(inst).is_some(),
                Op::Unknown => false,
                _ => true,
            });
        let any = flat.instructions.iter().any(|inst| matches!(inst.op, Ok(Op::Wgmma(_))));
        Products { followed, stored: followed && any && !copies }
    }

    /// Returns the text behind an instruction that commits a group of products, or waits for some; `None` for other
    /// instructions.
    pub(super) fn behind(
        self,
        inst: &FlatInstruction<'_>,
        known: Properties,
        options: &Options,
    ) -> Option<String> {
        if !self.stored {
            return None;
        }
        let group = register(GROUP);
        let skip = super::thread::unless(&guard_of(inst));
        if matches!(inst.op, Ok(Op::WgmmaCommit)) {
            return Some(format!("\n\t{{\n{skip}\tadd.u32 {group}, {group}, 1;\n$wr_end:\n\t}}\n"));
        }
        let [first, next] = [FIRST, NEXT].map(register);
        let left = left(inst)?;
        let [who, when, seen, observed, begun] = emit::KNOWS.map(register);
        let look =
            called(&["%wr_a0", "%wr_w", "%wr_c", &who, &when, &seen, &observed, &begun], known, options);
        Some(format!(
            "
\t{{
\t.reg .pred %wr_p0;
\t.reg .b32 %wr_r0, %wr_i, %wr_w, %wr_c;
\t.reg .b64 %wr_a<2>, %wr_b;
{skip}\
$wr_more:
\tsetp.eq.u32 %wr_p0, {first}, {next};
\t@%wr_p0 bra $wr_end;
{oldest}\
\tld.local.b64 %wr_b, [%wr_a1+8];
\tshr.u64 %wr_b, %wr_b, {COMMITTED};
\tcvt.u32.u64 %wr_r0, %wr_b;
\tsub.u32 %wr_r0, %wr_r0, {group};
\tadd.u32 %wr_r0, %wr_r0, {left};
\tsetp.ge.s32 %wr_p0, %wr_r0, 0;
\t@%wr_p0 bra $wr_rest;
\tadd.u32 {first}, {first}, 1;
\tbra $wr_more;
$wr_rest:
\tmov.u32 %wr_i, {first};
$wr_again:
\tsetp.eq.u32 %wr_p0, %wr_i, {next};
\t@%wr_p0 bra $wr_end;
{one}\
\tadd.u32 %wr_i, %wr_i, 1;
\tor.b32 %wr_c, %wr_c, {ticket};
{look}\
\tbra $wr_again;
$wr_end:
\t}}
",
            oldest = entry(&first),
            one = copies::loaded("%wr_i"),
            ticket = WARPGROUP << TICKET_AT,
        ))
    }
}

/// Returns the number of groups that a wait for products leaves outstanding; `None` for other instructions.
fn left(inst: &FlatInstruction<'_>) -> Option<u32> {
    match (&inst.op, inst.args.first()) {
        (Ok(Op::WgmmaWait), Some(Arg::Int(left))) => u32::try_from(*left).ok(),
        _ => None,
    }
}

/// A factor in shared memory.
struct Factor<'t> {
    /// The spelling of its descriptor.
    descriptor: &'t str,
    /// The number of pieces of each warp's, or of the thread's, rows.
    pieces: u32,
    /// Whether it is stored column by column.
    transposed: bool,
    /// Whether these are the second 32 bytes of each row.
    second: bool,
    /// The spelling of the instruction descriptor, and its bit that tells whether the factor is transposed.
    told: Option<(&'t str, u32)>,
}

/// A product.
pub(super) struct Product<'t> {
    factors: Vec<Factor<'t>>,
    /// Whether it is one of a warpgroup.
    grouped: bool,
    guard: Option<(String, bool)>,
}

impl<'t> Product<'t> {
    /// Returns the product of an instruction; `None` for other instructions, and for operands that are not registers.
    pub(super) fn of(inst: &FlatInstruction<'_>, text: &'t str) -> Option<Product<'t>> {
        let spelled = |operand: usize| {
            let (Arg::Reg(_), Operand::Name(name)) =
                (inst.args.get(operand)?, inst.source.operands.get(operand)?)
            else {
                return None;
            };
            text.get(name.span.start as usize..name.span.end as usize)
        };
        let mut factors = Vec::new();
        let grouped = match inst.op.as_ref().ok()? {
            Op::Wgmma(product) => {
                let one = |operand, pieces, transposed, second| -> Option<Factor<'t>> {
                    let descriptor = spelled(operand)?;
                    Some(Factor { descriptor, pieces, transposed, second, told: None })
                };
                let of_a = !matches!(inst.args.get(1), Some(Arg::Vector(_)));
                let [trans_a, trans_b] = transposed(product, of_a, &inst.args);
                if of_a {
                    factors.push(one(1, 32, trans_a, false)?);
                }
                let pieces = u32::from(product.n) / 2;
                factors.push(one(2, pieces, trans_b, false)?);
                if product.sparse {
                    factors.push(one(2, pieces, trans_b, true)?);
                }
                true
            }
            Op::Tcgen05(Tcgen05::Product(product)) => {
                let how = spelled(3 + usize::from(product.sparse))?;
                for (operand, bit) in [(1, 15), (2, 16)] {
                    if matches!(inst.args.get(operand), Some(Arg::Address { .. })) {
                        continue;
                    }
                    let told = Some((how, bit));
                    let descriptor = spelled(operand)?;
                    factors.push(Factor { descriptor, pieces: 16, transposed: false, second: false, told });
                }
                false
            }
            _ => return None,
        };
        Some(Product { factors, grouped, guard: guard_of(inst) })
    }

    /// Returns the number of checks.
    pub(super) fn checks(&self) -> usize {
        self.factors.len()
    }

    /// Returns the text to insert before the instruction: a check of each factor, numbered from `first` on.
    pub(super) fn check(
        &self,
        first: u32,
        known: Properties,
        (products, bulks): (Products, Bulks),
        options: &Options,
    ) -> String {
        let who = register(WHO);
        let mut out = String::from(
            "{\n\t.reg .pred %wr_p<1>;\n\t.reg .b32 %wr_r<1>, %wr_own;\n\tmov.u32 %wr_own, 0;\n",
        );
        out += &super::thread::unless(&self.guard);
        if self.grouped {
            let _ = write!(
                out,
                "\tand.b32 %wr_r0, {who}, 31;\n\tsetp.ne.u32 %wr_p0, %wr_r0, 0;\n\t@%wr_p0 bra $wr_others;\n\tbfe.u32 %wr_own, {who}, 5, 2;\n"
            );
        }
        let (followed, ticket) = match self.grouped {
            true => (products.followed, WARPGROUP),
            false => (bulks.followed, PRODUCTS),
        };
        let bit = |is: bool, at: u32| u32::from(is) << at;
        let what = PIECE
            | 1 << COPY
            | bit(followed, WIDE)
            | bit(known.clock, runtime::CLOCK)
            | bit(known.far, runtime::FAR)
            | bit(known.fine, runtime::FINE)
            | bit(followed && bulks.told_apart, UNFENCED)
            | runtime::SHARED << runtime::SPACE;
        for (factor, number) in self.factors.iter().zip(first..) {
            let ticket = if followed { ticket << TICKET_AT } else { 0 };
            out += &factor.check(what, (number, ticket), self.grouped && products.stored, known, options);
        }
        if self.grouped {
            // The product is one of all lanes. The barrier is not counted, which keeps it out of the threads' order.
            out += "$wr_others:\n\tbar.warp.sync -1;\n";
        }
        out += "$wr_end:\n\t}\n";
        out
    }
}

/// Returns whether A and B are stored column by column: the last operands of products of 16-bit factors.
fn transposed(product: &ptx::op::Wgmma, of_a: bool, args: &[Arg<'_>]) -> [bool; 2] {
    let set = |back: usize| matches!(args.len().checked_sub(back).map(|i| &args[i]), Some(Arg::Int(1)));
    match (product.a.bits(), of_a) {
        (16, true) => [set(2), set(1)],
        (16, false) => [false, set(1)],
        _ => [false, false],
    }
}

impl Factor<'_> {
    /// Returns the check of some places; `stored` if the thread stores them.
    fn check(
        &self,
        what: u32,
        (number, ticket): (u32, u32),
        stored: bool,
        known: Properties,
        options: &Options,
    ) -> String {
        let most = if options.prune { PLACES.min(self.pieces) } else { self.pieces };
        let left_out = match options.prune {
            true => emit::sampled(MemSpace::SharedCta).replace("$wr_left", "$wr_done"),
            false => String::new(),
        };
        let told = match self.told {
            Some((how, at)) => format!(
                "\tand.b32 %wr_r0, {how}, {};\n\tsetp.ne.u32 %wr_p0, %wr_r0, 0;\n\t@%wr_p0 bra $wr_done;\n",
                1 << at
            ),
            None => String::new(),
        };
        let [who, when, seen, observed, begun] = emit::KNOWS.map(register);
        let look = called(
            &[
                "%wr_a0",
                &what.to_string(),
                &(number | ticket).to_string(),
                &who,
                &when,
                &seen,
                &observed,
                &begun,
            ],
            known,
            options,
        );
        let stored = match stored {
            true => {
                format!(
                    "{}{}$wr_left:\n",
                    copies::started(what),
                    copies::remembered(what & ((1 << CHECK) - 1), number)
                )
            }
            false => String::new(),
        };
        format!(
            "\
\t{{
\t.reg .pred %wr_plain;
\t.reg .b32 %wr_low, %wr_high, %wr_start, %wr_lead, %wr_stride, %wr_line, %wr_log, %wr_i, %wr_x, %wr_y, %wr_t<3>;
\t.reg .b64 %wr_a<2>;
{left_out}\
\tmov.b64 {{%wr_low, %wr_high}}, {descriptor};
\tand.b32 %wr_r0, %wr_high, {NOT_MODELLED};
\tsetp.ne.u32 %wr_p0, %wr_r0, 0;
\t@%wr_p0 bra $wr_done;
{told}{fields}\
\tmov.u32 %wr_x, %clock;
\tmul.lo.u32 %wr_x, %wr_x, {GOLDEN};
\tmov.u32 %wr_i, 0;
$wr_more:
\tsetp.ge.u32 %wr_p0, %wr_i, {most};
\t@%wr_p0 bra $wr_done;
\tmul.hi.u32 %wr_t0, %wr_x, {pieces};
\tadd.u32 %wr_x, %wr_x, {apart};
\tsetp.eq.u32 %wr_p0, %wr_i, 0;
\tselp.u32 %wr_t0, 0, %wr_t0, %wr_p0;
{all}\
\tadd.u32 %wr_i, %wr_i, 1;
\tmad.lo.u32 %wr_t0, %wr_own, {pieces}, %wr_t0;
{place}\
\tshr.u32 %wr_t1, %wr_t0, 7;
\tsub.u32 %wr_t2, %wr_line, 1;
\tand.b32 %wr_t1, %wr_t1, %wr_t2;
\tshl.b32 %wr_t1, %wr_t1, 4;
\txor.b32 %wr_t0, %wr_t0, %wr_t1;
\tcvt.u64.u32 %wr_a0, %wr_t0;
{look}\
\t{{
{stored}\
\t}}
\tbra $wr_more;
$wr_done:
\t}}
",
            descriptor = self.descriptor,
            fields = self.fields(),
            place = self.place(),
            pieces = self.pieces,
            all = if most == self.pieces { "\tmov.u32 %wr_t0, %wr_i;\n" } else { "" },
            apart = u32::MAX / PLACES + 1,
        )
    }

    /// Returns text that reads the descriptor's fields.
    fn fields(&self) -> String {
        let mut out = String::from(
            "\
\tand.b32 %wr_start, %wr_low, 16383;
\tshl.b32 %wr_start, %wr_start, 4;
\tbfe.u32 %wr_lead, %wr_low, 16, 14;
\tshl.b32 %wr_lead, %wr_lead, 4;
\tand.b32 %wr_stride, %wr_high, 16383;
\tshl.b32 %wr_stride, %wr_stride, 4;
\tshr.u32 %wr_t0, %wr_high, 30;
\tsetp.eq.u32 %wr_plain, %wr_t0, 0;
\tsub.u32 %wr_log, 4, %wr_t0;
\tselp.u32 %wr_log, 0, %wr_log, %wr_plain;
\tmov.u32 %wr_line, 1;
\tshl.b32 %wr_line, %wr_line, %wr_log;
",
        );
        if self.second {
            out += match self.transposed {
                false => {
                    "\
\tshl.b32 %wr_t1, %wr_lead, 1;
\tselp.u32 %wr_t1, %wr_t1, 32, %wr_plain;
\tsetp.eq.u32 %wr_p0, %wr_t0, 3;
\tselp.u32 %wr_t1, %wr_lead, %wr_t1, %wr_p0;
"
                }
                true => "\tselp.u32 %wr_t1, %wr_lead, %wr_stride, %wr_plain;\n\tshl.b32 %wr_t1, %wr_t1, 1;\n",
            };
            out += "\tadd.u32 %wr_start, %wr_start, %wr_t1;\n";
        }
        out
    }

    /// Returns text that turns the number of a piece in `%wr_t0` into its address without swizzle.
    fn place(&self) -> &'static str {
        match self.transposed {
            // Row and chunk.
            false => {
                "\
\tand.b32 %wr_t1, %wr_t0, 1;
\tselp.u32 %wr_t2, %wr_lead, 16, %wr_plain;
\tmad.lo.u32 %wr_t2, %wr_t1, %wr_t2, %wr_start;
\tbfe.u32 %wr_t1, %wr_t0, 1, 3;
\tmul.lo.u32 %wr_t1, %wr_t1, %wr_line;
\tshl.b32 %wr_t1, %wr_t1, 4;
\tadd.u32 %wr_t2, %wr_t2, %wr_t1;
\tshr.u32 %wr_t0, %wr_t0, 4;
\tmad.lo.u32 %wr_t0, %wr_t0, %wr_stride, %wr_t2;
"
            }
            // Column and group of rows.
            true => {
                "\
\tbfe.u32 %wr_t1, %wr_t0, 0, 3;
\tmul.lo.u32 %wr_t1, %wr_t1, %wr_line;
\tshl.b32 %wr_t1, %wr_t1, 4;
\tadd.u32 %wr_t2, %wr_start, %wr_t1;
\tbfe.u32 %wr_t1, %wr_t0, 3, 1;
\tselp.u32 %wr_y, %wr_lead, %wr_stride, %wr_plain;
\tmad.lo.u32 %wr_t2, %wr_t1, %wr_y, %wr_t2;
\tshr.u32 %wr_t0, %wr_t0, 4;
\tsub.u32 %wr_t1, %wr_line, 1;
\tand.b32 %wr_t1, %wr_t0, %wr_t1;
\tshl.b32 %wr_t1, %wr_t1, 4;
\tadd.u32 %wr_t2, %wr_t2, %wr_t1;
\tshr.u32 %wr_t0, %wr_t0, %wr_log;
\tselp.u32 %wr_t1, %wr_stride, %wr_lead, %wr_plain;
\tmad.lo.u32 %wr_t0, %wr_t0, %wr_t1, %wr_t2;
"
            }
        }
    }
}

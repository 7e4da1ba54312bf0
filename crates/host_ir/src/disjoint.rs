//! `or` of numbers that have no bit in common. clang has marked it as `disjoint` since version 18.

use super::ir::{Function, Op};

/// Definitions that are followed from one operand.
const MOST_DEEP: u32 = 8;

/// Marks each `or` whose operands have no bit in common as exact: it equals their sum.
pub(super) fn mark(f: &mut Function<'_>) {
    let mut found = Vec::new();
    for (b, block) in f.blocks.iter().enumerate() {
        for (n, inst) in block.insts.iter().enumerate() {
            if let Op::Binary { op: "or", bits, signed: false, a, b: other, .. } = &inst.op
                && possible_bits(f, a, *bits, 0) & possible_bits(f, other, *bits, 0) == 0
            {
                found.push((b, n));
            }
        }
    }
    for (b, n) in found {
        if let Op::Binary { exact, signed, .. } = &mut f.blocks[b].insts[n].op {
            (*exact, *signed) = (true, true);
        }
    }
}

/// Returns the bits that may be set in a number of so many bits.
fn possible_bits(f: &Function<'_>, name: &str, bits: u32, deep: u32) -> u64 {
    let all = if bits < 64 { (1 << bits) - 1 } else { u64::MAX };
    if let Ok(constant) = name.parse::<i64>() {
        return constant as u64 & all;
    }
    if deep >= MOST_DEEP {
        return all;
    }
    let of = |name: &str, bits: u32| possible_bits(f, name, bits, deep + 1);
    all & match f.definition(name) {
        Some(Op::Same(other)) => of(other, bits),
        Some(Op::Cast { op: "zext", from, of: other, .. }) => of(other, *from),
        Some(Op::Binary { op: "and", a, b, .. }) => of(a, bits) & of(b, bits),
        Some(Op::Binary { op: "or" | "xor", a, b, .. }) => of(a, bits) | of(b, bits),
        Some(Op::Binary { op: op @ ("shl" | "lshr"), a, b, .. }) => match b.parse::<u32>() {
            Ok(by) if by < bits && *op == "shl" => of(a, bits) << by,
            Ok(by) if by < bits => of(a, bits) >> by,
            _ => all,
        },
        Some(Op::Select { a, b, .. }) => of(a, bits) | of(b, bits),
        _ => all,
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::{Module, Op};

    #[test]
    fn an_or_without_common_bits_is_a_sum() {
        let text = r"
define i64 @f(i32 noundef %0, i64 noundef %1) {
  %3 = zext i32 %0 to i64
  %4 = or i64 %3, 4294967296
  %5 = shl i64 %1, 32
  %6 = or i64 %5, %3
  %7 = or i64 %5, 4294967296
  %8 = or i64 %1, %3
  ret i64 %4
}
";
        let mut module = Module::read(text);
        let f = &mut module.functions[0];
        super::mark(f);
        let is = |name| matches!(f.definition(name), Some(Op::Binary { exact: true, signed: true, .. }));
        assert_eq!(["%4", "%6", "%7", "%8"].map(is), [true, true, false, false]);
    }
}

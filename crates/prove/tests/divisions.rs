//! Quotients and remainders by constants, written as products and shifts. The address that the symbolic
//! execution derives must equal the computed one, for correct sequences and for ones with a wrong factor, a
//! wrong shift or a missing instruction. `PROVE_ADDRESSES=N` sets the number of cases.

use kernels::{Source, link};
use prove::Facts;
use prove::facts::Assumption;
use prove::solver::cond::Cond;
use prove::solver::poly::{Poly, Sym};
use prove::solver::symbols::{Axis, Kind, Syms};

struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn one(&mut self, n: u64) -> bool {
        self.roll(n) == 0
    }
}

/// An instruction on registers; the first one is the result.
#[derive(Clone, Copy)]
enum Step {
    WideU32(usize, usize, i64),
    WideS32(usize, usize, i64),
    HighU32(usize, usize, i64),
    HighS32(usize, usize, i64),
    HighU64(usize, usize, i64),
    HighS64(usize, usize, i64),
    ShrU32(usize, usize, u32),
    ShrS32(usize, usize, u32),
    ShrU64(usize, usize, u32),
    Narrow(usize, usize),
    Add(usize, usize, usize),
    Sub(usize, usize, usize),
    Mul(usize, usize, i64),
    And(usize, usize, i64),
}

impl Step {
    fn text(&self) -> String {
        use Step as S;
        match *self {
            S::WideU32(d, a, m) => format!("mul.wide.u32 %rd{d}, %r{a}, {m};"),
            S::WideS32(d, a, m) => format!("mul.wide.s32 %rd{d}, %r{a}, {m};"),
            S::HighU32(d, a, m) => format!("mul.hi.u32 %r{d}, %r{a}, {m};"),
            S::HighS32(d, a, m) => format!("mul.hi.s32 %r{d}, %r{a}, {m};"),
            S::HighU64(d, a, m) => format!("cvt.s64.s32 %rd{d}, %r{a}; mul.hi.u64 %rd{d}, %rd{d}, {m};"),
            S::HighS64(d, a, m) => format!("cvt.s64.s32 %rd{d}, %r{a}; mul.hi.s64 %rd{d}, %rd{d}, {m};"),
            S::ShrU32(d, a, n) => format!("shr.u32 %r{d}, %r{a}, {n};"),
            S::ShrS32(d, a, n) => format!("shr.s32 %r{d}, %r{a}, {n};"),
            S::ShrU64(d, a, n) => format!("shr.u64 %rd{d}, %rd{a}, {n};"),
            S::Narrow(d, a) => format!("cvt.u32.u64 %r{d}, %rd{a};"),
            S::Add(d, a, b) => format!("add.s32 %r{d}, %r{a}, %r{b};"),
            S::Sub(d, a, b) => format!("sub.s32 %r{d}, %r{a}, %r{b};"),
            S::Mul(d, a, m) => format!("mul.lo.s32 %r{d}, %r{a}, {m};"),
            S::And(d, a, m) => format!("and.b32 %r{d}, %r{a}, {m};"),
        }
    }

    /// Executes the instruction like the machine: `r` has 32 bits, `w` 64.
    fn run(&self, r: &mut [u32], w: &mut [u64]) {
        use Step as S;
        let s = |x: u32| i64::from(x as i32);
        match *self {
            S::WideU32(d, a, m) => w[d] = u64::from(r[a]) * u64::from(m as u32),
            S::WideS32(d, a, m) => w[d] = (s(r[a]) * s(m as u32)) as u64,
            S::HighU32(d, a, m) => r[d] = ((u64::from(r[a]) * u64::from(m as u32)) >> 32) as u32,
            S::HighS32(d, a, m) => r[d] = ((s(r[a]) * s(m as u32)) >> 32) as u32,
            S::HighU64(d, a, m) => w[d] = ((u128::from(s(r[a]) as u64) * u128::from(m as u64)) >> 64) as u64,
            S::HighS64(d, a, m) => w[d] = ((i128::from(s(r[a])) * i128::from(m)) >> 64) as u64,
            S::ShrU32(d, a, n) => r[d] = r[a] >> n,
            S::ShrS32(d, a, n) => r[d] = ((r[a] as i32) >> n) as u32,
            S::ShrU64(d, a, n) => w[d] = w[a] >> n,
            S::Narrow(d, a) => r[d] = w[a] as u32,
            S::Add(d, a, b) => r[d] = r[a].wrapping_add(r[b]),
            S::Sub(d, a, b) => r[d] = r[a].wrapping_sub(r[b]),
            S::Mul(d, a, m) => r[d] = r[a].wrapping_mul(m as u32),
            S::And(d, a, m) => r[d] = r[a] & m as u32,
        }
    }
}

/// Returns a division of `%r10` by `d` with the quotient in `%r20` and the remainder in `%r21`, and whether
/// it is correct.
fn division(dice: &mut Dice) -> (Vec<Step>, i64, bool) {
    use Step as S;
    let d = [3i64, 5, 6, 7, 9, 10, 11, 12, 14, 19, 21, 25, 28, 100, 641, 1000, 65537][dice.roll(17) as usize];
    let log = 64 - (d - 1).leading_zeros();
    let wrong = dice.one(3);
    let off = if wrong { [0, 1, -1, 1 << 8, 1 << 20, -(1 << 27)][dice.roll(6) as usize] } else { 0 };
    let shifted = if wrong { dice.roll(2) as u32 } else { 0 };
    let kept = !wrong || dice.one(2);
    let signed = dice.one(2);
    let mut steps = Vec::new();
    if signed && dice.one(5) {
        // The upper half of a 64-bit product is sufficient for 32 bits.
        let m = ((1i128 << 64) / i128::from(d) + 1 + i128::from(off)) as i64;
        steps.extend([S::HighS64(11, 10, m), S::Narrow(20, 11), S::ShrU32(12, 20, 31)]);
        if kept {
            steps.push(S::Add(20, 20, 12));
        }
    } else if signed {
        let full = (1i64 << (31 + log)) / d + 1;
        let (mut factor, mut shift) = (full, log - 1);
        while factor % 2 == 0 && shift > 0 {
            (factor, shift) = (factor / 2, shift - 1);
        }
        let m = i64::from((factor + off) as i32);
        match dice.one(4) {
            true => steps.extend([S::WideS32(11, 10, m), S::ShrU64(11, 11, 32), S::Narrow(11, 11)]),
            false => steps.push(S::HighS32(11, 10, m)),
        }
        if factor >= 1 << 31 {
            steps.push(S::Add(11, 11, 10));
        }
        steps.push(S::ShrU32(12, if dice.one(2) { 10 } else { 11 }, 31));
        steps.push(S::ShrS32(20, 11, shift + shifted));
        if kept {
            steps.push(S::Add(20, 20, 12));
        }
    } else if dice.one(6) {
        let m = ((1i128 << 66) / i128::from(d) + 1 + i128::from(off)) as i64;
        steps.extend([S::HighU64(11, 10, m), S::ShrU64(11, 11, 2 + shifted), S::Narrow(20, 11)]);
    } else {
        let full = (1u128 << (32 + log)) / d as u128 + 1;
        let (mut factor, mut shift) = (full, log);
        while factor.is_multiple_of(2) && shift > 0 {
            (factor, shift) = (factor / 2, shift - 1);
        }
        if factor < 1 << 32 {
            let m = i64::from((factor as i64 + off) as i32);
            match dice.one(2) {
                true => steps.extend([
                    S::WideU32(11, 10, m),
                    S::ShrU64(11, 11, 32 + shift + shifted),
                    S::Narrow(20, 11),
                ]),
                false => steps.extend([S::HighU32(11, 10, m), S::ShrU32(20, 11, shift + shifted)]),
            }
        } else {
            let m = i64::from(((full - (1 << 32)) as i64 + off) as i32);
            match dice.one(2) {
                true => steps.extend([S::WideU32(11, 10, m), S::ShrU64(11, 11, 32), S::Narrow(11, 11)]),
                false => steps.push(S::HighU32(11, 10, m)),
            }
            steps.extend([S::Sub(12, 10, 11), S::ShrU32(12, 12, 1)]);
            if kept {
                steps.push(S::Add(12, 12, 11));
            }
            steps.push(S::ShrU32(20, 12, log - 1 + shifted));
        }
    }
    steps.extend([S::Mul(13, 20, d), S::Sub(21, 10, 13)]);
    (steps, d, !wrong)
}

/// The inputs of a thread.
#[derive(Clone, Copy)]
struct Inputs {
    n: i128,
    tid: i128,
    block: i128,
    threads: i128,
}

fn value(syms: &Syms, s: Sym, of: Inputs) -> Option<i128> {
    let at = |p: &Poly| p.evaluate(&|s| value(syms, s, of));
    match &syms.get(s).kind {
        Kind::Tid(Axis::X) => Some(of.tid),
        Kind::Ctaid(Axis::X) => Some(of.block),
        Kind::Ntid(Axis::X) => Some(of.threads),
        Kind::Ntid(_) | Kind::Nctaid(_) => Some(1),
        Kind::Tid(_) | Kind::Ctaid(_) => Some(0),
        Kind::Param { index: 0, .. } => Some(0),
        Kind::Param { index: 1, .. } => Some(of.n),
        Kind::Quotient { of, by } => Some(at(of)?.div_euclid(at(by)?)),
        Kind::Remainder { of, by } => Some(at(of)?.rem_euclid(at(by)?)),
        Kind::Alias(p) | Kind::Seen { of: p, .. } => at(p),
        Kind::Chosen(_) => syms.get(s).cases.iter().find_map(|case| {
            let Cond::And(both) = case else { return None };
            let [holds, Cond::Eq(is)] = &both[..] else { return None };
            let with = |x: i128| move |t: Sym| if t == s { Some(x) } else { value(syms, t, of) };
            let (zero, one) = (is.evaluate(&with(0))?, is.evaluate(&with(1))?);
            (holds.evaluate(&with(0))?).then_some(zero / (zero - one))
        }),
        _ => None,
    }
}

#[test]
fn addresses_are_what_the_machine_computes() {
    let count = std::env::var("PROVE_ADDRESSES").ok().and_then(|v| v.parse().ok()).unwrap_or(1500u64);
    let (mut known, mut right, mut exact) = (0, 0, 0);
    for seed in 0..count {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (of_param, x) = [
            (true, "mov.u32 %r10, %r1;"),
            (false, "mov.u32 %r10, %r2;"),
            (false, "mad.lo.s32 %r10, %r3, %r4, %r2;"),
            (true, "add.s32 %r10, %r1, %r2;"),
            (false, "sub.s32 %r10, %r2, 64;"),
            (false, "mad.lo.s32 %r10, %r2, 4, 1;"),
            (true, "and.b32 %r10, %r1, 4095;"),
            (true, "sub.s32 %r10, %r1, 7;"),
        ][dice.roll(8) as usize];
        let (mut steps, d, is_right) = division(&mut dice);
        let result = [20, 21][dice.roll(2) as usize];
        if dice.one(4) {
            steps.push(Step::And(result, result, [1, 3, 7, -4][dice.roll(4) as usize]));
        }
        let lines: Vec<String> = steps.iter().map(Step::text).collect();
        let text = format!(
            ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n) .maxntid 128\n{{\n\
             .reg .b32 %r<30>; .reg .b64 %rd<30>;\n\
             ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;\n\
             {x}\n{}\nmul.wide.s32 %rd2, %r{result}, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], 7; ret;\n}}\n",
            lines.join("\n")
        );
        let parsed = ptx::parse(&text);
        assert!(parsed.errors.is_empty(), "{text}\n{:?}", parsed.errors);
        let source = Source { tree: &parsed.module, text: &text, name: "random" };
        let linked = link(&[source], &mut |v| Ok(v.align)).expect("it links");
        let facts = Facts::default();
        let summary =
            prove::exec::summarise(&linked, 0, &facts, &|_| false, &|| false).expect("it is understood");
        let [access] = &summary.accesses[..] else { panic!("one access: {text}") };
        // Assumptions about intermediate numbers hold for some inputs only.
        let assumed: Vec<String> = summary.assumed.iter().map(|a| a.to_string()).collect();
        let inner = |a: &Assumption| matches!(a, Assumption::Fits(p) if p.contains('/') || p.contains('%') || p.contains("computed"));
        if summary.assumed.iter().any(inner) {
            continue;
        }
        let positive = assumed.iter().any(|a| a == "arg1 >= 0");
        let bounded = assumed.iter().any(|a| a.contains("overflow") || a.contains('<'));
        let (mut all, mut as_divided) = (true, true);
        for _ in 0..60 {
            let edge = [0i128, 1 << 31, -(1 << 31), 1 << 30, 715_827_883, 858_993_459, -d as i128]
                [dice.roll(7) as usize];
            let near = i128::from(dice.roll(64)) - 32;
            let n = if dice.one(3) { i128::from(dice.roll(1 << 31)) - (1 << 30) } else { edge + near };
            let n = if bounded { n.clamp(-(1 << 30), 1 << 30) } else { n.clamp(-(1 << 31), (1 << 31) - 1) };
            if positive && n < 0 {
                continue;
            }
            let (tid, block) = (i128::from(dice.roll(128)), i128::from(dice.roll(3000)));
            let of = Inputs { n, tid, block, threads: 128 };
            let (mut r, mut w) = ([0u32; 30], [0u64; 30]);
            (r[1], r[2], r[3], r[4]) = (n as u32, tid as u32, block as u32, 128);
            r[10] = match x {
                x if x.starts_with("mov.u32 %r10, %r1") => r[1],
                x if x.starts_with("mov") => r[2],
                x if x.starts_with("mad.lo.s32 %r10, %r3") => r[3] * 128 + r[2],
                x if x.starts_with("add") => r[1].wrapping_add(r[2]),
                x if x.starts_with("sub.s32 %r10, %r2") => r[2].wrapping_sub(64),
                x if x.starts_with("mad") => 4 * r[2] + 1,
                x if x.starts_with("and") => r[1] & 4095,
                _ => r[1].wrapping_sub(7),
            };
            // An unsigned number must fit into the signed range to be compared.
            if positive && (r[10] as i32) < 0 {
                continue;
            }
            steps.iter().for_each(|s| s.run(&mut r, &mut w));
            let machine = 4 * i128::from(r[result] as i32);
            match access.offset.evaluate(&|s| value(&summary.syms, s, of)) {
                None => all = false,
                Some(is) => assert_eq!(
                    is,
                    machine,
                    "seed {seed}, n = {n}, tid = {tid}, block = {block}, of_param = {of_param}\n{text}\n{assumed:?}\n{}",
                    prove::facts::show(&summary.syms, &|i, _| format!("arg{i}"), &access.offset)
                ),
            }
            // An address with a quotient or remainder by the divisor only was recognised as a division.
            as_divided &= !access.offset.syms().any(|s| match &summary.syms.get(s).kind {
                Kind::Quotient { by, .. } | Kind::Remainder { by, .. } => {
                    by.as_constant().is_none_or(|by| by > 70_000)
                }
                _ => false,
            });
        }
        known += i32::from(all);
        right += i32::from(is_right);
        exact += i32::from(is_right && all && as_divided);
    }
    println!("{known} of {count} addresses known, {right} divisions right, {exact} of them understood");
    assert!(exact * 10 > right * 8, "{exact} of {right}");
}

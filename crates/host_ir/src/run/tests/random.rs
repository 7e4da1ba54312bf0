//! Random programs: results that are found without the unknown numbers must hold for any values of them.

use super::program;
use crate::{Concrete, Launched, Number, launches};

/// Writes the statements of a random program: numbers in four variables, arrays of eight, copies, launches,
/// branches and loops.
struct Writer {
    seed: u64,
    text: String,
    names: u32,
    counters: u32,
}

impl Writer {
    fn next(&mut self, bound: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        self.seed % bound
    }

    fn line(&mut self, text: &str) {
        self.text.push_str("  ");
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Writes an instruction and returns the name of its result.
    fn value(&mut self, text: &str) -> String {
        self.names += 1;
        let name = format!("%v{}", self.names);
        self.line(&format!("{name} = {text}"));
        name
    }

    fn number(&mut self) -> String {
        let from = self.next(4);
        match self.next(5) {
            0 => self.next(9).to_string(),
            1 => {
                let r = self.value("call i32 @rand()");
                self.value(&format!("and i32 {r}, 3"))
            }
            2 => {
                let (a, b) = (self.value(&format!("load i32, ptr %x{from}, align 4")), self.next(5));
                self.value(&format!("add i32 {a}, {b}"))
            }
            _ => self.value(&format!("load i32, ptr %x{from}, align 4")),
        }
    }

    fn element(&mut self) -> String {
        let (array, index) = (self.next(2), self.number());
        let index = self.value(&format!("and i32 {index}, 7"));
        let index = self.value(&format!("zext i32 {index} to i64"));
        self.value(&format!("getelementptr i32, ptr %h{array}, i64 {index}"))
    }

    fn block(&mut self, statements: u64, deep: u32) {
        for _ in 0..statements {
            self.statement(deep);
        }
    }

    fn statement(&mut self, deep: u32) {
        let (to, device) = (self.next(4), self.next(2));
        self.names += 1;
        let n = self.names;
        match self.next(if deep < 3 { 12 } else { 8 }) {
            0 | 1 => {
                let v = self.number();
                self.line(&format!("store i32 {v}, ptr %x{to}, align 4"));
            }
            2 | 3 => {
                let (e, v) = (self.element(), self.number());
                self.line(&format!("store i32 {v}, ptr {e}, align 4"));
            }
            4 => {
                let e = self.element();
                let v = self.value(&format!("load i32, ptr {e}, align 4"));
                self.line(&format!("store i32 {v}, ptr %x{to}, align 4"));
            }
            5 => {
                let (d, array) = (self.value(&format!("load ptr, ptr %d{device}, align 8")), self.next(2));
                // The copy goes to the device, or back.
                let (a, b) =
                    if self.next(3) > 0 { (d, format!("%h{array}")) } else { (format!("%h{array}"), d) };
                self.line(&format!("%c{n} = call i32 @cudaMemcpy(ptr {a}, ptr {b}, i64 32, i32 4)"));
            }
            6 => {
                let d = self.value(&format!("load ptr, ptr %d{device}, align 8"));
                let v = self.next(3);
                self.line(&format!("%c{n} = call i32 @cudaMemset(ptr {d}, i32 {v}, i64 32)"));
            }
            7 => {
                let (d, v) = (self.value(&format!("load ptr, ptr %d{device}, align 8")), self.number());
                let kernel = if self.next(2) == 0 { "one" } else { "two" };
                self.line(&format!("call void @{kernel}(ptr noundef {d}, i32 noundef {v})"));
            }
            8 | 9 => {
                let (v, bound) = (self.number(), self.next(5));
                let c = self.value(&format!("icmp ult i32 {v}, {bound}"));
                self.line(&format!("br i1 {c}, label %yes{n}, label %no{n}"));
                self.text.push_str(&format!("\nyes{n}:\n"));
                let statements = 1 + self.next(3);
                self.block(statements, deep + 1);
                // One of the paths may end the program.
                match self.next(9) {
                    0 => self.line("ret i32 1"),
                    _ => self.line(&format!("br label %end{n}")),
                }
                self.text.push_str(&format!("\nno{n}:\n"));
                let statements = self.next(3);
                self.block(statements, deep + 1);
                self.line(&format!("br label %end{n}"));
                self.text.push_str(&format!("\nend{n}:\n"));
            }
            _ => {
                let k = self.counters;
                self.counters += 1;
                let v = self.number();
                let bound = self.value(&format!("and i32 {v}, 3"));
                self.line(&format!("store i32 0, ptr %k{k}, align 4"));
                self.line(&format!("br label %head{n}"));
                self.text.push_str(&format!("\nhead{n}:\n"));
                let i = self.value(&format!("load i32, ptr %k{k}, align 4"));
                let c = self.value(&format!("icmp ult i32 {i}, {bound}"));
                self.line(&format!("br i1 {c}, label %turn{n}, label %end{n}"));
                self.text.push_str(&format!("\nturn{n}:\n"));
                let statements = 1 + self.next(3);
                self.block(statements, deep + 1);
                let i = self.value(&format!("load i32, ptr %k{k}, align 4"));
                let i = self.value(&format!("add i32 {i}, 1"));
                self.line(&format!("store i32 {i}, ptr %k{k}, align 4"));
                self.line(&format!("br label %head{n}"));
                self.text.push_str(&format!("\nend{n}:\n"));
            }
        }
    }
}

const END: u64 = 77;

fn random(seed: u64) -> String {
    let mut writer = Writer { seed, text: String::new(), names: 0, counters: 0 };
    writer.block(14, 0);
    let mut before = String::new();
    for n in 0..4 {
        before += &format!("  %x{n} = alloca i32, align 4\n  store i32 {n}, ptr %x{n}, align 4\n");
    }
    for n in 0..2 {
        before += &format!(
            "  %h{n} = alloca [8 x i32], align 16\n  call void @llvm.memset.p0.i64(ptr %h{n}, i8 {n}, i64 32, i1 false)\n  %d{n} = alloca ptr, align 8\n  %m{n} = call i32 @cudaMalloc(ptr noundef %d{n}, i64 noundef 32)\n"
        );
    }
    for k in 0..writer.counters {
        before += &format!("  %k{k} = alloca i32, align 4\n");
    }
    // A program that reaches its end launches a marker.
    let end = format!("  call void @two(ptr noundef %h0, i32 noundef {END})\n  ret i32 0");
    program(&format!("{before}{}{end}", writer.text))
}

/// Returns the program with known numbers in place of the unknown ones.
fn decided(text: &str, seed: u64) -> String {
    let mut writer = Writer { seed, text: String::new(), names: 0, counters: 0 };
    let numbers: Vec<String> = (0..4096).map(|_| format!("i32 {}", writer.next(4))).collect();
    text.replace("declare i32 @rand()\n", "").replace("@rand()", "@decided()")
        + &format!(
            "
@numbers = internal constant [4096 x i32] [{}], align 4
@place = internal global i64 0, align 8
define internal i32 @decided() {{
  %1 = load i64, ptr @place, align 8
  %2 = getelementptr i32, ptr @numbers, i64 %1
  %3 = load i32, ptr %2, align 4
  %4 = add i64 %1, 1
  store i64 %4, ptr @place, align 8
  ret i32 %3
}}
",
            numbers.join(", ")
        )
}

fn number(c: &Concrete) -> Option<u64> {
    match c.arguments[1].pieces.first()?.number {
        Number::Bits(b) => Some(b),
        Number::Address(..) => None,
    }
}

/// Returns whether a launch with unknown parts includes another one.
fn covers(all: &Concrete, one: &Concrete) -> bool {
    let memory = |c: &Concrete| match c.arguments[0].pieces.first()?.number {
        Number::Address(m, 0) => Some(c.memory[m].clone()),
        _ => None,
    };
    let (Some(one_memory), Some(memory)) = (memory(one), memory(all)) else { return false };
    number(all).is_none_or(|n| number(one) == Some(n))
        && memory.contents.is_none_or(|c| one_memory.contents == Some(c))
        && (!all.executed || one_memory.launches.iter().all(|l| memory.launches.contains(l)))
}

/// Returns the certain launches of a kernel, from executing the host code and from its conditions.
fn sure(launched: &Launched) -> Vec<&Concrete> {
    let made = launched.made.iter().flatten().filter(|c| c.sure);
    let calls = launched.calls.iter().flatten().filter(|call| call.certain);
    made.chain(calls.flat_map(|call| call.concrete.iter().flatten())).collect()
}

/// For any values of the unknown numbers, a program's launches are among those that were found without them;
/// and every program that reaches its end makes the certain ones.
///
/// `HOST_PROGRAMS` and `HOST_SEED` select other programs, and more of them.
#[test]
fn all_launches_of_random_programs_are_found() {
    let read =
        |name: &str, otherwise: u64| std::env::var(name).map_or(otherwise, |v| v.parse().expect("a number"));
    let (count, first) = (read("HOST_PROGRAMS", 300), read("HOST_SEED", 1));
    let (mut made, mut known, mut incomplete, mut certain) = (0, 0, 0, 0);
    for seed in first..first + count {
        let text = random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let found = launches(&[&text], &crate::objects::Unencoded);
        for other in 1..4u64 {
            let decided = launches(
                &[&decided(&text, (seed << 8 | other).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)],
                &crate::objects::Unencoded,
            );
            let of = |kernel: &str| decided.get(kernel).and_then(|l| l.made.as_deref());
            if of("_Z3twoPi").is_some_and(|made| made.iter().any(|c| number(c) == Some(END))) {
                for (kernel, launched) in &found.kernels {
                    for one in sure(launched) {
                        certain += 1;
                        let made = of(kernel).unwrap_or_default();
                        assert!(
                            made.iter().any(|other| covers(one, other)),
                            "seed {seed}.{other}: {one:?} is not made, but {made:?}\n{text}"
                        );
                    }
                }
            }
            for (kernel, launched) in &decided.kernels {
                let Some(concrete) = &launched.made else { continue };
                let Some(all) = found.get(kernel).and_then(|l| l.made.as_ref()) else {
                    incomplete += 1;
                    continue;
                };
                for one in concrete {
                    made += 1;
                    known += usize::from(all.contains(one));
                    assert!(
                        all.iter().any(|a| covers(a, one)),
                        "seed {seed}.{other}: {one:?}\n{all:?}\n{text}"
                    );
                }
            }
        }
    }
    println!(
        "{made} launches were found, {known} of them exactly; {incomplete} kernels were left out; {certain} were sure"
    );
    assert!(certain > count, "{certain}");
    assert!(made > 0 && known > 0 && incomplete * 4 < made, "{made} {known} {incomplete}");
}

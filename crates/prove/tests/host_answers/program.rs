//! Writes random host programs.

use super::Given;
use super::kernels::{BYTES, KERNELS};
use std::fmt::Write as _;

/// The constants of programs.
const NUMBERS: [i64; 22] =
    [-64, -2, -1, 0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 48, 63, 64, 65, 100, 128, 256, 1000];
/// Further numbers that programs get as arguments.
const LARGE: [i64; 8] = [i32::MAX as i64, i32::MIN as i64, 65_536, 65_537, 1 << 26, 1 << 30, 4096, -1000];

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    fn number(&mut self) -> i64 {
        NUMBERS[self.next(NUMBERS.len())]
    }

    /// Chooses the arguments of a run.
    pub(crate) fn arguments(&mut self) -> Given {
        let count = if self.next(4) == 0 { self.next(4) } else { 3 };
        (0..count)
            .map(|_| {
                if self.next(6) == 0 {
                    LARGE[self.next(LARGE.len())]
                } else {
                    self.number() + self.next(3) as i64 - 1
                }
            })
            .collect()
    }
}

struct Writer {
    random: Random,
    text: String,
    names: u32,
    /// The current block.
    block: String,
    /// The 32-bit values that are available in the block.
    values: Vec<String>,
    /// Pointers to elements of arrays.
    pointers: Vec<String>,
}

/// Returns a `main` around these statements.
fn whole(body: &str) -> String {
    let mut text = String::new();
    for (n, kernel) in KERNELS.iter().enumerate() {
        let _ = writeln!(
            text,
            "@{n} = private unnamed_addr constant [{} x i8] c\"{kernel}\\00\", align 1",
            kernel.len() + 1
        );
    }
    let _ = write!(
        text,
        "define dso_local i32 @main(i32 noundef %argc, ptr noundef %argv) {{\nentry:\n{body}\n}}\n"
    );
    for kernel in KERNELS {
        let _ = writeln!(text, "declare void @{kernel}(ptr noundef, ptr noundef, i32 noundef)");
    }
    text += "define internal void @__sti____cudaRegisterAll() {\n";
    for (n, kernel) in KERNELS.iter().enumerate() {
        let _ = writeln!(
            text,
            "  %{} = call i32 @__cudaRegisterFunction(ptr %0, ptr @{kernel}, ptr @{n}, ptr @{n}, i32 -1)",
            n + 1
        );
    }
    text += "  ret void\n}\n";
    text
}

/// Returns a program that launches one kernel with blocks of 64 threads.
#[cfg(test)]
pub(crate) fn around(before: &str, grid: &str, number: &str, kernel: usize) -> String {
    let name = KERNELS[kernel];
    whole(&format!(
        "  %a = alloca ptr, align 8\n  %m = call i32 @cudaMalloc(ptr noundef %a, i64 noundef {BYTES})\n  %p = load ptr, ptr %a, align 8\n{before}
  %g = zext i32 {grid} to i64\n  %h = or disjoint i64 %g, 4294967296
  %c = call i32 @__cudaPushCallConfiguration(i64 %h, i32 1, i64 4294967360, i32 1, i64 0, ptr null)
  %k = icmp eq i32 %c, 0\n  br i1 %k, label %call, label %end
call:
  call void @{name}(ptr noundef %p, ptr noundef %p, {number})\n  br label %end
end:
  ret i32 0"
    ))
}

pub(crate) fn random(seed: u64) -> String {
    let mut w = Writer {
        random: Random::new(seed),
        text: String::new(),
        names: 0,
        block: "entry".into(),
        values: Vec::new(),
        pointers: Vec::new(),
    };
    for name in ["a", "b"] {
        let _ = writeln!(w.text, "  %{name} = alloca ptr, align 8");
    }
    for name in ["a", "b"] {
        w.value(&format!("call i32 @cudaMalloc(ptr noundef %{name}, i64 noundef {BYTES})"));
        let p = w.value(&format!("load ptr, ptr %{name}, align 8"));
        w.pointers.push(p);
    }
    for n in 1..=1 + w.random.next(3) {
        w.argument(n);
    }
    for _ in 0..2 + w.random.next(6) {
        w.statement();
    }
    let launches = 1 + w.random.next(2);
    for _ in 0..launches {
        w.launch();
        if w.random.next(3) == 0 {
            w.statement();
        }
    }
    w.line("ret i32 0");
    whole(&w.text)
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "  {text}");
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("{}", self.names)
    }

    fn value(&mut self, text: &str) -> String {
        let name = format!("%v{}", self.fresh());
        self.line(&format!("{name} = {text}"));
        name
    }

    fn begin(&mut self, block: &str) {
        let _ = writeln!(self.text, "{block}:");
        self.block = block.to_owned();
    }

    /// Chooses an available value, or a number.
    fn operand(&mut self) -> String {
        match self.random.next(3) {
            0 => self.random.number().to_string(),
            _ => self.known(),
        }
    }

    fn known(&mut self) -> String {
        let n = self.random.next(self.values.len());
        self.values[n].clone()
    }

    /// Writes the number of an argument, with or without a default value.
    fn argument(&mut self, n: usize) {
        let read = |w: &mut Self| {
            let at = w.value(&format!("getelementptr inbounds i8, ptr %argv, i64 {}", 8 * n));
            let text = w.value(&format!("load ptr, ptr {at}, align 8"));
            w.value(&format!("call i32 @atoi(ptr noundef {text})"))
        };
        let id = self.fresh();
        if self.random.next(3) == 0 {
            // Without the argument the program gives up.
            let c = self.value(&format!("icmp sgt i32 %argc, {n}"));
            self.line(&format!("br i1 {c}, label %read{id}, label %none{id}"));
            self.begin(&format!("none{id}"));
            self.line("ret i32 1");
            self.begin(&format!("read{id}"));
            let x = read(self);
            self.values.push(x);
            return;
        }
        let from = self.block.clone();
        let c = self.value(&format!("icmp sgt i32 %argc, {n}"));
        self.line(&format!("br i1 {c}, label %read{id}, label %after{id}"));
        self.begin(&format!("read{id}"));
        let x = read(self);
        self.line(&format!("br label %after{id}"));
        self.begin(&format!("after{id}"));
        let default = NUMBERS[8 + self.random.next(12)];
        let x = self.value(&format!("phi i32 [ {default}, %{from} ], [ {x}, %read{id} ]"));
        self.values.push(x);
    }

    fn statement(&mut self) {
        match self.random.next(11) {
            10 => self.switched(),
            0..=2 => self.check(),
            3 => self.clamp(),
            4 => self.two_sided(),
            5 => self.pointer(),
            6 => self.chosen(),
            7 => self.counted(),
            _ => self.arithmetic(),
        }
    }

    fn arithmetic(&mut self) {
        let x = self.known();
        let op =
            ["add", "sub", "mul", "shl", "lshr", "ashr", "sdiv", "udiv", "urem", "and"][self.random.next(10)];
        let flags = match op {
            "add" | "sub" | "mul" | "shl" => ["", " nsw", " nsw", " nuw", " nuw nsw"][self.random.next(5)],
            _ => "",
        };
        let y = match op {
            "shl" | "lshr" | "ashr" => (self.random.next(7)).to_string(),
            "sdiv" | "udiv" | "urem" => [1, 2, 3, 8, 32, 64, 100][self.random.next(7)].to_string(),
            "and" => [1, 7, 31, 63, 255, -32][self.random.next(6)].to_string(),
            _ => self.operand(),
        };
        let flags = if op == "sub" && flags.contains("nuw") { " nsw" } else { flags };
        let flags = if op == "shl" && flags.contains("nuw") { " nsw" } else { flags };
        let z = self.value(&format!("{op}{flags} i32 {x}, {y}"));
        self.values.push(z);
    }

    /// Gives up, or skips what follows, unless a condition holds.
    fn check(&mut self) {
        let test = ["slt", "sle", "sgt", "sge", "eq", "ne", "ult", "ule", "ugt", "uge"][self.random.next(10)];
        let (x, y) = (self.known(), self.operand());
        let mut c = self.value(&format!("icmp {test} i32 {x}, {y}"));
        if self.random.next(4) == 0 {
            let (x, y) = (self.known(), self.operand());
            let d = self.value(&format!("icmp sgt i32 {x}, {y}"));
            c = match self.random.next(3) {
                0 => self.value(&format!("and i1 {c}, {d}")),
                1 => self.value(&format!("or i1 {c}, {d}")),
                _ => self.value(&format!("select i1 {c}, i1 {d}, i1 false")),
            };
        }
        self.or_gives_up(&c);
    }

    fn or_gives_up(&mut self, c: &str) {
        let (id, code) = (self.fresh(), self.random.next(2));
        let (yes, no) = (format!("good{id}"), format!("bad{id}"));
        match self.random.next(2) {
            0 => self.line(&format!("br i1 {c}, label %{yes}, label %{no}")),
            _ => self.line(&format!("br i1 {c}, label %{no}, label %{yes}")),
        }
        self.begin(&no);
        match self.random.next(4) {
            0 => {
                self.line(&format!("call void @exit(i32 noundef {code})"));
                self.line("unreachable");
            }
            1 => {
                self.line("call void @__assert_fail(ptr null, ptr null, i32 1, ptr null)");
                self.line("unreachable");
            }
            _ => self.line(&format!("ret i32 {code}")),
        }
        self.begin(&yes);
    }

    /// Writes `least <= x && x <= most` as one comparison.
    fn two_sided(&mut self) {
        let x = self.known();
        let (least, count) =
            ([1, 2, 16, 32, 64][self.random.next(5)], [4, 32, 64, 500, 1000][self.random.next(5)]);
        let flags = if self.random.next(3) == 0 { " nsw" } else { "" };
        let sum = self.value(&format!("add{flags} i32 {x}, {}", -least));
        let c = self.value(&format!("icmp ult i32 {sum}, {count}"));
        self.or_gives_up(&c);
    }

    fn clamp(&mut self) {
        let (x, y) = (self.known(), self.operand());
        let op = ["smin", "smax", "umin", "umax"][self.random.next(4)];
        let z = self.value(&format!("call i32 @llvm.{op}.i32(i32 {x}, i32 {y})"));
        self.values.push(z);
    }

    /// Selects one of two values, by a branch or by `select`.
    fn chosen(&mut self) {
        let (x, y) = (self.known(), self.operand());
        let c = self.value(&format!("icmp sgt i32 {x}, {y}"));
        let (a, b) = (self.operand(), self.known());
        if self.random.next(2) == 0 {
            let z = self.value(&format!("select i1 {c}, i32 {a}, i32 {b}"));
            self.values.push(z);
            return;
        }
        let (id, from) = (self.fresh(), self.block.clone());
        self.line(&format!("br i1 {c}, label %then{id}, label %join{id}"));
        self.begin(&format!("then{id}"));
        let step = self.value(&format!("add i32 {b}, {}", self.random.0 % 9));
        self.line(&format!("br label %join{id}"));
        self.begin(&format!("join{id}"));
        let z = self.value(&format!("phi i32 [ {a}, %{from} ], [ {step}, %then{id} ]"));
        self.values.push(z);
    }

    /// Two values for each of some numbers; of all others the program gives up, or takes a third pair.
    fn switched(&mut self) {
        let (x, id) = (self.known(), self.fresh());
        let cases = [self.random.number(), 2 + self.random.number().abs() + 64];
        let gives_up = self.random.next(2) == 0;
        self.line(&format!("switch i32 {x}, label %other{id} ["));
        for (n, case) in cases.iter().enumerate() {
            self.line(&format!("  i32 {case}, label %case{id}.{n}"));
        }
        self.line("]");
        let mut from = Vec::new();
        for n in 0..cases.len() {
            self.begin(&format!("case{id}.{n}"));
            self.line(&format!("br label %chosen{id}"));
            from.push(format!("case{id}.{n}"));
        }
        self.begin(&format!("other{id}"));
        match gives_up {
            true => self.line("ret i32 1"),
            false => {
                self.line(&format!("br label %chosen{id}"));
                from.push(format!("other{id}"));
            }
        }
        self.begin(&format!("chosen{id}"));
        for _ in 0..2 {
            let incoming: Vec<String> = from
                .iter()
                .map(|from| format!("[ {}, %{from} ]", [16, 32, 33, 64, 65, 128][self.random.next(6)]))
                .collect();
            let z = self.value(&format!("phi i32 {}", incoming.join(", ")));
            self.values.push(z);
        }
    }

    /// Writes a loop whose counter goes up, goes down, or is halved; its last value remains available.
    fn counted(&mut self) {
        let (id, from) = (self.fresh(), self.block.clone());
        let first = [0, 1, 8, 64, 128][self.random.next(5)];
        let limit = self.known();
        self.line(&format!("br label %head{id}"));
        self.begin(&format!("head{id}"));
        let (i, n) = (format!("%i{id}"), format!("%n{id}"));
        self.line(&format!("{i} = phi i32 [ {first}, %{from} ], [ {n}, %head{id} ]"));
        let step = [
            "add nsw i32 I, 1",
            "add nsw i32 I, 32",
            "add nsw i32 I, -16",
            "lshr i32 I, 1",
            "shl nsw i32 I, 1",
        ];
        let at = self.random.next(step.len());
        self.line(&format!("{n} = {}", step[at].replace('I', &i)));
        let test = if at < 2 || at == 4 { "slt" } else { "sgt" };
        let c = self.value(&format!("icmp {test} i32 {n}, {limit}"));
        let small = self.value(&format!("icmp ult i32 {n}, 1000"));
        // Together with the bound, this condition makes the loop end.
        let moves = self.value(&format!("icmp ne i32 {n}, {i}"));
        let both = self.value(&format!("and i1 {c}, {small}"));
        let both = self.value(&format!("and i1 {both}, {moves}"));
        self.line(&format!("br i1 {both}, label %head{id}, label %done{id}"));
        self.begin(&format!("done{id}"));
        self.values.push(if self.random.next(2) == 0 { i } else { n });
    }

    fn pointer(&mut self) {
        let n = self.random.next(self.pointers.len());
        let p = self.pointers[n].clone();
        let x = match self.random.next(3) {
            0 => self.random.number().to_string(),
            _ => self.known(),
        };
        let q = match self.random.next(4) {
            0 => {
                // The launch uses one of two arrays.
                let other = self.pointers[self.random.next(self.pointers.len())].clone();
                let (y, z) = (self.known(), self.random.number());
                let c = self.value(&format!("icmp slt i32 {y}, {z}"));
                self.value(&format!("select i1 {c}, ptr {p}, ptr {other}"))
            }
            _ => {
                let wide = if x.starts_with('%') { self.value(&format!("sext i32 {x} to i64")) } else { x };
                self.value(&format!("getelementptr inbounds i32, ptr {p}, i64 {wide}"))
            }
        };
        self.pointers.push(q);
    }

    fn launch(&mut self) {
        let kernel = self.random.next(KERNELS.len());
        let extent = |w: &mut Self, numbers: &[i64]| match w.random.next(3) {
            0 => {
                let x = w.known();
                let wide = w.value(&format!("zext i32 {x} to i64"));
                w.value(&format!("or disjoint i64 {wide}, 4294967296"))
            }
            _ => (4_294_967_296 + numbers[w.random.next(numbers.len())]).to_string(),
        };
        let grid = match kernel {
            2 | 4 => "4294967297".to_owned(),
            _ => extent(self, &[1, 2, 4]),
        };
        let block = extent(self, &[32, 64, 64, 16]);
        let number = self.operand();
        let (low, high) = match kernel {
            2 => (self.random.next(self.pointers.len()), self.random.next(self.pointers.len())),
            _ => (0, 1),
        };
        let (low, high) = (self.pointers[low].clone(), self.pointers[high].clone());
        let c = self.value(&format!(
            "call i32 @__cudaPushCallConfiguration(i64 {grid}, i32 1, i64 {block}, i32 1, i64 0, ptr null)"
        ));
        let k = self.value(&format!("icmp eq i32 {c}, 0"));
        let id = self.fresh();
        self.line(&format!("br i1 {k}, label %call{id}, label %next{id}"));
        self.begin(&format!("call{id}"));
        self.line(&format!(
            "call void @{}(ptr noundef {low}, ptr noundef {high}, i32 noundef {number})",
            KERNELS[kernel]
        ));
        self.line(&format!("br label %next{id}"));
        self.begin(&format!("next{id}"));
    }
}

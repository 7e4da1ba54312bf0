use crate::host::{Concrete, Number, launches};

/// A program with two kernels and that `main`.
fn program(main: &str) -> String {
    format!(
        r#"
@0 = private unnamed_addr constant [9 x i8] c"_Z3onePi\00", align 1
@1 = private unnamed_addr constant [9 x i8] c"_Z3twoPi\00", align 1
@table = internal constant [2 x ptr] [ptr @callback, ptr null], align 8
declare void @_Z18__device_stub__onePi(ptr noundef, i32 noundef)
declare void @_Z18__device_stub__twoPi(ptr noundef, i32 noundef)
declare i32 @cudaMalloc(ptr nocapture noundef, i64 noundef)
declare i32 @rand()
declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64, ptr)
define dso_local i32 @main() {{
  %p = alloca ptr, align 8
  %m = call i32 @cudaMalloc(ptr noundef %p, i64 noundef 256)
  %a = load ptr, ptr %p, align 8
{main}
}}
define internal void @one(ptr noundef %0, i32 noundef %1) {{
  %3 = call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 0, ptr null)
  call void @_Z18__device_stub__onePi(ptr noundef %0, i32 noundef %1)
  ret void
}}
define internal void @two(ptr noundef %0, i32 noundef %1) {{
  %3 = call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 0, ptr null)
  call void @_Z18__device_stub__twoPi(ptr noundef %0, i32 noundef %1)
  ret void
}}
define internal void @callback(ptr noundef %0) {{
  call void @two(ptr noundef %0, i32 noundef 5)
  ret void
}}
define hidden void @_Z3onePi(ptr noundef %0, i32 %1) {{
  tail call void @_Z18__device_stub__onePi(ptr noundef %0, i32 noundef %1)
  ret void
}}
define hidden void @_Z3twoPi(ptr noundef %0, i32 %1) {{
  tail call void @_Z18__device_stub__twoPi(ptr noundef %0, i32 noundef %1)
  ret void
}}
define internal void @__sti____cudaRegisterAll() {{
  %1 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z3onePi, ptr @0, ptr @0, i32 -1)
  %2 = call i32 @__cudaRegisterFunction(ptr %0, ptr @_Z3twoPi, ptr @1, ptr @1, i32 -1)
  ret void
}}
"#
    )
}

/// The launches of both kernels, where no one can have been missed.
fn made(main: &str) -> [Option<Vec<Concrete>>; 2] {
    let text = program(main);
    let found = launches(&[&text]);
    ["_Z3onePi", "_Z3twoPi"].map(|k| found.get(k).and_then(|l| l.made.clone()))
}

/// The second argument in each launch.
fn numbers(all: &Option<Vec<Concrete>>) -> Vec<Option<u64>> {
    let number = |c: &Concrete| match c.arguments[1].pieces.first()?.number {
        Number::Bits(b) => Some(b),
        Number::Address(..) => None,
    };
    all.as_ref().expect("its launches are known").iter().map(number).collect()
}

#[test]
fn both_ways_of_a_branch_are_taken_and_meet_again() {
    let [one, two] = made(
        "\
  %r = call i32 @rand()
  %c = icmp eq i32 %r, 0
  br i1 %c, label %yes, label %no

yes:
  call void @one(ptr noundef %a, i32 noundef 1)
  br label %end

no:
  call void @one(ptr noundef %a, i32 noundef 2)
  br label %end

end:
  %n = phi i32 [ 3, %yes ], [ 3, %no ]
  %k = phi i32 [ 3, %yes ], [ 4, %no ]
  call void @two(ptr noundef %a, i32 noundef %n)
  call void @two(ptr noundef %a, i32 noundef %k)
  ret i32 0",
    );
    let mut all = numbers(&one);
    all.sort_unstable();
    assert_eq!((all, numbers(&two)), (vec![Some(1), Some(2)], vec![Some(3), None]));
}

/// Tables of virtual functions are addressed by such expressions.
#[test]
fn what_addresses_are_made_of_is_computed() {
    let [one, _] = made(
        "\
  %q = load ptr, ptr getelementptr inbounds inrange(-8, 8) ([2 x ptr], ptr @table, i64 0, i64 1), align 8
  %i = ptrtoint ptr %q to i64
  %n = trunc i64 %i to i32
  call void @one(ptr noundef %a, i32 noundef %n)
  ret i32 0",
    );
    assert_eq!(numbers(&one), [Some(0)]);
}

#[test]
fn a_loop_of_which_the_end_is_not_known_settles() {
    let [one, two] = made(
        "\
  br label %turn

turn:
  %i = phi i32 [ 0, %0 ], [ %next, %turn ]
  call void @one(ptr noundef %a, i32 noundef %i)
  call void @two(ptr noundef %a, i32 noundef 7)
  %next = add i32 %i, 1
  %r = call i32 @rand()
  %c = icmp eq i32 %r, 0
  br i1 %c, label %end, label %turn

end:
  ret i32 0",
    );
    // The first turn's, and that of any other.
    assert!(numbers(&one).contains(&Some(0)) && numbers(&one).contains(&None), "{one:?}");
    assert_eq!(numbers(&two).iter().filter(|n| **n != Some(7)).count(), 0, "{two:?}");
}

/// What a function that is not there is told, it may call.
#[test]
fn what_others_may_call_may_launch() {
    let call = |argument: &str| {
        made(&format!(
            "\
  call void @one(ptr noundef %a, i32 noundef 1)
  call void @far(ptr noundef {argument})
  ret i32 0"
        ))
    };
    let [one, two] = call("@callback");
    assert_eq!((numbers(&one), two), (vec![Some(1)], None));
    let [one, two] = call("@table");
    assert_eq!((numbers(&one), two), (vec![Some(1)], None));
    // Kernels that come before, and no function.
    let [one, two] = call("%p");
    assert_eq!((numbers(&one), two), (vec![Some(1)], None));
    // It can write to what it can reach.
    let [one, _] = made(
        "\
  %q = alloca i32, align 4
  store i32 4, ptr %q, align 4
  call void @far(ptr noundef %a)
  %v = load i32, ptr %q, align 4
  call void @far(ptr noundef %q)
  %w = load i32, ptr %q, align 4
  call void @one(ptr noundef %a, i32 noundef %v)
  call void @one(ptr noundef %a, i32 noundef %w)
  ret i32 0",
    );
    assert_eq!(numbers(&one), [Some(4), None]);
}

#[test]
fn a_function_that_calls_itself_is_followed() {
    let text = program("  call void @down(ptr noundef %a, i32 noundef 3)\n  ret i32 0")
        + "\
define internal void @down(ptr noundef %0, i32 noundef %1) {
  %3 = icmp eq i32 %1, 0
  br i1 %3, label %end, label %more

more:
  call void @one(ptr noundef %0, i32 noundef %1)
  %4 = sub i32 %1, 1
  call void @down(ptr noundef %0, i32 noundef %4)
  br label %end

end:
  ret void
}
";
    let found = launches(&[&text]);
    assert_eq!(numbers(&found.kernels["_Z3onePi"].made), [Some(3), Some(2), Some(1)]);
}

/// An object with a table of functions that asks for the time was once taken to be called by who tells it.
#[test]
fn clocks_call_nobody() {
    let [one, two] = made(
        "\
  %q = alloca [4 x i64], align 8
  store ptr @table, ptr %q, align 8
  %t = getelementptr i64, ptr %q, i64 1
  %l = getelementptr i64, ptr %q, i64 3
  store i64 6, ptr %t, align 8
  store i64 7, ptr %l, align 8
  %g = call i32 @gettimeofday(ptr noundef %t, ptr noundef null)
  %v = load i32, ptr %t, align 8
  %w = load i32, ptr %l, align 8
  call void @one(ptr noundef %a, i32 noundef %v)
  call void @two(ptr noundef %a, i32 noundef %w)
  ret i32 0",
    );
    assert_eq!((numbers(&one), numbers(&two)), (vec![None], vec![Some(7)]));
}

/// A store to a place that is not known may be one to anything.
#[test]
fn behind_a_store_to_anywhere_nothing_is_known() {
    let [one, two] = made(
        "\
  call void @one(ptr noundef %a, i32 noundef 1)
  %q = call ptr @far()
  store i32 1, ptr %q, align 4
  call void @two(ptr noundef %a, i32 noundef 2)
  ret i32 0",
    );
    assert_eq!((numbers(&one), two), (vec![Some(1)], None));
}

/// A kernel that is looked up by a name which is not known may be any.
#[test]
fn kernels_of_names_that_are_not_known_leave_none() {
    let named = |name: &str| {
        let text = program(&format!(
            "\
  %f = alloca ptr, align 8
  %g = call i32 @cuModuleGetFunction(ptr noundef %f, ptr noundef null, ptr noundef {name})
  %h = load ptr, ptr %f, align 8
  %l = call i32 @cuLaunchKernel(ptr noundef %h, i32 2, i32 1, i32 1, i32 32, i32 1, i32 1, i32 0, ptr null, ptr null, ptr null)
  ret i32 0"
        ));
        let found = launches(&[&text]);
        let of =
            |k: &str| found.get(k).map(|l| (l.calls.as_ref().map(Vec::len), l.made.as_ref().map(Vec::len)));
        (of("_Z3onePi"), of("_Z3twoPi"))
    };
    assert_eq!(named("@0"), (Some((None, Some(1))), None));
    assert_eq!(named("%a"), (None, None));
}

/// Statements of a random program: numbers in four variables, arrays of eight, copies, launches, branches and loops.
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

    /// The result of that instruction.
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
                // To the device, and back.
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
                // One of the ways may end the program.
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
    program(&format!("{before}{}  ret i32 0", writer.text))
}

/// The same with numbers that are known, in the place of those that are not.
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

/// May the launch that was made be this one?
fn covers(all: &Concrete, one: &Concrete) -> bool {
    let number = |c: &Concrete| match c.arguments[1].pieces.first()?.number {
        Number::Bits(b) => Some(b),
        Number::Address(..) => None,
    };
    let memory = |c: &Concrete| match c.arguments[0].pieces.first()?.number {
        Number::Address(m, 0) => Some(c.memory[m].clone()),
        _ => None,
    };
    let (Some(one_memory), Some(memory)) = (memory(one), memory(all)) else { return false };
    number(all).is_none_or(|n| number(one) == Some(n))
        && memory.contents.is_none_or(|c| one_memory.contents == Some(c))
        && one_memory.launches.iter().all(|l| memory.launches.contains(l))
}

/// Whatever the numbers are that a program does not know, its launches are among those that were found without them.
/// `HOST_PROGRAMS` and `HOST_SEED` make other programs and more.
#[test]
fn all_launches_of_random_programs_are_found() {
    let read =
        |name: &str, otherwise: u64| std::env::var(name).map_or(otherwise, |v| v.parse().expect("a number"));
    let (count, first) = (read("HOST_PROGRAMS", 300), read("HOST_SEED", 1));
    let (mut made, mut known, mut incomplete) = (0, 0, 0);
    for seed in first..first + count {
        let text = random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let found = launches(&[&text]);
        for other in 1..4u64 {
            let decided =
                launches(&[&decided(&text, (seed << 8 | other).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)]);
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
    println!("{made} launches were found, {known} of them exactly; {incomplete} kernels were left out");
    assert!(made > 0 && known > 0 && incomplete * 4 < made, "{made} {known} {incomplete}");
}

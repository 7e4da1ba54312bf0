//! Random host programs, given random arguments: each answer about their kernels is held against what they launch.
//!
//! [`program`] writes a `main` in LLVM IR, as clang would: numbers from arguments, with defaults, checks, clamps, offsets,
//! loops and several launches. [`machine`] executes that IR for given arguments and lists the launches that it makes.
//! [`kernels`] has kernels in PTX, and says of one launch of them whether it races. A proof must hold for every launch that
//! any arguments make; a race must be one of a launch that some arguments make.
//!
//! `HOST_ANSWERS=20000 HOST_SEED=1 cargo test --release -p prove --test host_answers` runs as many as that.

mod kernels;
mod machine;
mod program;

use host_ir::ir::Module;
use host_ir::{Concrete, Input, Number};
use kernels::{KERNELS, Made};
use prove::launches::of_host_code;
use prove::{Facts, Prover, Verdict};

/// Arguments that each program is given, beside those that the prover chose.
const RUNS: usize = 48;

/// The numbers of a program's arguments.
type Given = Vec<i64>;

#[derive(Debug, Default)]
struct Tally {
    programs: usize,
    launched: usize,
    proved: usize,
    partly: usize,
    races: usize,
    unknown: usize,
    tried: usize,
    /// Choices for which the program's own arithmetic is not defined.
    undefined: usize,
    runs: usize,
}

/// Programs whose answers were wrong: a pointer that a case leads into another pointer's array was taken to be apart, and races
/// were reported of launches that no input makes, or of an input for which the program's arithmetic is undefined.
const WRONG: [u64; 9] = [2887, 4058, 275, 1271, 5283, 8701, 10690, 16365, 17229];

#[test]
fn answers_hold_for_what_random_programs_launch() {
    let number =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (programs, seed) = (number("HOST_ANSWERS", 75), number("HOST_SEED", 1));
    hold(seed..seed + programs);
}

#[test]
fn answers_that_were_wrong_hold() {
    hold(WRONG.into_iter());
}

fn hold(seeds: impl Iterator<Item = u64>) {
    let text = kernels::ptx();
    let parsed = ptx::parse(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let source = ::kernels::Source { tree: &parsed.module, text: &text, name: "random.ptx" };
    let mut prover = Prover::new(&[source]).expect("it links");
    let mut tally = Tally::default();
    for seed in seeds {
        one(&mut prover, seed, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.runs > 0 && tally.tried > 0, "{tally:?}");
    assert!(tally.undefined < tally.tried / 4, "{tally:?}");
}

/// All launches that a program makes for some arguments; `None` if what it does then is not defined.
fn run(module: &Module<'_>, given: &Given) -> Option<Vec<Made>> {
    let main = module.functions.iter().find(|f| f.name == "main").expect("it is written");
    machine::run(main, given)
}

fn one(prover: &mut Prover<'_>, seed: u64, tally: &mut Tally) {
    let text = program::random(seed);
    let found = of_host_code(&[&text]);
    let module = Module::read(&text);
    tally.programs += 1;
    let mut given: Vec<Given> = vec![Vec::new()];
    let mut random = program::Random::new(seed ^ 0x5eed);
    given.extend((0..RUNS).map(|_| random.arguments()));
    // A launch that the prover saw must be made for its input.
    for (kernel, launched) in &found.kernels {
        for tried in &launched.tried {
            let of = numbers(&tried.input);
            // The effects of a program whose own arithmetic is not defined are not known.
            let Some(made) = run(&module, &of) else {
                tally.undefined += 1;
                continue;
            };
            assert!(
                made.iter().any(|made| made.is(kernel, &tried.launch)),
                "seed {seed}: {kernel} is not launched so for {}: {:?}\nbut {made:?}\n{text}",
                tried.input,
                tried.launch
            );
            tally.tried += 1;
            given.push(of);
        }
    }
    let runs: Vec<(Given, Vec<Made>)> =
        given.into_iter().filter_map(|g| run(&module, &g).map(|made| (g, made))).collect();
    tally.runs += runs.len();
    for (n, kernel) in KERNELS.iter().enumerate() {
        let Some(launched) = found.kernels.get(*kernel) else { continue };
        let all = || {
            runs.iter().flat_map(|(g, made)| made.iter().map(move |m| (g, m))).filter(|(_, m)| m.kernel == n)
        };
        if launched.is_unused() {
            assert!(all().next().is_none(), "seed {seed}: {kernel} is launched\n{text}");
            continue;
        }
        tally.launched += 1;
        let index = prover.kernels().iter().position(|k| k.name == *kernel).expect("it is there");
        let answer = prover.answer_for_host_code(index, &Facts::default(), launched, &|| false);
        let racing = || all().find(|(_, m)| m.races() == Some(true));
        match &answer.verdict {
            Verdict::Proved => {
                tally.proved += 1;
                if let Some((given, made)) = racing() {
                    panic!(
                        "seed {seed}: {kernel} is proved, and for {given:?} races in {made:?}: {answer:?}\n{text}"
                    );
                }
            }
            Verdict::Partly(part) => {
                tally.partly += 1;
                let without = racing().filter(|(given, _)| given.is_empty());
                if let Some((_, made)) = without.filter(|_| part.conditions.is_empty()) {
                    panic!(
                        "seed {seed}: {kernel} is proved without arguments, and races then in {made:?}\n{text}"
                    );
                }
            }
            Verdict::Race(race) => {
                tally.races += 1;
                // An input that is reported makes such a launch.
                if let Some(input) = launched.tried.iter().find(|t| race.started == Some(t.input.to_string()))
                {
                    let made = run(&module, &numbers(&input.input));
                    let races = |m: &Made| m.kernel == n && m.races() != Some(false);
                    assert!(
                        made.is_none_or(|made| made.iter().any(races)),
                        "seed {seed}: {kernel} does not race {}: {answer:?}\n{text}",
                        input.input
                    );
                }
                let is_it =
                    |(_, m): &(&Given, &Made)| m.grid == race.witness.grid && m.block == race.witness.block;
                let shown = all().filter(is_it).any(|(_, m)| m.races() != Some(false));
                assert!(
                    shown,
                    "seed {seed}: {kernel} is said to race in {}: {answer:?}\n{text}",
                    race.witness
                );
            }
            Verdict::Unknown(_) => tally.unknown += 1,
        }
    }
}

/// Returns an input's arguments as numbers.
fn numbers(input: &Input) -> Given {
    input.arguments.iter().map(|a| a.parse().expect("a number")).collect()
}

impl Made {
    /// Returns whether it is that launch: of its numbers, those that are known.
    fn is(&self, kernel: &str, concrete: &Concrete) -> bool {
        let number = |n: usize| match concrete.arguments.get(n)?.pieces.first()?.number {
            Number::Bits(b) => Some(b as u32 as i32),
            Number::Address(..) => None,
        };
        let place = |n: usize| match concrete.arguments.get(n)?.pieces.first()?.number {
            Number::Address(memory, offset) => Some((memory, offset)),
            Number::Bits(_) => None,
        };
        let apart = match (place(0), place(1)) {
            // Pointers into one array are as far from each other.
            (Some((a, x)), Some((b, y))) if a == b => {
                self.low.0 == self.high.0 && y - x == i128::from(self.high.1 - self.low.1)
            }
            (Some(_), Some(_)) => self.low.0 != self.high.0,
            _ => true,
        };
        KERNELS[self.kernel] == kernel
            && self.grid == concrete.grid
            && self.block == concrete.block
            && number(2).is_none_or(|n| n == self.number)
            && apart
    }
}

#[test]
fn the_machine_launches_what_a_program_says() {
    let text = program::around("  %x = add nsw i32 %argc, 62", "%x", "i32 %x", 0);
    let module = Module::read(&text);
    let made = run(&module, &vec![7, 7]).expect("defined");
    assert_eq!(made.len(), 1);
    assert_eq!((made[0].grid, made[0].block, made[0].number), ([65, 1, 1], [64, 1, 1], 65));
    assert_eq!(made[0].races(), Some(false));
}

/// The default edge of a `switch` stated no condition: an argument that leads to a case did not exclude it, so that the second
/// `switch` was undecided, and the launch behind its exit counted as made.
#[test]
fn a_launch_behind_the_exit_of_a_switch_is_not_made() {
    let before = "  %q = getelementptr inbounds i8, ptr %argv, i64 8
  %t = load ptr, ptr %q, align 8
  %x = call i32 @atoi(ptr noundef %t)
  switch i32 %x, label %other [
    i32 1, label %one
    i32 68, label %two
  ]
one:
  br label %chosen
two:
  br label %chosen
other:
  br label %chosen
chosen:
  %y = phi i32 [ 32, %one ], [ 33, %two ], [ 64, %other ]
  switch i32 %y, label %bad [
    i32 64, label %good
    i32 1066, label %better
  ]
bad:
  ret i32 1
good:
  br label %last
better:
  br label %last
last:
  %n = phi i32 [ 63, %good ], [ 64, %better ]";
    let text = program::around(before, "2", "i32 %n", 0);
    let module = Module::read(&text);
    let found = of_host_code(&[&text]);
    let tried = &found.kernels["rows"].tried;
    assert!(!tried.is_empty());
    for given in tried.iter().map(|t| numbers(&t.input)) {
        assert!(!run(&module, &given).expect("defined").is_empty(), "nothing is launched for {given:?}");
    }
}

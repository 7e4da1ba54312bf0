//! Mutated results and campaign files. The fuzz target `campaign` has the same body.

#[path = "hostile/exercise.rs"]
mod exercise;

use campaign::identity::Hasher;
use campaign::record::{About, Record, seal};

const CAMPAIGN: &str = "\
build = 'make'\noptions = ['--check', 'init']\nseeds = [1, '3..9']\nlenses = ['ptx', 'hb']\n\
engines = ['virtual', 'gpu:collide']\ntimeout = 5\n[[program]]\nname = 'a'\ncommand = ['./a']\n\
arguments = [['1'], ['2', '3']]\nenv = { A = 'b' }\nschedules = ['random', 'pct/3']\n";

/// A generator of numbers (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

#[test]
fn mutated_files_are_refused_or_read() {
    let run = Hasher::new("run").finish();
    let record = Record::not_run(run, "a", "why".into(), About { host: "h".into(), ..About::default() });
    let sealed = seal(&record);
    let bare = sealed.trim_end().split_once(' ').unwrap().1.to_owned();
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for seed in [sealed.as_bytes(), bare.as_bytes(), CAMPAIGN.as_bytes()] {
        exercise::exercise(seed);
        for _ in 0..2000 {
            let mut bytes = seed.to_vec();
            for _ in 0..=numbers.below(4) {
                let at = numbers.below(bytes.len());
                match numbers.below(4) {
                    0 => bytes[at] = numbers.below(128) as u8,
                    1 => drop(bytes.drain(at..(at + numbers.below(9)).min(bytes.len()))),
                    2 => bytes.insert(at, b"0'\"[]{}-.\n"[numbers.below(10)]),
                    _ => bytes.truncate(at.max(1)),
                }
                if bytes.is_empty() {
                    break;
                }
            }
            exercise::exercise(&bytes);
        }
    }
}

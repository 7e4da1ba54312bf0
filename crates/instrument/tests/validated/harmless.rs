//! Random mutations: none of the program is accepted, and what is accepted of added code leaves the program's results
//! as they are, on the virtual GPU.

use super::passes::Made;
use super::program::{PROGRAM, with};
use crate::guardian::{Guardian, TABLE, options};
use events::SiteTable;
use instrument::guard::{Guarded, guard};
use instrument::sink::ADDRESS;
use proptest::prelude::*;
use simt::Schedule;
use std::collections::HashSet;

/// The threads of the two blocks.
const THREADS: u32 = 64;

fn results(guarded: Guarded) -> Vec<u32> {
    let guardian = Guardian::of(guarded, SiteTable::default(), Schedule::ConvergedFirst);
    let words = guardian.machine.upload(&[0; 1024]);
    guardian.machine.finish("k", 2, THREADS, args![words, 5u32]);
    guardian.machine.words(words, 1024)
}

/// Returns the program with `guard`, such that it runs on a [`Guardian`].
fn guarded() -> (Made, Guarded) {
    let made = with(PROGRAM, "guard:true:true:false");
    let guarded = guard(PROGRAM, &options(), &mut SiteTable::default(), &|_| true).unwrap();
    let bytes = instrument::guard::table_bytes(instrument::guard::FEWEST);
    let records =
        guarded.checks.len() as u64 * u64::from(instrument::collide::KINDS) * instrument::sink::RECORD;
    let mut declared = made.declared;
    declared.memory = vec![
        ADDRESS..ADDRESS + records,
        ADDRESS + instrument::guard::ENDED..ADDRESS + instrument::guard::SINK_BYTES,
        TABLE..TABLE + bytes,
    ];
    (Made { text: guarded.text.clone(), declared, ..made }, guarded)
}

/// Changes one line.
fn mutated(line: &str, how: u8, number: u8) -> Option<String> {
    let digit = line.rfind(|c: char| c.is_ascii_digit());
    Some(match how % 6 {
        0 => String::new(),
        1 => format!("{line}\n{line}"),
        // Another register, label or immediate.
        2 => {
            let at = digit?;
            format!("{}{}{}", &line[..at], number % 10, &line[at + 1..])
        }
        3 => {
            let at = line.find(|c: char| c.is_ascii_digit())?;
            format!("{}{}{}", &line[..at], number % 10, &line[at + 1..])
        }
        4 => {
            let (from, to) = [
                ("add", "sub"),
                ("and.b32", "or.b32"),
                ("eq", "ne"),
                ("lt", "ge"),
                ("@!", "@"),
                ("ld.", "st."),
                ("%wr_r", "%r"),
                ("%wr_p", "%p"),
                ("%wr_a", "%rd"),
                ("global", "shared"),
                ("$wr_end", "$END"),
                ("u32", "u64"),
            ][usize::from(number) % 12];
            line.contains(from).then(|| line.replacen(from, to, 1))?
        }
        _ => {
            let (head, tail) = line.split_once(' ')?;
            format!(
                "{head} {}",
                tail.split(", ").collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join(", ")
            )
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_accepted_leaves_the_program_as_it_is(places in prop::collection::vec((any::<u16>(), any::<u8>(), any::<u8>()), 24)) {
        let (made, guarded) = guarded();
        made.validate().unwrap();
        let expected = results(guarded.clone());
        let programs: HashSet<&str> = PROGRAM.lines().filter(|line| line.ends_with(';')).collect();
        let lines: Vec<&str> = made.text.lines().collect();
        let begin = lines.iter().position(|line| line.contains("twice")).unwrap();
        let mut accepted = 0;
        for (place, how, number) in places {
            // Half of the mutations are of what surrounds the program's instructions.
            let at = match place % 2 {
                0 => usize::from(place / 2) % lines.len(),
                _ => begin + usize::from(place / 2) % (lines.len() - begin),
            };
            let Some(line) = mutated(lines[at], how, number) else { continue };
            let mut all = lines.clone();
            all[at] = &line;
            let text = all.join("\n") + "\n";
            let parsed = |text: &str| { let mut m = ptx::parse(text).module; m.erase_spans(); m };
            if parsed(&text) == parsed(&made.text) {
                continue;
            }
            let changed = Made { text: text.clone(), name: String::new(), original: made.original.clone(), declared: made.declared.clone() };
            let valid = changed.validate();
            prop_assert!(valid.is_err() || at < begin || !programs.contains(lines[at]), "accepted: {} -> {line}", lines[at]);
            if valid.is_ok() {
                accepted += 1;
                prop_assert_eq!(&results(Guarded { text, ..guarded.clone() }), &expected, "{} -> {}", lines[at], line);
            }
        }
        prop_assert!(accepted < 24);
    }
}

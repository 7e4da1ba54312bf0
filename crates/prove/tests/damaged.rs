//! Kernels that synchronise by flags, counters and locks, with one instruction removed or weakened. A kernel
//! that is still proved must not have a race in any launch of the search for witnesses, in several orders of
//! threads.

use kernels::Source;
use prove::replay::candidates::candidate_launches;
use prove::replay::{Bench, Outcome, Witness};
use prove::{Facts, Prover, Verdict};

const ORDERED: &str = include_str!("../../../tests/prove/ordered.ptx");

/// Ways to damage a line; `None` removes it.
const DAMAGE: [(&str, Option<(&str, &str)>); 14] = [
    ("membar", None),
    ("membar.gl", Some(("membar.gl", "membar.cta"))),
    ("bar.sync", None),
    ("st.volatile", Some((".volatile", ""))),
    ("ld.volatile", Some((".volatile", ""))),
    ("ld.acquire", Some((".acquire", ".relaxed"))),
    ("st.release", Some((".release", ".relaxed"))),
    ("atom.acquire", Some((".acquire", ".relaxed"))),
    (".gpu.", Some((".gpu.", ".cta."))),
    ("setp.eq", Some(("setp.eq", "setp.ne"))),
    ("setp.ne", Some(("setp.ne", "setp.eq"))),
    ("atom.global.exch", None),
    (", -1;", Some((", -1;", ", -2;"))),
    ("setp.lt", Some(("setp.lt", "setp.le"))),
];

/// Returns texts with one line changed, and a description of the change.
fn damaged(entry: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = entry.lines().collect();
    let mut found = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        for (what, instead) in DAMAGE.iter().filter(|(what, _)| line.contains(what)) {
            let new = instead.map_or(String::new(), |(from, to)| line.replace(from, to));
            let text: Vec<&str> =
                lines.iter().enumerate().map(|(i, l)| if i == n { new.as_str() } else { *l }).collect();
            found.push((text.join("\n"), format!("{} ({what})", line.trim())));
        }
    }
    found
}

#[test]
fn damaged_kernels_are_not_proved_if_they_race() {
    let head = ORDERED.split(".visible .entry").next().expect("a header");
    let (mut still_proved, mut refuted, mut unknown, mut ended) = (0, 0, 0, 0);
    for entry in ORDERED.split(".visible .entry").skip(1).filter(|e| e.contains("_clean(")) {
        let name = entry.trim().split('(').next().expect("a name").to_owned();
        let body = entry.split_once("\n}").expect("an end").0;
        for (text, what) in damaged(body) {
            let text = format!("{head}.visible .entry{text}\n}}\n");
            let parsed = ptx::parse(&text);
            assert!(parsed.errors.is_empty(), "{name}: {what}: {:?}", parsed.errors);
            let source = Source { tree: &parsed.module, text: &text, name: "damaged.ptx" };
            let mut prover = Prover::new(&[source]).expect("it links");
            match prover.answer(0, &Facts::default(), &|| false).verdict {
                Verdict::Race(_) => refuted += 1,
                Verdict::Unknown(_) => unknown += 1,
                Verdict::Proved | Verdict::Partly(_) => {
                    still_proved += 1;
                    let (racing, launches) = racing(&source);
                    ended += launches;
                    if let Some(witness) = racing {
                        panic!("{name} without `{what}` is proved, and races: {witness}\n{text}");
                    }
                }
            }
        }
    }
    println!("{still_proved} proved, {refuted} refuted, {unknown} unknown; {ended} launches ended");
    assert!(refuted > 50 && ended > 300, "{refuted} refuted; {ended} launches ended");
}

/// Returns a racing launch of the module's only kernel, and the number of launches that ended.
fn racing(source: &Source<'_>) -> (Option<Witness>, usize) {
    let linked = kernels::link(&[*source], &mut |v| Ok((1 << 52) + v.align)).expect("it links");
    let kernel = &linked.kernels[0];
    let mut bench = Bench::load(&[*source]).expect("it loads");
    let loaded = bench.kernel(&kernel.name).expect("it is there");
    // Arrays are zero, which is an assumption about flags.
    let zero = |w: &Witness| w.contents == prove::replay::Contents::Zeros;
    let mut ended = 0;
    let pointers: Vec<(u32, u32)> = (0..kernel.params.len() as u32).map(|i| (i, 0)).collect();
    let racing = candidate_launches(&linked, kernel, &Facts::default(), &pointers)
        .into_iter()
        .filter(zero)
        .find(|witness| match bench.run(loaded, witness, 10_000, &|| false).0 {
            Outcome::Ended(findings) => {
                ended += 1;
                !findings.is_empty()
            }
            Outcome::TooLong(_) | Outcome::Stuck(_) | Outcome::Failed(_) => false,
        });
    (racing, ended)
}

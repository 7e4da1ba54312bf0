//! Kernels with one instruction removed, weakened or changed: those that synchronise by flags, counters and locks, and
//! mutants of all kernels that are proved. A kernel that is still proved must not have a race in any launch of the search for
//! witnesses, in several orders of threads.
//!
//! `PROVE_MUTANTS=N` asks about N mutants in place of a few, `PROVE_MUTANTS_FROM=N` about others, `PROVE_MUTANTS_OF=TEXT`
//! about those of kernels whose text contains TEXT.

use kernels::Source;
use prove::replay::candidates::candidate_launches;
use prove::replay::{Bench, Outcome, Witness};
use prove::{Facts, Prover, Verdict};
use std::collections::BTreeSet;

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

/// Kernels in pairs of all kinds.
const PAIRS: [&str; 14] = [
    include_str!("../../../tests/prove/patterns.ptx"),
    include_str!("../../../tests/prove/bulk.ptx"),
    include_str!("../../../tests/prove/called.ptx"),
    include_str!("../../../tests/prove/clusters.ptx"),
    include_str!("../../../tests/prove/delayed.ptx"),
    include_str!("../../../tests/prove/divided.ptx"),
    include_str!("../../../tests/prove/fenced.ptx"),
    include_str!("../../../tests/prove/grids.ptx"),
    include_str!("../../../tests/prove/known.ptx"),
    include_str!("../../../tests/prove/lanes.ptx"),
    include_str!("../../../tests/prove/pipelined.ptx"),
    include_str!("../../../tests/prove/pipelines.ptx"),
    include_str!("../../../tests/prove/rounds.ptx"),
    include_str!("../../../tests/prove/volatile.ptx"),
];

/// Mutations: a synchronisation is left out, two threads or blocks get one number, a guard or an index is off by one.
const MUTATIONS: [(&str, Option<(&str, &str)>); 22] = [
    ("bar.sync", None),
    ("bar.warp.sync", None),
    ("barrier.sync", None),
    ("barrier.cluster", None),
    ("membar", None),
    ("fence.", None),
    ("cp.async.wait", None),
    ("mbarrier.arrive", None),
    ("mbarrier.try_wait", Some((", 1, 0, p;", ", 1, 1, p;"))),
    ("mbarrier.init", Some(("], %r", "], 2; // %r"))),
    ("expect_tx", Some(("], %r", "], 64; // %r"))),
    ("cp.async.bulk", None),
    ("not.b32", Some(("not.b32", "mov.b32"))),
    ("shl.b32", Some((", 7;", ", 6;"))),
    ("%tid.x;", Some(("%tid.x;", "%tid.x; #&-2"))),
    ("%tid.y;", Some(("%tid.y;", "%tid.y; #&-2"))),
    ("%ctaid.x;", Some(("%ctaid.x;", "%ctaid.x; #&-2"))),
    ("mad.lo.s32", Some(("mad.lo.s32", "mad.lo.s32 #+1"))),
    ("add.s32", Some((", 1;", ", 2;"))),
    ("shl.b32", Some((", 2;", ", 1;"))),
    ("setp.lt", Some(("setp.lt", "setp.le"))),
    ("setp.ge", Some(("setp.ge", "setp.gt"))),
];

/// The mutants of an ordinary run.
const FEW: usize = 24;

/// Returns the mutants of a kernel, and descriptions of the changes.
fn mutants(entry: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = entry.lines().collect();
    let mut found = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        for (what, instead) in MUTATIONS.iter().filter(|(what, _)| line.contains(what)) {
            let new = match instead {
                None => String::new(),
                Some((from, to)) => {
                    let result = line.split_whitespace().nth(1).unwrap_or_default().trim_end_matches(',');
                    line.replace(from, to)
                        .replace(" #&-2", &format!(" and.b32 {result}, {result}, -2;"))
                        .replace("mad.lo.s32 #+1", "mad.lo.s32")
                        + if to.ends_with("#+1") {
                            format!(" add.s32 {result}, {result}, 1;")
                        } else {
                            String::new()
                        }
                        .as_str()
                }
            };
            if new != *line {
                let text = lines.iter().enumerate().map(|(i, l)| if i == n { new.as_str() } else { *l });
                found.push((text.collect::<Vec<_>>().join("\n"), format!("{} ({what})", line.trim())));
            }
        }
    }
    found
}

/// A mutant's launch counts if the kernel as it was has no race in it: else it is one that the proof excludes.
#[test]
fn mutants_of_proved_kernels_are_not_proved_if_they_race() {
    let number = |name: &str, or: usize| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(or);
    let of = std::env::var("PROVE_MUTANTS_OF").unwrap_or_default();
    let mut all = Vec::new();
    for text in PAIRS {
        let head = text.split(".visible .entry").next().expect("a header");
        for entry in
            text.split(".visible .entry").skip(1).filter(|e| e.contains("_clean(") && e.contains(&of))
        {
            let body = entry.split_once("\n}").expect("an end").0;
            let whole = |body: &str| format!("{head}.visible .entry{body}\n}}\n");
            all.extend(mutants(body).into_iter().map(|(text, what)| (whole(body), whole(&text), what)));
        }
    }
    let (count, from) = (number("PROVE_MUTANTS", FEW), number("PROVE_MUTANTS_FROM", 5));
    let step = (all.len() / count.max(1)).max(1);
    let (mut asked, mut proved, mut unchanged, mut ended) = (0, 0, 0, 0);
    for (before, text, what) in all.iter().skip(from % step).step_by(step).take(count) {
        let parsed = [ptx::parse(before), ptx::parse(text)];
        assert!(parsed.iter().all(|p| p.errors.is_empty()), "{what}: {:?}", parsed[1].errors);
        let source =
            |n: usize| Source { tree: &parsed[n].module, text: [before, text][n], name: "mutant.ptx" };
        let is_proved = |n: usize| {
            // One that calls functions behind itself does not link.
            Prover::new(&[source(n)]).is_ok_and(|prover| {
                matches!(prover.decide(0, &Facts::default(), &|| false).0.verdict, Verdict::Proved)
            })
        };
        if !is_proved(0) {
            continue;
        }
        asked += 1;
        if !is_proved(1) {
            continue;
        }
        proved += 1;
        let (racing, launches) = racing(&source(1), &races(&source(0)));
        ended += launches;
        unchanged += usize::from(launches == 0);
        assert!(racing.is_none(), "`{what}` is changed, and still proved: {racing:?}\n{text}");
    }
    println!(
        "{asked} mutants of {}: {proved} still proved, {ended} launches ended; of {unchanged} none",
        all.len()
    );
    // The test must not become empty. A few others that are chosen by their number may all stay proved.
    let most = if count < FEW { asked } else { 3 * asked / 4 };
    assert!(asked * 3 > 2 * count.min(all.len()) && proved <= most, "{asked}, {proved} proved");
}

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
                    let (racing, launches) = racing(&source, &BTreeSet::new());
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

/// Returns a racing launch of the module's only kernel, but none of those, and the number of launches that ended.
fn racing(source: &Source<'_>, but: &BTreeSet<String>) -> (Option<Witness>, usize) {
    let (mut found, mut ended) = (None, 0);
    each_launch(source, |witness, races| {
        ended += 1;
        if races && !but.contains(&witness.to_string()) {
            found = Some(witness);
        }
        found.is_some()
    });
    (found, ended)
}

/// Returns all launches of the search that race.
fn races(source: &Source<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    each_launch(source, |witness, races| {
        if races {
            found.insert(witness.to_string());
        }
        false
    });
    found
}

/// Makes the launches of the search that end, until `seen` has seen enough; it is told whether they race.
fn each_launch(source: &Source<'_>, mut seen: impl FnMut(Witness, bool) -> bool) {
    let linked = kernels::link(&[*source], &mut |v| Ok((1 << 52) + v.align)).expect("it links");
    let kernel = &linked.kernels[0];
    let mut bench = Bench::load(&[*source]).expect("it loads");
    let loaded = bench.kernel(&kernel.name).expect("it is there");
    let pointers: Vec<(u32, u32)> = (0..kernel.params.len() as u32).map(|i| (i, 0)).collect();
    for witness in candidate_launches(&linked, kernel, &Facts::default(), &pointers) {
        // Arrays are zero, which is an assumption about flags.
        if witness.contents == prove::replay::Contents::Zeros
            && let Outcome::Ended(findings) = bench.run(loaded, &witness, 10_000, &|| false).0
            && seen(witness, !findings.is_empty())
        {
            break;
        }
    }
}

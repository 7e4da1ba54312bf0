//! Facts about the suite: how its programs are built and fed, and where `RACEY` changes them.

use std::fmt::Write as _;

/// The commit that the line numbers are of.
pub(super) const COMMIT: &str = "6dc3507";

/// A place where `RACEY` changes the source: its line, and the reports that show it. A pair of lines shows
/// it if it is one of these; a line and 0, if the line is one of its two.
pub(super) struct Configured {
    pub(super) what: &'static str,
    pub(super) shown_by: &'static [(u32, u32)],
}

pub(super) struct Application {
    pub(super) name: &'static str,
    pub(super) blocks: u32,
    pub(super) threads: u32,
    /// The papers' numbers: ScoRD's base design, with caching, iGUARD.
    pub(super) papers: [u32; 3],
    pub(super) races: &'static [Configured],
    /// The default schedule does not end: see docs/scor.md.
    pub(super) needs_another_schedule: bool,
}

const fn race(what: &'static str, shown_by: &'static [(u32, u32)]) -> Configured {
    Configured { what, shown_by }
}

pub(super) static APPLICATIONS: [Application; 7] = [
    Application {
        name: "matrix-multiplication",
        blocks: 120,
        threads: 128,
        papers: [4, 4, 4],
        races: &[
            race("fence after the block's lock removed (100)", &[(104, 104)]),
            race("fence before its release removed (105)", &[(104, 104)]),
            race("global lock of block scope (120)", &[(122, 122), (122, 129)]),
            race("the result under it", &[(128, 128)]),
        ],
        needs_another_schedule: false,
    },
    Application {
        name: "reduction",
        blocks: 30,
        threads: 512,
        papers: [2, 2, 7],
        races: &[
            race("fence removed (78)", &[(77, 95)]),
            race("fence narrowed (180)", &[(147, 200), (147, 207)]),
        ],
        needs_another_schedule: false,
    },
    Application {
        name: "rule-110",
        blocks: 15,
        threads: 1024,
        papers: [2, 1, 2],
        races: &[
            race("fence narrowed (81)", &[(75, 109), (75, 141)]),
            race("poll of block scope (117)", &[(86, 118), (95, 118)]),
        ],
        needs_another_schedule: false,
    },
    Application {
        name: "graph-coloring",
        blocks: 15,
        threads: 256,
        papers: [6, 6, 6],
        races: &[
            race("head of the queue of block scope (112)", &[(66, 113), (113, 133), (113, 139)]),
            race("barrier removed (118)", &[(113, 122), (122, 139), (113, 144)]),
            race("head of the queue of block scope (183)", &[(158, 184), (184, 204), (184, 210)]),
            race("barrier removed (189)", &[(184, 193), (193, 210), (184, 215)]),
            race("head of the queue of block scope (256)", &[(229, 257), (257, 277), (257, 283)]),
            race("barrier removed (262)", &[(257, 266), (266, 283), (257, 288)]),
        ],
        needs_another_schedule: true,
    },
    Application {
        name: "graph-connectivity",
        blocks: 15,
        threads: 400,
        papers: [5, 5, 5],
        races: &[
            race("barrier removed (74)", &[(68, 80), (80, 106)]),
            race("barrier removed (148)", &[(125, 155), (155, 185)]),
            race("barrier removed (226)", &[(204, 231), (231, 261)]),
            race("head of the queue of block scope (176)", &[(119, 177), (170, 177), (177, 177)]),
            race("head of the queue of block scope (252)", &[(198, 253), (246, 253), (253, 253)]),
        ],
        needs_another_schedule: false,
    },
    Application {
        name: "1dconv",
        blocks: 15,
        threads: 1024,
        papers: [1, 1, 1],
        races: &[race("additions of block scope (71)", &[(72, 72)])],
        needs_another_schedule: false,
    },
    Application {
        name: "uts",
        // Few enough for the stacks to spill, so that all of the changed lines run.
        blocks: 4,
        threads: 32,
        papers: [6, 6, 6],
        races: &[
            race("lock of block scope (124)", &[(125, 0)]),
            race("counter of block scope (133)", &[(134, 0)]),
            race("unlock of block scope (157)", &[(158, 0)]),
            race("lock of block scope (230)", &[(231, 0)]),
            race("counter of block scope (247)", &[(248, 0)]),
            race("unlock of block scope (257)", &[(258, 0)]),
        ],
        needs_another_schedule: true,
    },
];

/// Returns the application's input.
pub(crate) fn input(name: &str) -> String {
    let mut text = String::new();
    let mut numbers = |all: &mut dyn Iterator<Item = u64>| {
        all.for_each(|n| {
            let _ = writeln!(text, "{n}");
        });
    };
    match name {
        "1dconv" => {
            numbers(&mut [9, 20000].into_iter().chain((0..9).map(|i| i % 5 + 1)));
            numbers(&mut (0..20000).map(|i| i * 7 % 10));
        }
        "matrix-multiplication" => {
            numbers(&mut [8, 900, 30].into_iter().chain((0..8 * 900 + 900 * 30).map(|i| i * 7 % 10)));
        }
        "reduction" => numbers(&mut [65536].into_iter().chain((0..65536).map(|i| i * 7 % 10))),
        "rule-110" => numbers(&mut [20000, 4].into_iter().chain((0..20000).map(|i| i * i % 7 % 2))),
        "uts" => numbers(&mut [5, 5, 7].into_iter()),
        _ => {
            // A random graph of 600 vertices and 1200 edges.
            numbers(&mut [600, 1200].into_iter());
            let mut seed = 7;
            let mut draw = || {
                seed = (seed * 1103 + 12345) % 65536;
                seed % 600
            };
            for _ in 0..1200 {
                let (u, mut v) = (draw(), draw());
                if u == v {
                    v = (u + 1) % 600;
                }
                numbers(&mut [u.min(v), u.max(v)].into_iter());
            }
        }
    }
    text
}

/// How many of the configured races have a report of their own: a pair of lines stands for one race.
pub(super) fn found(races: &[Configured], pairs: &[(u32, u32)]) -> usize {
    let shows = |race: usize, pair: usize| {
        let (a, b) = pairs[pair];
        races[race].shown_by.iter().any(|&(x, y)| if y == 0 { x == a || x == b } else { (x, y) == (a, b) })
    };
    // Augmenting paths: a race may take a pair that another one can do without.
    fn assign(
        race: usize,
        shows: &dyn Fn(usize, usize) -> bool,
        owner: &mut [Option<usize>],
        seen: &mut [bool],
    ) -> bool {
        for pair in 0..owner.len() {
            if !shows(race, pair) || std::mem::replace(&mut seen[pair], true) {
                continue;
            }
            if owner[pair].is_none_or(|other| assign(other, shows, owner, seen)) {
                owner[pair] = Some(race);
                return true;
            }
        }
        false
    }
    let mut owner = vec![None; pairs.len()];
    (0..races.len()).filter(|&race| assign(race, &shows, &mut owner, &mut vec![false; pairs.len()])).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_the_papers_26_configured_races() {
        assert_eq!(APPLICATIONS.iter().map(|a| a.races.len()).sum::<usize>(), 26);
        let papers = |at: usize| APPLICATIONS.iter().map(|a| a.papers[at]).sum::<u32>();
        assert_eq!([papers(0), papers(1), papers(2)], [26, 25, 31]);
    }

    #[test]
    fn a_pair_of_lines_counts_once() {
        let mm = APPLICATIONS[0].races;
        assert_eq!(found(mm, &[(104, 104), (122, 122), (122, 129), (128, 128)]), 3);
        let uts = APPLICATIONS[6].races;
        assert_eq!(found(uts, &[(125, 231)]), 1);
        assert_eq!(found(uts, &[(125, 231), (125, 258), (158, 231)]), 3, "231 takes what 125 need not have");
        assert_eq!(found(uts, &[]), 0);
    }

    #[test]
    fn the_graph_is_the_documents() {
        let graph = input("graph-coloring");
        let numbers: Vec<u64> = graph.split_whitespace().map(|n| n.parse().unwrap()).collect();
        assert_eq!((numbers.len(), &numbers[..2]), (2 + 2 * 1200, &[600, 1200][..]));
        assert!(numbers[2..].chunks(2).all(|edge| edge[0] < edge[1] && edge[1] < 600));
    }
}

//! Checks the reconvergence points of random control flow against the definition.

use crate::common;

use proptest::prelude::*;
use ptx::cfg::{BlockId, Cfg};

/// The way in which a generated block ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Fall,
    Branch(usize),
    Guarded(usize),
    Indexed(usize, usize),
    Return,
    GuardedReturn,
    Trap,
}

fn ends() -> impl Strategy<Value = Vec<End>> {
    (2..14usize).prop_flat_map(|count| {
        let end = prop_oneof![
            3 => Just(End::Fall),
            3 => (0..count).prop_map(End::Branch),
            6 => (0..count).prop_map(End::Guarded),
            2 => (0..count, 0..count).prop_map(|(a, b)| End::Indexed(a, b)),
            1 => Just(End::Return),
            1 => Just(End::GuardedReturn),
            1 => Just(End::Trap),
        ];
        prop::collection::vec(end, count)
    })
}

fn body(ends: &[End]) -> String {
    let mut text = ".reg .pred %p; .reg .b32 %r;\n".to_string();
    for (i, end) in ends.iter().enumerate() {
        let end = match end {
            End::Fall => String::new(),
            End::Branch(to) => format!("bra L{to};"),
            End::Guarded(to) => format!("@%p bra L{to};"),
            End::Indexed(a, b) => format!("T{i}: .branchtargets L{a}, L{b}; brx.idx %r, T{i};"),
            End::Return => "ret;".to_string(),
            End::GuardedReturn => "@!%p exit;".to_string(),
            End::Trap => "trap;".to_string(),
        };
        text += &format!("L{i}: mov.b32 %r, {i}; {end}\n");
    }
    text
}

/// Returns which blocks reach a block of `goals` without entering `without`.
fn reaching(cfg: &Cfg, goals: &[bool], without: Option<usize>) -> Vec<bool> {
    let mut reached: Vec<bool> = (0..goals.len()).map(|i| goals[i] && Some(i) != without).collect();
    loop {
        let mut changed = false;
        for (i, block) in cfg.blocks.iter().enumerate() {
            let goes = block.successors.iter().any(|s| reached[s.0 as usize]);
            if goes && !reached[i] && Some(i) != without {
                reached[i] = true;
                changed = true;
            }
        }
        if !changed {
            return reached;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn immediate_post_dominators_by_definition(ends in ends()) {
        let module = common::kernel(&body(&ends));
        let flat = ptx::flatten(common::only_function(&module));
        prop_assert_eq!(&flat.errors, &[]);
        let cfg = Cfg::new(&flat, |_| false);
        prop_assert_eq!(cfg.blocks.len(), ends.len());
        // The last block may fall off the end, which is a return.
        let returns: Vec<bool> = (0..ends.len())
            .map(|i| matches!(ends[i], End::Return) || cfg.blocks[i].exits && cfg.blocks[i].successors.is_empty())
            .collect();
        let alive = reaching(&cfg, &returns, None);
        for a in 0..ends.len() {
            if !alive[a] {
                continue;
            }
            // P post-dominates A if A cannot return without passing P.
            let dominates = |p: usize, a: usize| alive[p] && (p == a || !reaching(&cfg, &returns, Some(p))[a]);
            let strict: Vec<usize> = (0..ends.len()).filter(|&p| p != a && dominates(p, a)).collect();
            let immediate = strict.iter().find(|&&p| strict.iter().all(|&q| dominates(q, p)));
            let found = cfg.post_dominator(BlockId(a as u32)).map(|id| id.0 as usize);
            prop_assert_eq!(found, immediate.copied(), "block {} of\n{}", a, body(&ends));
        }
    }
}

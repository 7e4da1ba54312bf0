use super::*;
use crate::schedule::path::{Follow, Log};
use crate::schedule::policy::{Choice, Policy};
use events::access::Warp;
use events::{Scope, Sem, SiteId, TaskId};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// A step of a toy thread.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Read(u64),
    Write(u64),
}
use Op::{Read, Write};

type Order = Vec<(usize, Op)>;

fn run(threads: &[Vec<Op>], path: &Path) -> (Vec<Ran>, Order) {
    let log = Arc::new(Mutex::new(Log::default()));
    let mut policy = Follow::new(path, Some(Arc::clone(&log)));
    let mut at = vec![0; threads.len()];
    let (mut effects, mut order) = (Vec::new(), Vec::new());
    loop {
        let choices: Vec<Choice> = (0..threads.len())
            .filter(|&t| at[t] < threads[t].len())
            .map(|t| Choice {
                block: BlockId(t as u32),
                warp: WarpId(0),
                lanes: 1,
                site: Some(SiteId(0)),
                waits: false,
            })
            .collect();
        if choices.is_empty() {
            break;
        }
        let thread = choices[policy.pick(&choices).index].block.0 as usize;
        let op = threads[thread][at[thread]];
        at[thread] += 1;
        order.push((thread, op));
        let (address, write) = match op {
            Read(a) => (a, false),
            Write(a) => (a, true),
        };
        let touch = Touch { space: Space::Global, address, bytes: 1, write };
        effects.push(Effect { touches: vec![touch], passed: Vec::new() });
    }
    let made = log.lock().unwrap().made.clone();
    (made.into_iter().zip(effects).map(|(made, effect)| Ran { made, effect }).collect(), order)
}

/// Returns a representation of an order's equivalence class: the order of each dependent pair.
fn class_of(order: &Order) -> Vec<(usize, usize, usize, usize)> {
    let mut numbers = [0; 8];
    let mut named = Vec::new();
    for &(thread, op) in order {
        named.push((thread, numbers[thread], op));
        numbers[thread] += 1;
    }
    let mut pairs = Vec::new();
    for (i, &(t, n, a)) in named.iter().enumerate() {
        for &(u, m, b) in &named[i + 1..] {
            let same = |x, y| x == y;
            let depends = match (a, b) {
                (Read(_), Read(_)) => false,
                (Read(x) | Write(x), Read(y) | Write(y)) => same(x, y),
            };
            if t != u && depends {
                pairs.push((t, n, u, m));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Returns all classes, by enumerating all orders.
fn all_classes(threads: &[Vec<Op>]) -> BTreeSet<Vec<(usize, usize, usize, usize)>> {
    fn go(
        threads: &[Vec<Op>],
        at: &mut Vec<usize>,
        order: &mut Order,
        out: &mut BTreeSet<Vec<(usize, usize, usize, usize)>>,
    ) {
        let mut ended = true;
        for t in 0..threads.len() {
            if at[t] < threads[t].len() {
                ended = false;
                order.push((t, threads[t][at[t]]));
                at[t] += 1;
                go(threads, at, order, out);
                at[t] -= 1;
                order.pop();
            }
        }
        if ended {
            out.insert(class_of(order));
        }
    }
    let mut out = BTreeSet::new();
    go(threads, &mut vec![0; threads.len()], &mut Vec::new(), &mut out);
    out
}

fn search(threads: &[Vec<Op>], bound: Option<u32>) -> (Vec<Order>, Search) {
    let mut search = Search::new(bound);
    let mut orders = Vec::new();
    while let Some(path) = search.next().cloned() {
        let (ran, order) = run(threads, &path);
        search.ran(&ran);
        orders.push(order);
        assert!(orders.len() < 20_000, "the search does not end");
    }
    (orders, search)
}

#[test]
fn every_class_of_tiny_programs_is_run() {
    for (threads, name) in [
        (vec![vec![Write(0), Write(1)], vec![Write(0), Write(1)]], "two writes each"),
        (vec![vec![Write(0), Read(1)], vec![Write(1), Read(0)]], "store buffering"),
        (vec![vec![Write(0), Write(1)], vec![Read(1), Read(0)]], "message passing"),
        (vec![vec![Write(0)], vec![Write(0)], vec![Read(0), Read(0)]], "three threads"),
        (vec![vec![Write(0), Write(9)], vec![Write(1), Write(9)], vec![Write(2), Write(9)]], "one meeting"),
        (vec![vec![Read(0); 3], vec![Read(0); 3]], "reads"),
    ] {
        let (orders, search) = search(&threads, None);
        let found: BTreeSet<_> = orders.iter().map(class_of).collect();
        let all = all_classes(&threads);
        assert_eq!(found, all, "{name}");
        assert!(!search.is_partial());
        // Each class is run once or nearly so: sleep sets prune repetitions, but may detect them late.
        assert!(orders.len() <= 2 * all.len(), "{name}: {} runs for {} classes", orders.len(), all.len());
    }
}

proptest::proptest! {
    #[test]
    fn every_class_of_random_programs_is_run(
        threads in proptest::collection::vec(
            proptest::collection::vec(
                (0u64..3, proptest::bool::ANY).prop_map(|(a, w)| if w { Write(a) } else { Read(a) }),
                1..4,
            ),
            2..4,
        )
    ) {
        let (orders, _) = search(&threads, None);
        let found: BTreeSet<_> = orders.iter().map(class_of).collect();
        proptest::prop_assert_eq!(found, all_classes(&threads));
    }
}
use proptest::strategy::Strategy;

/// The thread to try need not be the racing one, which may be in the sleep set, but may be another that
/// enables it.
#[test]
fn a_sleeping_thread_is_woken_by_another() {
    let threads = vec![vec![Write(1)], vec![Read(1), Read(0)], vec![Read(1), Write(0)]];
    let wanted = [(2, Read(1)), (0, Write(1)), (1, Read(1)), (1, Read(0)), (2, Write(0))];
    let found = search(&threads, None).0;
    assert!(found.iter().any(|order| class_of(order) == class_of(&wanted.to_vec())), "{found:?}");
}

#[test]
fn independent_threads_run_once() {
    let threads: Vec<Vec<Op>> = (0..4).map(|t| vec![Write(t); 10]).collect();
    assert_eq!(search(&threads, None).0.len(), 1);
}

#[test]
fn a_search_finds_what_random_orders_miss() {
    // Thread 1 must come between the last two of thirty steps.
    let threads = vec![vec![Write(0); 30], vec![Read(0)]];
    let wanted = |o: &Order| o.iter().position(|(t, _)| *t == 1) == Some(29);
    assert!(search(&threads, None).0.iter().any(wanted));
}

#[test]
fn a_bound_limits_preemptions() {
    let threads = vec![vec![Write(0); 4], vec![Write(0); 4]];
    let preemptions = |o: &Order| {
        let mut left = [4, 4];
        let mut count = 0;
        for (i, &(t, _)) in o.iter().enumerate() {
            left[t] -= 1;
            count += usize::from(o.get(i + 1).is_some_and(|next| next.0 != t) && left[t] > 0);
        }
        count
    };
    for bound in 0..3 {
        let (orders, search) = search(&threads, Some(bound));
        assert!(orders.iter().all(|o| preemptions(o) <= bound as usize));
        assert!(search.is_partial());
    }
    assert!(search(&threads, Some(0)).0.len() < search(&threads, Some(2)).0.len());
}

/// `init` and `arrive` are dependent, so both orders of the two are tried.
#[test]
fn operations_on_an_mbarrier_depend_on_its_beginning_and_end() {
    let warp = Warp { task: TaskId(0), block: BlockId(0), warp: WarpId(0) };
    let (site, lane, space) = (SiteId(0), 0, Space::Shared(BlockId(0)));
    let at = |address| Sync::MbarrierInit { warp, site, lane, space, address, expected: 1 };
    let (sem, scope) = (Sem::Release, Scope::Cta);
    let arrive = Sync::MbarrierArrive { warp, site, lane, space, address: 8, phase: 0, sem, scope };
    let touch = Sync::MbarrierTouch { warp, site, lanes: 1, space, address: 8, op: None };
    let inval = Sync::MbarrierInval { warp, site, lane, space, address: 8 };
    let [init, other, arrive, touch, inval] = [at(8), at(16), arrive, touch, inval].map(|sync| {
        let mut effect = Effect::default();
        effect.sync(&sync);
        effect
    });
    for using in [&arrive, &touch] {
        assert!(init.depends(using) && inval.depends(using) && !other.depends(using));
        assert!(!using.depends(&arrive));
    }
    assert!(init.depends(&inval));
}

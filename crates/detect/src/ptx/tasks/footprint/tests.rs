use super::*;

/// A piece of `thread` and, if it is larger than its element, of those behind.
fn by(thread: u16, run: Run) -> Piece {
    let log = if run.size.is_power_of_two() { run.size.trailing_zeros() as u16 } else { ONE };
    let touch = Touch { from: run.from, who: log << THREAD | thread, block: 7, site: run.site };
    Piece { run, touch }
}

#[test]
fn the_thread_shown_touched_the_byte() {
    let word = |at: u16| Run { size: 4, site: 3, ..Run::range(at, at + 4, None, true) };
    // Threads 8 to 15 from byte 32 on, one of them by itself; then thread 2; then thread 0 over two of them.
    let mut pieces: Vec<Piece> = (8..16).map(|t| by(t, word(t * 4))).collect();
    pieces.push(by(2, word(64)));
    pieces.push(Piece { run: Run { size: 4, site: 3, ..Run::range(60, 72, None, true) }, ..by(0, word(60)) });
    let Runs { runs, by: By::Threads(touches) } = joined(&mut pieces) else { panic!() };
    assert_eq!(runs.iter().map(|r| (r.from, r.to)).collect::<Vec<_>>(), [(32, 72)]);
    let thread = |byte| touches.at(&runs[0], byte).map(|t| (t.thread, t.from, t.block));
    assert_eq!(thread(32), Some((8, 32, 7)));
    assert_eq!(thread(47), Some((11, 44, 7)));
    assert_eq!(thread(60), Some((15, 60, 7)));
    assert_eq!(thread(64), Some((1, 64, 7)), "of those that touched it, one");
    assert_eq!(thread(71), Some((2, 68, 7)));
    // The rest of a run keeps its threads.
    let left = runs[0].without(0, 40).next().unwrap();
    assert_eq!(touches.at(&left, 47).map(|t| t.thread), Some(11));
}

#[test]
fn a_hole_splits_a_run() {
    let run = Run::range(10, 20, None, true);
    let left: Vec<_> = run.without(12, 15).map(|r| (r.from, r.to)).collect();
    assert_eq!(left, [(10, 12), (15, 20)]);
    assert_eq!(run.without(0, 20).count(), 0);
    assert_eq!(run.without(20, 30).map(|r| (r.from, r.to)).collect::<Vec<_>>(), [(10, 20)]);
    assert_eq!(run.without(0, 10).map(|r| (r.from, r.to)).collect::<Vec<_>>(), [(10, 20)]);
    assert_eq!(run.without(5, 12).map(|r| (r.from, r.to)).collect::<Vec<_>>(), [(12, 20)]);
}

#[test]
fn coverage_is_by_bytes() {
    let coverage = Coverage::of(&[Run::range(0, 64, None, true), Run::range(64, 100, None, false)]);
    assert!(coverage.covers(&Run::range(0, 64, None, true)));
    assert!(coverage.covers(&Run::range(60, 100, None, false)));
    assert!(!coverage.covers(&Run::range(60, 70, None, true)));
    assert!(!coverage.covers(&Run::range(60, 101, None, false)));
    assert!(Coverage::of(&[Run::range(0, 4096, None, true)]).covers(&Run::range(4095, 4096, None, true)));
}

#[test]
fn neighbours_join_unless_strong() {
    let runs = [(4, 8), (0, 4), (9, 10)].map(|(from, to)| by(0, Run::range(from, to, None, true)));
    let (runs, _) = join(&mut runs.to_vec());
    assert_eq!(runs.iter().map(|r| (r.from, r.to)).collect::<Vec<_>>(), [(0, 8), (9, 10)]);
}

#[test]
fn a_crowded_page_still_tells_every_instruction() {
    let of_site = |at: u16, site| by(at, Run { size: 4, site, ..Run::range(at, at + 4, None, true) });
    // Two instructions in turns all over the page, and a third one over some of it.
    let mut pieces: Vec<Piece> = (0..1024).map(|i| of_site(i * 4, u32::from(i % 2))).collect();
    pieces.extend([of_site(400, 7), of_site(404, 7)]);
    let Runs { runs, by } = joined(&mut pieces);
    assert!(runs.len() < 8, "{}", runs.len());
    let mut told = std::collections::BTreeMap::new();
    for run in &runs {
        by.parts(run, (run.from, run.to), |from, to| {
            let By::Threads(touches) = &by else { panic!() };
            *told.entry(touches.at(run, from).unwrap().site.unwrap().0).or_insert(0) += to - from;
        });
    }
    assert_eq!(told.into_iter().collect::<Vec<_>>(), [(0, 2048), (1, 2048), (7, 8)]);
}

#[test]
fn neighbouring_atomics_of_one_size_are_one_run() {
    let strong = Strength::Strong { sem: events::Sem::Relaxed, scope: events::Scope::Gpu };
    let atomic = |from, size, site| Run {
        class: AccessClass::with(AccessKind::Atomic { op: events::AtomicOp::Add, returns: false }, strong),
        size,
        site,
        ..Run::range(from, from + size, None, true)
    };
    let runs = [atomic(8, 4, 1), atomic(0, 4, 1), atomic(4, 4, 2), atomic(12, 4, 1), atomic(8, 8, 1)];
    let mut pieces = runs.map(|run| by(0, run));
    let (runs, _) = join(&mut pieces);
    let ends = |runs: &[Run]| runs.iter().map(|r| (r.from, r.to, r.size)).collect::<Vec<_>>();
    assert_eq!(ends(&runs), [(0, 4, 4), (8, 12, 4), (8, 16, 8), (12, 16, 4), (4, 8, 4)]);
    assert!(!runs[1].in_step(&runs[2]) && runs[0].in_step(&runs[3]));
    let (runs, _) = join_sites(&mut pieces);
    assert_eq!(ends(&runs), [(0, 16, 4), (8, 16, 8)]);
    assert!(runs[0].covers(&atomic(12, 4, 3)) && !runs[0].covers(&atomic(8, 8, 3)));
}

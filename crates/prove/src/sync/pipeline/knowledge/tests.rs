//! Facts about rings against their meaning in the first iterations.

use super::*;
use ptx::cfg::BlockId;

/// Limits the iterations of a fact, and those of an arrival.
const TURNS: i128 = 24;
const MOST: i128 = 60;

struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: i128) -> i128 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        i128::from(self.0 >> 33) % n
    }

    fn form(&mut self, class: usize, ring: i128) -> Form {
        let stride = if ring == 1 { 0 } else { 8 };
        Form { class, first: 0, stride, ring, shift: self.roll(ring) }
    }

    fn line(&mut self, ring: i128) -> Line {
        Line { each: 1 + self.roll(2), lag: self.roll(ring), first: self.roll(7) - 3 }
    }

    fn fact(&mut self, class: usize, ring: i128) -> Fact {
        Fact { form: self.form(class, ring), line: self.line(ring) }
    }
}

fn arrival(form: Form, line: Line) -> Arrival {
    Arrival {
        inst: 0,
        block: BlockId(0),
        of_loop: None,
        form,
        line,
        at: Default::default(),
        number: Default::default(),
        path: Vec::new(),
        only: Cond::True,
        of_copies: false,
    }
}

/// Returns whether an arrival ends the last phase of a fact.
fn is_last(arrival: &Arrival, turn: i128, fact: Fact, of: i128) -> bool {
    let Arrival { form, line, .. } = arrival;
    form.place(turn) == fact.form.place(of) && line.value(turn, form.ring) + 1 == fact.value(of)
}

#[test]
fn facts_of_other_iterations_say_what_was_true_there() {
    let mut dice = Dice(1);
    for _ in 0..20_000 {
        let ring = 1 + dice.roll(4);
        let fact = dice.fact(0, ring);
        let other = Fact { line: dice.line(ring), ..fact };
        let turns = dice.roll(9) - 4;
        let moved = fact.moved(turns);
        for turn in 4..TURNS {
            assert_eq!(moved.value(turn), fact.value(turn + turns));
            assert_eq!(moved.form.place(turn), fact.form.place(turn + turns));
            assert!(!fact.line.is_at_least(&other.line) || fact.value(turn) >= other.value(turn));
            if let Some(least) = fact.least(&[other]) {
                assert!(least.value(turn) <= fact.value(turn).min(other.value(turn)));
            }
        }
        let back = 1 + dice.roll(5);
        if let Some(old) = ago(fact, back, &[]) {
            assert!((0..back).all(|turn| old.value(turn) <= 0), "{fact:?}");
        }
    }
}

#[test]
fn what_an_arrival_tells_was_known_there() {
    let mut dice = Dice(2);
    let mut facts = 0;
    for _ in 0..20_000 {
        let (ring, other) = (1 + dice.roll(4), 1 + dice.roll(4));
        let of_known = if dice.roll(3) == 0 { other } else { ring };
        let known = dice.fact(1, of_known);
        let first = arrival(dice.form(0, ring), dice.line(ring));
        let form = Form { shift: dice.roll(ring), ..first.form };
        let fact = Fact { form, line: Line { each: first.line.each, ..dice.line(ring) } };
        let last = |of: i128| (0..MOST).find(|turn| is_last(&first, *turn, fact, of));
        let ended = (0..TURNS).filter(|of| fact.value(*of) > 0);
        match told(&first, &[known], fact) {
            Told::Always(list) => {
                for told in list {
                    facts += 1;
                    assert!((0..TURNS).all(|of| fact.value(of) > 0 || told.value(of) <= 0));
                    for (of, turn) in ended.clone().filter_map(|of| Some((of, last(of)?))) {
                        assert_eq!(told.form.place(of), known.form.place(turn), "{first:?} {fact:?}");
                        assert!(told.value(of) <= known.value(turn), "{first:?} {fact:?} {known:?}");
                    }
                }
            }
            Told::Nothing => assert!(ended.clone().all(|of| last(of).is_none()), "{first:?} {fact:?}"),
            Told::Unknown | Told::Once(..) => panic!("{first:?} {fact:?}"),
        }
    }
    assert!(facts > 5_000, "{facts}");
}

#[test]
fn arrivals_before_a_loop_end_one_phase() {
    let mut dice = Dice(3);
    for _ in 0..20_000 {
        let ring = 1 + dice.roll(4);
        let in_loop = dice.fact(0, ring);
        let before = arrival(Form::fixed(0, in_loop.form.place(dice.roll(4))), Line::fixed(dice.roll(3)));
        let is_it = |of: &i128| is_last(&before, 0, in_loop, *of);
        match told(&before, &[], in_loop) {
            Told::Once(turn, _) => assert!((0..TURNS).all(|of| is_it(&of) == (of == turn))),
            Told::Nothing => assert_eq!((0..TURNS).find(is_it), None),
            Told::Always(_) | Told::Unknown => panic!("{before:?} {in_loop:?}"),
        }
        // The fact is about one mbarrier, and the arrival in the loop.
        let one = Fact { form: before.form, line: Line::fixed(1 + dice.roll(3)) };
        let (looped, known) = (arrival(in_loop.form, in_loop.line), dice.fact(1, ring));
        let turn = (0..MOST).find(|turn| is_last(&looped, *turn, one, 0));
        match (told(&looped, &[known], one), turn) {
            (Told::Always(list), Some(turn)) => assert_eq!(list, [known.in_turn(turn)]),
            (Told::Nothing, None) => {}
            _ => panic!("{looped:?} {one:?}"),
        }
    }
}

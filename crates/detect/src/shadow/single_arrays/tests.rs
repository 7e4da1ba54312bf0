use super::super::huge_page_arena::{Room, Rooms};
use super::super::private_pages::Own;
use super::*;
use std::sync::Arc;

type Arrays = [Option<Room>; 5];

/// Returns the places of the numbers of all lanes, if the page of one of them is known to have `array` only.
fn sole<'a>(own: &'a mut Own<Arrays>, addresses: &[u64; 32], lane: u32, array: usize) -> Option<Sole<'a>> {
    let mut numbers = [NONE; 32];
    // SAFETY: they have just been found, and the pages are borrowed.
    own.find(addresses, lane, array, &mut numbers).then(|| unsafe { Sole::new(numbers) })
}

/// Numbers are set in pages of one array that are known as such, where nothing is, and nowhere else; any
/// other access of a page makes it unknown.
#[test]
fn numbers_are_set_in_pages_of_one_array() {
    let rooms = Arc::<Rooms>::default();
    let mut own = Own::<Arrays>::new(Arc::default());
    // For each page its arrays, and whether they tell of all of it.
    let pages = [(0b1, true), (0b10, true), (0b11, true), (0b1, false), (0, true)];
    let base = 1 << 20;
    for (number, (arrays, _)) in (base..).zip(pages) {
        let page = own.page_mut(number, || true).unwrap().as_mut().unwrap();
        for (i, array) in page.iter_mut().enumerate() {
            *array = (arrays >> i & 1 != 0).then(|| rooms.take());
        }
    }
    let addresses: [u64; 32] = std::array::from_fn(|i| ((base + i as u64 % 6) << 12) + i as u64 * 4);
    let learn = |own: &mut Own<Arrays>| {
        for (number, (_, whole)) in (base..).zip(pages) {
            let parts = if whole { u32::MAX } else { 1 };
            // SAFETY: the rooms are the page's.
            own.held(number).unwrap().learn(|page| Some(unsafe { Places::new(parts, page.each_mut()) }));
            own.settle(number);
        }
    };
    assert!(sole(&mut own, &addresses, 0, 0).is_none(), "nothing is known");
    learn(&mut own);
    assert!(sole(&mut own, &addresses, 2, 0).is_none() && sole(&mut own, &addresses, 5, 0).is_none());
    for round in 0..2 {
        for array in [0, 1] {
            let mut sole = sole(&mut own, &addresses, array as u32, array).unwrap();
            for lane in 0..32 {
                let is = sole.first(lane, 7 + array as u64);
                let of = pages.get(lane as usize % 6).is_some_and(|&page| page == (1 << array, true));
                assert_eq!(is, of.then_some(round == 0), "{round} {array} {lane}");
            }
        }
    }
    let numbers = own.page_mut(base, || false).unwrap().as_ref().unwrap()[0].as_ref().unwrap();
    assert!((0..32).all(|i| numbers[i] == if i % 6 == 0 { 7 } else { 0 }));
    assert!(sole(&mut own, &addresses, 0, 0).is_none() && sole(&mut own, &addresses, 1, 1).is_some());
    learn(&mut own);
    assert!(sole(&mut own, &addresses, 0, 0).is_some());
    own.pages().for_each(|_| {});
    assert!(sole(&mut own, &addresses, 0, 0).is_none() && sole(&mut own, &addresses, 1, 1).is_none());
}

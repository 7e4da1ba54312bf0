use super::*;

/// Accesses at random, of several sizes: they fit as long as no two threads are at a word, or at a byte, of which one has written.
#[test]
fn what_fits_does_not_race() {
    let mut random = crate::random::below(5);
    let (mut owners, mut fitted, mut met) = (Owners::default(), 0, 0);
    for round in 0..3000 {
        let (piece, bytes) = [(Piece::Word, 4), (Piece::Byte, 1)][round as usize % 2];
        owners.begin(piece);
        let mut before: Vec<(u16, std::ops::RangeInclusive<u64>, bool)> = Vec::new();
        for _ in 0..12 {
            let (warp, writes) = (random(3) as u16, random(2) == 0);
            let (each, mask) = (1 << random(5), (1u32 << random(4)) | 1 << random(32));
            let (base, stride) = (random(1 << (3 + round % 8)) * each, random(20) * each);
            let place = |lane: u32| base + u64::from(lane) * stride;
            let mut now = Vec::new();
            for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                let words = place(lane) / bytes..=(place(lane) + each - 1) / bytes;
                now.push((warp * 32 + lane as u16, words, writes));
            }
            let races = now.iter().enumerate().any(|(i, (thread, words, _))| {
                before.iter().chain(&now[..i]).any(|(other, theirs, wrote)| {
                    let meet = words.start() <= theirs.end() && theirs.start() <= words.end();
                    meet && other != thread && (*wrote || writes)
                })
            });
            assert_eq!(owners.add((warp, mask, writes), each, place), !races, "{round}");
            met += usize::from(races);
            if races {
                break;
            }
            fitted += 1;
            before.extend(now);
        }
    }
    assert!(fitted > 5000 && met > 1000, "{fitted} {met}");
}

#[test]
fn beyond_what_a_block_can_have_nothing_fits() {
    let mut owners = Owners::default();
    owners.begin(Piece::Word);
    assert!(owners.add((0, 1, true), 4, |_| (1 << 18) - 4));
    assert!(!owners.add((0, 1, true), 8, |_| (1 << 18) - 4));
    assert!(!owners.add((0, 1, true), 4, |_| u64::MAX - 3));
    assert!(!owners.add((u16::MAX, 1, true), 4, |_| 0));
}

/// When all numbers have been used, what was there by an old one is not taken for new.
#[test]
fn an_old_turn_does_not_come_back() {
    let mut owners = Owners::default();
    owners.begin(Piece::Word);
    assert!(owners.add((0, 1, true), 4, |_| 0));
    owners.turn = u32::MAX;
    owners.begin(Piece::Word);
    assert!(owners.add((1, 1, true), 4, |_| 0));
    assert!(!owners.add((0, 1, true), 4, |_| 0));
}

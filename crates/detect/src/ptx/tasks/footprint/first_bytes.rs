//! A counting sort of pieces by their first bytes.
//!
//! Each instruction's pieces come in the order of their bytes, and those of several instructions in turn: threads that
//! read three bytes each leave thousands of pieces in a page. A sort that compares them takes most of a launch's end.
//! Pieces of one class and size are nearly sorted behind this one, and the sort by all that matters finds runs.

use super::Piece;

/// Bytes of a page.
const BYTES: usize = 4096;

/// Sorts the pieces of a page by their first bytes. Pieces of the same first byte stay in their order.
pub(super) fn sort(pieces: &mut [Piece]) {
    let mut places = [0; BYTES + 1];
    for piece in &*pieces {
        places[usize::from(piece.run.from) + 1] += 1;
    }
    for byte in 1..=BYTES {
        places[byte] += places[byte - 1];
    }
    let unsorted = pieces.to_vec();
    for piece in &unsorted {
        let place: &mut usize = &mut places[usize::from(piece.run.from)];
        pieces[*place] = *piece;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Run, Touch};
    use super::*;

    #[test]
    fn pieces_are_sorted_by_first_bytes_and_stay_in_order_otherwise() {
        let mut random = crate::random::below(1);
        let mut piece = |site| {
            let from = [0, 4095, 7, random(4096) as u16][random(4) as usize];
            let run = Run { site, ..Run::range(from, from + 1, None, false) };
            Piece { run, touch: Touch { from, who: 0, block: 0, site } }
        };
        let mut pieces: Vec<Piece> = (0..1000).map(&mut piece).collect();
        let mut expected: Vec<_> = pieces.iter().map(|piece| (piece.run.from, piece.run.site)).collect();
        expected.sort();
        sort(&mut pieces);
        assert_eq!(pieces.iter().map(|piece| (piece.run.from, piece.run.site)).collect::<Vec<_>>(), expected);
    }
}

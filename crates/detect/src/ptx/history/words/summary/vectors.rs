//! Questions about many words at a time.

use crate::ptx::history::words::LINE;
use crate::ptx::history::words::packing::{KINDS, Packed, alike, kind_number, single};
use crate::shadow::LEN as WORDS;

/// Compiles a function for vectors, too, and takes that where the processor has them.
macro_rules! in_vectors {
    ($(#[$doc:meta])* fn $name:ident / $with:ident ($($arg:ident: $type:ty),*) $(-> $out:ty)?; $of:ident) => {
        $(#[$doc])*
        pub(super) fn $name($($arg: $type),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has what the function is compiled for.
                return unsafe { $with($($arg),*) };
            }
            $of($($arg),*)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $with($($arg: $type),*) $(-> $out)? {
            $of($($arg),*)
        }
    };
}

/// As how many pieces an array is told, about; of more than `few` not all are counted.
pub(super) fn pieces(array: &[Packed; WORDS], few: usize) -> usize {
    let mut sum = usize::from(array[0] != 0);
    for start in (0..WORDS - 1).step_by(PART) {
        if sum > few {
            break;
        }
        let end = (start + PART + 1).min(WORDS);
        sum += pieces_of(&array[start..end]);
    }
    sum
}

/// Words that are looked at together.
const PART: usize = 4 * LINE;

in_vectors! {
    /// How many of some words begin a piece, but for the first one.
    fn pieces_of / pieces_with_avx2(words: &[Packed]) -> usize;
    count_pieces
}

#[inline(always)]
fn count_pieces(words: &[Packed]) -> usize {
    let mut pieces = 0u64;
    for (&packed, &before) in words[1..].iter().zip(words) {
        pieces += u64::from((packed != 0) & (packed != before) & (packed != before.wrapping_add(1)));
    }
    pieces as usize
}

in_vectors! {
    /// How many of a line's words have been touched, if those are what its arrays have.
    fn touched / touched_with_avx2(line: [&[Packed; LINE]; 3]) -> u64;
    count_touched
}

#[inline(always)]
fn count_touched([writes, reads, atomics]: [&[Packed; LINE]; 3]) -> u64 {
    let all = writes.iter().zip(reads).zip(atomics);
    all.map(|((w, r), a)| u64::from(w | r | a != 0)).sum()
}

in_vectors! {
    /// The words of a line that have something, a bit each.
    fn present / present_with_avx2(line: &[Packed; LINE]) -> u32;
    bits_present
}

#[inline(always)]
fn bits_present(line: &[Packed; LINE]) -> u32 {
    line.iter().zip(0..).fold(0, |bits, (&packed, i)| bits | u32::from(packed != 0) << i)
}

in_vectors! {
    /// Chooses, of the two reads of each word, the one of the first block and thread, whose bits are `who`. False
    /// if some are of two kinds: then what `words` are is not told.
    fn first_of_alike / first_with_avx2(words: &mut [Packed; WORDS], reads: [&[Packed; WORDS]; 2], who: u64) -> bool;
    choose_first
}

#[inline(always)]
fn choose_first(words: &mut [Packed; WORDS], [reads, others]: [&[Packed; WORDS]; 2], who: u64) -> bool {
    let mut apart = false;
    for ((word, &read), &other) in words.iter_mut().zip(reads).zip(others) {
        apart |= (other != 0) & !alike(read, other);
        *word = if (other != 0) & (other & who < read & who) { other } else { read };
    }
    !apart
}

/// The accesses of a line that are of one class.
pub(super) struct OneClass {
    /// The words that were touched, a bit each.
    pub(super) present: u32,
    pub(super) class: u16,
    /// The number of the first one's kind, which all others have, too, if there are not several.
    pub(super) first: u64,
    pub(super) several: bool,
}

in_vectors! {
    /// If what a line has is of one class and of single words, of those that were met, and where there are several kinds, all words
    /// have something.
    fn one_class / one_class_with_avx2(line: &[Packed; LINE], ids: &[u16]) -> Option<OneClass>;
    of_one_class
}

#[inline(always)]
fn of_one_class(line: &[Packed; LINE], ids: &[u16]) -> Option<OneClass> {
    let ids: &[u16; KINDS] = ids.try_into().ok()?;
    // Bits of kinds that all have; none where a word has nothing.
    if !single(line.iter().fold(u64::MAX, |all, packed| all & packed)) {
        return of_one_kind(line, ids);
    }
    let first = kind_number(line[0]);
    let class = ids[first as usize % KINDS];
    let others = line.iter().fold(0, |others, &packed| others | (kind_number(packed) ^ first));
    let all = |several| OneClass { present: u32::MAX, class, first, several };
    if class == 0 || others == 0 {
        return (class != 0).then_some(all(false));
    }
    let of = |packed| ids[kind_number(packed) as usize % KINDS];
    let apart = line.iter().fold(0, |apart, &packed| apart | (of(packed) ^ class));
    (apart == 0).then_some(all(true))
}

/// The same where some words have nothing.
#[inline(always)]
fn of_one_kind(line: &[Packed; LINE], ids: &[u16; KINDS]) -> Option<OneClass> {
    let present = bits_present(line);
    let head = line[present.trailing_zeros() as usize % LINE];
    let first = kind_number(head);
    let others = line
        .iter()
        .fold(0, |others, &packed| others | if packed == 0 { 0 } else { kind_number(packed) ^ first });
    let class = ids[first as usize % KINDS];
    let one = present != 0 && single(head) && others == 0 && class != 0;
    one.then_some(OneClass { present, class, first, several: false })
}

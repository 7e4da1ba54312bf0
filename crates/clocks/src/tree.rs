//! A sparse array over blocks whose copies share common parts.
//!
//! The array has three levels: parts of 256 blocks, chunks of 16 blocks, and the value of each block. A copy
//! costs the list of parts, a change copies the path down to one block, and a comparison descends only into
//! parts that the two arrays do not share. This bounds the cost of a lock that hundreds of thousands of
//! threads take in turn.

use crate::seen::Seen;
use smallvec::SmallVec;
use std::sync::Arc;

/// A part with its number.
type Keyed<T> = (u32, Arc<Part<T>>);

/// The number of blocks in a chunk, and of chunks in a part.
const WIDTH: u32 = 16;

/// The value of one block. The default is the least element.
pub(crate) trait Knowledge: Clone + Default {
    /// The argument of `join` beside the two values.
    type Context;

    fn is_nothing(&self) -> bool;

    /// Compares two values in the directions that `asked` names; the answer for any other direction may be a
    /// false `false`.
    fn compare(&self, other: &Self, asked: Covers) -> Covers;

    /// Raises this value to the least upper bound of both.
    fn join(&mut self, other: &Self, context: &Self::Context);
}

/// Which of two values covers the other: neither, one, or, if they are equal, both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Covers {
    pub(crate) first: bool,
    pub(crate) second: bool,
}

/// Pairs of number and value, sorted by number, each number at most once.
type Sorted<T> = SmallVec<[(u32, T); 1]>;
type Chunk<T> = Sorted<T>;
type Part<T> = Sorted<Arc<Chunk<T>>>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree<T> {
    parts: Sorted<Arc<Part<T>>>,
}

impl<T> Default for Tree<T> {
    fn default() -> Self {
        Tree { parts: Sorted::new() }
    }
}

impl Covers {
    pub(crate) const BOTH: Covers = Covers { first: true, second: true };

    fn and(self, other: Covers) -> Covers {
        Covers { first: self.first && other.first, second: self.second && other.second }
    }
}

fn place<T>(list: &[(u32, T)], number: u32) -> Result<usize, usize> {
    list.binary_search_by_key(&number, |e| e.0)
}

fn find<T>(list: &[(u32, T)], number: u32) -> Option<&T> {
    place(list, number).ok().map(|at| &list[at].1)
}

/// Returns the list for mutation. A shared list is copied, with capacity for one more entry.
fn changed<T: Clone>(list: &mut Arc<Sorted<T>>) -> &mut Sorted<T> {
    if Arc::get_mut(list).is_none() {
        let mut copy = Vec::with_capacity(list.len() + 1);
        copy.extend_from_slice(list);
        *list = Arc::new(Sorted::from_vec(copy));
    }
    Arc::make_mut(list)
}

fn find_mut<T: Default>(list: &mut Sorted<T>, number: u32) -> &mut T {
    let at = place(list, number).unwrap_or_else(|at| {
        list.insert(at, (number, T::default()));
        at
    });
    &mut list[at].1
}

/// Compares two lists: `each` compares the parts of equal number, and `nothing` decides whether an unmatched
/// part is empty. Stops when no direction of `asked` can still hold.
fn compare<T>(
    first: &[(u32, T)],
    second: &[(u32, T)],
    asked: Covers,
    nothing: impl Fn(&T) -> bool,
    mut each: impl FnMut(&T, &T, Covers) -> Covers,
) -> Covers {
    let mut open = asked;
    // Fast path: most lists begin with parts of the same numbers.
    let alike = first.iter().zip(second).take_while(|((n, _), (m, _))| n == m);
    let mut done = 0;
    for ((_, mine), (_, theirs)) in alike {
        open = open.and(each(mine, theirs, open));
        if !(open.first || open.second) {
            return open;
        }
        done += 1;
    }
    let (mut a, mut b) = (first[done..].iter().peekable(), second[done..].iter().peekable());
    while open.first || open.second {
        match (a.peek(), b.peek()) {
            (Some((n, mine)), Some((m, theirs))) if n == m => {
                open = open.and(each(mine, theirs, open));
                a.next();
                b.next();
            }
            (Some((n, mine)), theirs) if theirs.is_none_or(|(m, _)| n < m) => {
                open.second = open.second && nothing(mine);
                a.next();
            }
            (_, Some((_, theirs))) => {
                open.first = open.first && nothing(theirs);
                b.next();
            }
            (_, None) => break,
        }
    }
    open
}

/// Merges `theirs` into `mine`; `each` merges parts of equal number.
fn merge<T: Clone>(mine: &mut Sorted<T>, theirs: &[(u32, T)], mut each: impl FnMut(&mut T, &T)) {
    let (known, mut at) = (mine.len(), 0);
    for (number, part) in theirs {
        while at < known && mine[at].0 < *number {
            at += 1;
        }
        if at < known && mine[at].0 == *number {
            each(&mut mine[at].1, part);
        } else {
            mine.push((*number, part.clone()));
        }
    }
    if mine.len() > known {
        mine.sort_unstable_by_key(|e| e.0);
    }
}

/// Raises `mine` to the least upper bound of both; shares `theirs` if that covers `mine`.
fn merge_shared<T: Clone>(
    mine: &mut Arc<T>,
    theirs: &Arc<T>,
    compare: impl FnOnce(&T, &T, Covers) -> Covers,
    merge: impl FnOnce(&mut T, &T),
) {
    if Arc::ptr_eq(mine, theirs) {
        return;
    }
    match compare(mine, theirs, Covers::BOTH) {
        // Equal parts are shared as well: later comparisons of shared parts return at once.
        Covers { second: true, .. } => *mine = Arc::clone(theirs),
        Covers { first: true, .. } => {}
        _ => merge(Arc::make_mut(mine), theirs),
    }
}

/// Returns `Covers::BOTH` for a shared part; otherwise compares with `compare`.
fn compare_shared<T>(
    first: &Arc<T>,
    second: &Arc<T>,
    asked: Covers,
    compare: impl FnOnce(&T, &T, Covers) -> Covers,
) -> Covers {
    if Arc::ptr_eq(first, second) { Covers::BOTH } else { compare(first, second, asked) }
}

fn compare_chunks<T: Knowledge>(first: &Chunk<T>, second: &Chunk<T>, asked: Covers) -> Covers {
    compare(first, second, asked, T::is_nothing, T::compare)
}

fn compare_parts<T: Knowledge>(first: &Part<T>, second: &Part<T>, asked: Covers) -> Covers {
    compare(first, second, asked, no_chunk, |a, b, asked| compare_shared(a, b, asked, compare_chunks))
}

fn no_chunk<T: Knowledge>(chunk: &Arc<Chunk<T>>) -> bool {
    chunk.iter().all(|(_, known)| known.is_nothing())
}

fn no_part<T: Knowledge>(part: &Arc<Part<T>>) -> bool {
    part.iter().all(|(_, chunk)| no_chunk(chunk))
}

impl<T> Tree<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns whether both consist of the same parts.
    pub(crate) fn same(&self, other: &Self) -> bool {
        let alike = |(a, b): (&Keyed<T>, &Keyed<T>)| a.0 == b.0 && Arc::ptr_eq(&a.1, &b.1);
        self.parts.len() == other.parts.len() && self.parts.iter().zip(&other.parts).all(alike)
    }

    pub(crate) fn get(&self, block: u32) -> Option<&T> {
        let part = find(&self.parts, block / WIDTH / WIDTH)?;
        find(find(part, block / WIDTH)?, block)
    }

    /// Returns the stored values in ascending order of blocks.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let chunks = self.parts.iter().flat_map(|(_, part)| part.iter());
        chunks.flat_map(|(_, chunk)| chunk.iter().map(|(block, known)| (*block, known)))
    }

    /// Returns the bytes of parts and chunks that `seen` does not count yet, plus `each` of every value in
    /// them.
    pub(crate) fn bytes(&self, seen: &mut Seen, mut each: impl FnMut(&T, &mut Seen) -> usize) -> usize {
        let mut bytes = heap(&self.parts);
        for (_, part) in &self.parts {
            if !seen.first(part) {
                continue;
            }
            bytes += size_of::<Part<T>>() + heap(part);
            for (_, chunk) in part.iter() {
                if seen.first(chunk) {
                    bytes += size_of::<Chunk<T>>() + heap(chunk);
                    bytes += chunk.iter().map(|(_, known)| each(known, seen)).sum::<usize>();
                }
            }
        }
        bytes
    }
}

fn heap<T>(list: &Sorted<T>) -> usize {
    if list.spilled() { list.capacity() * size_of::<(u32, T)>() } else { 0 }
}

impl<T: Knowledge> Tree<T> {
    pub(crate) fn get_mut(&mut self, block: u32) -> &mut T {
        let part = changed(find_mut(&mut self.parts, block / WIDTH / WIDTH));
        find_mut(changed(find_mut(part, block / WIDTH)), block)
    }

    /// Compares two arrays in the directions that `asked` names; the answer for any other direction may be a
    /// false `false`.
    pub(crate) fn compare(&self, other: &Self, asked: Covers) -> Covers {
        compare(&self.parts, &other.parts, asked, no_part, |a, b, asked| {
            compare_shared(a, b, asked, compare_parts)
        })
    }

    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.compare(other, Covers { first: true, second: false }).first
    }

    /// Raises this array to the least upper bound of both.
    pub(crate) fn join(&mut self, other: &Self, context: &T::Context) {
        merge(&mut self.parts, &other.parts, |mine, theirs| {
            merge_shared(mine, theirs, compare_parts, |mine, theirs| {
                merge(mine, theirs, |mine, theirs| {
                    merge_shared(mine, theirs, compare_chunks, |mine, theirs| {
                        merge(mine, theirs, |mine, theirs| mine.join(theirs, context));
                    });
                });
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BlockClock;

    #[test]
    fn a_copy_that_learns_of_one_block_shares_the_others() {
        let mut first = Tree::<BlockClock>::default();
        for block in 0..600 {
            first.get_mut(block).raise_all(1);
        }
        let mut second = first.clone();
        second.get_mut(300).raise_all(2);
        let shared = |a: &Tree<BlockClock>, b: &Tree<BlockClock>| {
            let parts = a.parts.iter().zip(&b.parts).filter(|(a, b)| Arc::ptr_eq(&a.1, &b.1)).count();
            let chunks = a.parts[1].1.iter().zip(b.parts[1].1.iter());
            (parts, chunks.filter(|(a, b)| Arc::ptr_eq(&a.1, &b.1)).count())
        };
        assert_eq!(shared(&first, &second), (2, 15));
        assert_eq!(first.compare(&second, Covers::BOTH), Covers { first: false, second: true });
        first.get_mut(2).raise_all(3);
        assert_eq!(first.compare(&second, Covers::BOTH), Covers { first: false, second: false });
        first.join(&second, &());
        assert_eq!(shared(&first, &second), (2, 16), "what the other knows more of is taken from it");
    }
}

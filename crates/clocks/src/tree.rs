//! A sparse array over blocks whose copies share common parts.
//!
//! The array has three levels: parts of 256 blocks, chunks of 16 blocks, and the value of each block. A copy
//! costs the list of parts, a change copies the path down to one block, and a comparison descends only into
//! parts that the two arrays do not share. This bounds the cost of a lock that hundreds of thousands of
//! threads take in turn.

use crate::seen::Seen;
use crate::version::Version;
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
type Sorted<T> = [(u32, T)];
type Chunk<T> = Sorted<T>;
type Part<T> = Sorted<Arc<Chunk<T>>>;

#[derive(Clone, Debug)]
pub(crate) struct Tree<T> {
    parts: SmallVec<[(u32, Arc<Part<T>>); 1]>,
    version: Version,
}

impl<T> Default for Tree<T> {
    fn default() -> Self {
        Tree { parts: SmallVec::new(), version: Version::default() }
    }
}

impl<T: PartialEq> PartialEq for Tree<T> {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

impl<T: Eq> Eq for Tree<T> {}

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

/// Returns the value of a number, which it gets if it has none, for mutation. A shared list is copied.
fn find_mut<T: Clone>(list: &mut Arc<Sorted<T>>, number: u32, none: impl FnOnce() -> T) -> &mut T {
    let at = place(list, number).unwrap_or_else(|at| {
        let (before, behind) = list.split_at(at);
        let new = std::iter::once((number, none()));
        *list = before.iter().cloned().chain(new).chain(behind.iter().cloned()).collect();
        at
    });
    &mut Arc::make_mut(list)[at].1
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
fn merge<T: Clone>(mine: &mut Arc<Sorted<T>>, theirs: &Sorted<T>, mut each: impl FnMut(&mut T, &T)) {
    let new = theirs.iter().filter(|(number, _)| place(mine, *number).is_err());
    let mut new: Vec<(u32, T)> = new.cloned().collect();
    let own = Arc::make_mut(mine);
    for (number, part) in theirs {
        if let Ok(at) = place(own, *number) {
            each(&mut own[at].1, part);
        }
    }
    if !new.is_empty() {
        new.extend_from_slice(mine);
        new.sort_unstable_by_key(|e| e.0);
        *mine = new.into();
    }
}

/// Raises `mine` to the least upper bound of both; shares `theirs` if that covers `mine`.
fn merge_shared<T: ?Sized>(
    mine: &mut Arc<T>,
    theirs: &Arc<T>,
    compare: impl FnOnce(&T, &T, Covers) -> Covers,
    merge: impl FnOnce(&mut Arc<T>, &T),
) {
    if Arc::ptr_eq(mine, theirs) {
        return;
    }
    match compare(mine, theirs, Covers::BOTH) {
        // Equal parts are shared as well: later comparisons of shared parts return at once.
        Covers { second: true, .. } => *mine = Arc::clone(theirs),
        Covers { first: true, .. } => {}
        _ => merge(mine, theirs),
    }
}

/// Returns `Covers::BOTH` for a shared part; otherwise compares with `compare`.
fn compare_shared<T: ?Sized>(
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
        let spilled = if self.parts.spilled() { self.parts.capacity() } else { 0 };
        let mut bytes = spilled * size_of::<Keyed<T>>();
        for (_, part) in &self.parts {
            if !seen.first(part) {
                continue;
            }
            bytes += size_of_val(&**part) + 16;
            for (_, chunk) in part.iter() {
                if seen.first(chunk) {
                    bytes += size_of_val(&**chunk) + 16;
                    bytes += chunk.iter().map(|(_, known)| each(known, seen)).sum::<usize>();
                }
            }
        }
        bytes
    }
}

impl<T: Knowledge> Tree<T> {
    /// Returns the value of a block, to be raised.
    pub(crate) fn get_mut(&mut self, block: u32) -> &mut T {
        self.version.grows();
        let number = block / WIDTH / WIDTH;
        let at = place(&self.parts, number).unwrap_or_else(|at| {
            self.parts.insert(at, (number, Arc::default()));
            at
        });
        let chunk = find_mut(&mut self.parts[at].1, block / WIDTH, Arc::default);
        find_mut(chunk, block, T::default)
    }

    /// Compares two arrays in the directions that `asked` names; the answer for any other direction may be a
    /// false `false`, and so may that for `first` if `other` covers this array.
    pub(crate) fn compare(&self, other: &Self, asked: Covers) -> Covers {
        let (first, second) = (self.version.covers(&other.version), other.version.covers(&self.version));
        if asked.second && second || asked.first && !asked.second && first {
            return Covers { first, second };
        }
        compare(&self.parts, &other.parts, asked, no_part, |a, b, asked| {
            compare_shared(a, b, asked, compare_parts)
        })
    }

    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.compare(other, Covers { first: true, second: false }).first
    }

    /// Raises this array to the least upper bound of both.
    pub(crate) fn join(&mut self, other: &Self, context: &T::Context) {
        self.version.grows();
        for (number, theirs) in &other.parts {
            match place(&self.parts, *number) {
                Err(at) => self.parts.insert(at, (*number, Arc::clone(theirs))),
                Ok(at) => join_parts(&mut self.parts[at].1, theirs, context),
            }
        }
    }
}

fn join_parts<T: Knowledge>(mine: &mut Arc<Part<T>>, theirs: &Arc<Part<T>>, context: &T::Context) {
    merge_shared(mine, theirs, compare_parts, |mine, theirs| {
        merge(mine, theirs, |mine, theirs| {
            merge_shared(mine, theirs, compare_chunks, |mine, theirs| {
                merge(mine, theirs, |mine, theirs| mine.join(theirs, context));
            });
        });
    });
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

    #[test]
    fn versions_of_a_handed_on_clock_are_ordered_by_their_numbers() {
        let grown = |tree: &Tree<BlockClock>, block| {
            let mut tree = tree.clone();
            tree.get_mut(block).raise_all(block + 1);
            tree
        };
        let first = grown(&Tree::default(), 0);
        let (second, beside) = (grown(&first, 1), grown(&first, 2));
        let third = grown(&second, 3);
        let covers = |a: &Tree<BlockClock>, b: &Tree<BlockClock>| a.version.covers(&b.version);
        assert!(covers(&third, &second) && covers(&third, &first) && covers(&second, &second.clone()));
        assert!(!covers(&first, &second) && !covers(&second, &beside) && !covers(&third, &beside));
        let both = second.compare(&third, Covers::BOTH);
        assert_eq!(both, Covers { first: false, second: true });
        // A value that grows where it is leaves its number to its copies.
        let (copy, mut grows) = (second.clone(), second);
        grows.get_mut(9).raise_all(7);
        assert!(covers(&grows, &copy) && !covers(&copy, &grows) && !copy.covers(&grows));
    }
}

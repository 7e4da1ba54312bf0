//! The positions of a fragment's words, and the copies between registers and these positions.
//!
//! In nearly all fragments four lanes hold adjacent words (PTX §9.7.15), which are copied as a vector; a
//! table of each lane's position serves the other fragments.

use super::super::{Map, Words};
use super::MOST;

/// The number of words that are copied together.
const GROUP: usize = 4;
const GROUPS: usize = 32 / GROUP;

/// The positions of a fragment's words.
#[derive(Debug)]
pub(super) struct Places {
    words: usize,
    moves: Vec<Move>,
    /// The number of leading moves whose destinations later moves overwrite: `wmma` fragments may contain
    /// every element twice.
    covered: usize,
}

#[derive(Debug)]
enum Move {
    /// The words of four lanes of a register are adjacent; `to` has the position of the first of each four.
    Fours { register: usize, to: [u16; GROUPS] },
    /// The words of eight lanes, alternating between this register and the next, are adjacent.
    Pairs { register: usize, to: [u16; GROUPS] },
    /// The words of every fourth lane are adjacent; `to` has the positions of lanes 0 to 3.
    Columns { register: usize, to: [u16; GROUP] },
    /// The words of a register lie anywhere; `to` has the position of each lane.
    Each { register: usize, to: [u16; 32] },
}

impl Move {
    /// Returns the first register and the number of registers.
    fn registers(&self) -> (usize, usize) {
        match *self {
            Move::Fours { register, .. } | Move::Columns { register, .. } | Move::Each { register, .. } => {
                (register, 1)
            }
            Move::Pairs { register, .. } => (register, 2),
        }
    }
}

impl Places {
    /// Computes the positions, where `index` maps row and column to an index. Returns `None` if the elements
    /// of a word are not adjacent, or the fragment is too large.
    pub(super) fn new(map: &Map, index: impl Fn(usize, usize) -> Option<usize>) -> Option<Places> {
        let mut registers = Vec::new();
        for register in 0..map.registers() {
            let mut to = [0; 32];
            for (lane, to) in to.iter_mut().enumerate() {
                let (row, column) = map.at(lane, register, 0);
                let first = index(row, column)?;
                for j in 1..map.per_register() {
                    let (row, column) = map.at(lane, register, j);
                    if index(row, column)? != first + j {
                        return None;
                    }
                }
                if !first.is_multiple_of(map.per_register()) || first >= MOST * map.per_register() {
                    return None;
                }
                *to = (first / map.per_register()) as u16;
            }
            registers.push(to);
        }
        let moves = moves(&registers);
        let last = |place: &u16| registers.iter().rposition(|to| to.contains(place));
        let covered = |step: &Move| {
            let (first, count) = step.registers();
            (first..first + count).all(|r| registers[r].iter().all(|to| last(to) >= Some(first + count)))
        };
        let covered = moves.iter().take_while(|step| covered(step)).count();
        Some(Places { words: registers.len() * 32, moves, covered })
    }

    /// Returns the number of words in the registers.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Copies words from registers to their positions. `AVX2` requires that the processor supports AVX2.
    #[inline(always)]
    pub(super) fn gather<const AVX2: bool>(&self, registers: &[&Words], words: &mut [u32; MOST]) {
        for step in &self.moves[self.covered..] {
            match step {
                Move::Fours { register, to } => {
                    for (from, to) in registers[*register].as_chunks::<GROUP>().0.iter().zip(to) {
                        *place(words, *to) = *from;
                    }
                }
                Move::Pairs { register, to } => {
                    let [even, odd] = [0, 1].map(|i| registers[register + i].as_chunks::<GROUP>().0);
                    for ((even, odd), to) in even.iter().zip(odd).zip(to) {
                        let both: [u32; 2 * GROUP] =
                            std::array::from_fn(|i| if i % 2 == 0 { even[i / 2] } else { odd[i / 2] });
                        *place(words, *to) = both;
                    }
                }
                Move::Columns { register, to } => {
                    let columns = columns::<AVX2>(registers[*register]);
                    for (column, to) in columns.iter().zip(to) {
                        *place(words, *to) = *column;
                    }
                }
                Move::Each { register, to } => {
                    for (word, to) in registers[*register].iter().zip(to) {
                        words[usize::from(*to) % MOST] = *word;
                    }
                }
            }
        }
    }

    /// Copies words from their positions to registers.
    #[inline(always)]
    pub(super) fn scatter(&self, words: &[u32; MOST], registers: &mut [Words]) {
        let run = |at: u16| &words[usize::from(at) % MOST..];
        for step in &self.moves {
            match step {
                Move::Fours { register, to } => {
                    for (lanes, at) in registers[*register].as_chunks_mut::<GROUP>().0.iter_mut().zip(to) {
                        lanes.copy_from_slice(&run(*at)[..GROUP]);
                    }
                }
                Move::Pairs { register, to } => {
                    for (group, at) in to.iter().enumerate() {
                        let from = &run(*at)[..2 * GROUP];
                        for odd in 0..2 {
                            let lanes: [u32; GROUP] = std::array::from_fn(|i| from[2 * i + odd]);
                            registers[register + odd][group * GROUP..][..GROUP].copy_from_slice(&lanes);
                        }
                    }
                }
                Move::Columns { register, to } => {
                    for (place, at) in to.iter().enumerate() {
                        for (group, word) in run(*at)[..GROUPS].iter().enumerate() {
                            registers[*register][group * GROUP + place] = *word;
                        }
                    }
                }
                Move::Each { register, to } => {
                    for (word, at) in registers[*register].iter_mut().zip(to) {
                        *word = words[usize::from(*at) % MOST];
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn place<const N: usize>(words: &mut [u32; MOST], at: u16) -> &mut [u32; N] {
    words[usize::from(at) % MOST..].first_chunk_mut().expect("vectors end before the last place")
}

/// Returns the words of every fourth lane, for each of the four offsets.
#[inline(always)]
fn columns<const AVX2: bool>(lanes: &Words) -> [[u32; GROUPS]; GROUP] {
    #[cfg(target_arch = "x86_64")]
    if AVX2 {
        // SAFETY: by the caller's contract, the processor supports AVX2.
        return unsafe { super::vectors::columns(lanes) };
    }
    std::array::from_fn(|place| std::array::from_fn(|group| lanes[group * GROUP + place]))
}

/// Returns the moves that copy the words of all registers to their positions.
fn moves(registers: &[[u16; 32]]) -> Vec<Move> {
    let neighbours = |to: &[u16]| to.windows(2).all(|to| to[1] == to[0] + 1);
    let firsts = |to: &[u16; 32]| std::array::from_fn(|group| to[group * GROUP]);
    let mut moves = Vec::new();
    let mut register = 0;
    while register < registers.len() {
        let to = &registers[register];
        let column =
            |place: usize| -> [u16; GROUPS] { std::array::from_fn(|group| to[group * GROUP + place]) };
        let pairs = registers.get(register + 1).is_some_and(|next| {
            let mut all = to.iter().zip(next).collect::<Vec<_>>();
            all.as_chunks_mut::<GROUP>().0.iter().all(|four| {
                neighbours(&four.iter().flat_map(|(even, odd)| [**even, **odd]).collect::<Vec<_>>())
            })
        });
        if to.chunks(GROUP).all(neighbours) {
            moves.push(Move::Fours { register, to: firsts(to) });
        } else if pairs {
            moves.push(Move::Pairs { register, to: firsts(to) });
            register += 1;
        } else if (0..GROUP).all(|place| neighbours(&column(place))) {
            moves.push(Move::Columns { register, to: std::array::from_fn(|place| to[place]) });
        } else {
            moves.push(Move::Each { register, to: *to });
        }
        register += 1;
    }
    moves
}

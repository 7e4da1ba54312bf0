//! One trace, several monitors, each on a thread of its own.
//!
//! Chunks stand alone, so they can be decoded in any order and at the same time. Every chunk is decoded
//! once, by whichever thread has nothing to tell its monitor yet, and played by all.

use crate::Error;
use crate::batch::Batch;
use crate::decode::Cursor;
use crate::order::{Orderer, Progress, Waits};
use crate::play::{Chunk, Reader};
use crate::player::{Deal, Played, Player};
use events::Monitor;
use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// A chunk's records up to its damage, if it has some: nothing after that is played.
struct Decoded {
    batch: Batch,
    /// Once all chunks before it have theirs.
    waits: OnceLock<Waits>,
    damage: Mutex<Option<Error>>,
    last: bool,
}

/// Chunks from the first that somebody has still to play on.
struct Window<R> {
    reader: Reader<R>,
    /// The number of the first.
    first: usize,
    /// Nothing while one is being decoded.
    chunks: VecDeque<Option<Arc<Decoded>>>,
    /// The number of chunks, once it is known.
    end: Option<usize>,
    /// What each player plays next; a number beyond all chunks if it is gone.
    next: Vec<usize>,
    /// Batches that have been played by all, for their memory.
    spare: Vec<Batch>,
    /// Chunks from the start that have their waits, and who makes those of the next one if nobody does now.
    ordered: usize,
    orderer: Option<Orderer>,
}

struct Shared<R> {
    window: Mutex<Window<R>>,
    changed: Condvar,
    /// Chunks in the window: what a fast player may be ahead of a slow one.
    most: usize,
    /// To how many players each chunk's records are dealt, and how far they are.
    dealt: usize,
    progress: Option<Arc<Progress>>,
}

/// One player's hold on the chunks; lets go of them when it is dropped, whatever the reason.
struct Seat<'s, R: Read> {
    shared: &'s Shared<R>,
    player: usize,
}

/// As [`play`](fn@crate::play), to `first` on this thread and to each of `others` on one more. What is
/// returned is what `first` heard.
pub fn play_together<A: Monitor, B: Monitor>(
    input: impl Read + Send,
    first: &A,
    others: &[B],
    deal: Deal,
) -> (Played, Result<(), Error>) {
    let reader = match Reader::new(input) {
        Ok(reader) => reader,
        Err(error) => return (Played::default(), Err(error)),
    };
    let engine = reader.engine();
    let players = others.len() + 1;
    let window = Window {
        reader,
        first: 0,
        chunks: VecDeque::new(),
        end: None,
        next: vec![0; players],
        spare: Vec::new(),
        ordered: 0,
        orderer: (deal == Deal::Blocks).then(|| Orderer::new(players)),
    };
    let (dealt, progress) = match deal {
        Deal::Blocks => (players, Some(Arc::new(Progress::new(players)))),
        Deal::Everything => (0, None),
    };
    let most = 2 * players + 2;
    let shared = Shared { window: Mutex::new(window), changed: Condvar::new(), most, dealt, progress };
    let progress = shared.progress.as_ref();
    std::thread::scope(|scope| {
        for (seat, other) in (1..players).map(|n| shared.seat(n)).zip(others) {
            scope.spawn(move || seat.play(&mut Player::one_of(other, seat.player, progress)));
        }
        let mut player = Player::one_of(first, 0, progress);
        player.speaks(engine);
        let result = shared.seat(0).play(&mut player);
        (player.played(), result)
    })
}

impl<R: Read> Shared<R> {
    fn seat(&self, player: usize) -> Seat<'_, R> {
        Seat { shared: self, player }
    }

    // A thread that panics while it holds the lock leaves at worst a chunk that is never decoded, and the
    // panic is passed on to all.
    fn lock(&self) -> MutexGuard<'_, Window<R>> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Chunk number `at`; meanwhile it decodes what others will need.
    fn get(&self, at: usize) -> Option<Arc<Decoded>> {
        let mut window = self.lock();
        loop {
            if window.end.is_some_and(|end| at >= end) {
                return None;
            }
            if let Some(Some(chunk)) = window.chunks.get(at - window.first)
                && chunk.waits.get().is_some()
            {
                return Some(Arc::clone(chunk));
            }
            window = if let Some((chunk, orderer)) = window.next_to_order() {
                self.order(window, &chunk, orderer)
            } else if window.end.is_none() && window.chunks.len() < self.most {
                self.decode_next(window)
            } else {
                self.changed.wait(window).unwrap_or_else(PoisonError::into_inner)
            };
        }
    }

    fn decode_next<'w>(&'w self, mut window: MutexGuard<'w, Window<R>>) -> MutexGuard<'w, Window<R>> {
        let number = window.first + window.chunks.len();
        let (decoded, mut window) = match window.reader.next_chunk() {
            Ok(Some(chunk)) => {
                window.chunks.push_back(None);
                let batch = window.spare.pop().unwrap_or_else(|| Batch::for_players(self.dealt));
                drop(window);
                (decode(&chunk, batch, self.waits()), self.lock())
            }
            Ok(None) => {
                window.end = Some(number);
                self.changed.notify_all();
                return window;
            }
            Err(error) => {
                window.end = Some(number + 1);
                window.chunks.push_back(None);
                let damage = Mutex::new(Some(error));
                let batch = Batch::for_players(self.dealt);
                (Decoded { batch, waits: self.waits(), damage, last: true }, window)
            }
        };
        // The window does not move past a chunk that nobody has played.
        let place = number - window.first;
        window.chunks[place] = Some(Arc::new(decoded));
        self.changed.notify_all();
        window
    }

    /// What a chunk begins with: nobody waits where all hear everything.
    fn waits(&self) -> OnceLock<Waits> {
        if self.dealt == 0 { OnceLock::from(Waits::default()) } else { OnceLock::new() }
    }

    fn order<'w>(
        &'w self,
        window: MutexGuard<'w, Window<R>>,
        chunk: &Decoded,
        mut orderer: Orderer,
    ) -> MutexGuard<'w, Window<R>> {
        drop(window);
        let waits = orderer.order(&chunk.batch);
        let mut window = self.lock();
        let _ = chunk.waits.set(waits);
        window.ordered += 1;
        window.orderer = Some(orderer);
        self.changed.notify_all();
        window
    }

    /// The player will play `next`, and nothing before it.
    fn advance(&self, player: usize, next: usize) {
        let mut window = self.lock();
        window.next[player] = next;
        let slowest = window.next.iter().copied().min().unwrap_or(next);
        while window.first < slowest
            && let Some(played) = window.chunks.pop_front()
        {
            window.first += 1;
            if let Some(mut played) = played.and_then(Arc::into_inner) {
                played.batch.clear();
                window.spare.push(played.batch);
            }
            self.changed.notify_all();
        }
    }
}

impl<R> Window<R> {
    /// The next chunk without waits, if it is decoded and nobody is at it.
    fn next_to_order(&mut self) -> Option<(Arc<Decoded>, Orderer)> {
        self.orderer.as_ref()?;
        let chunk = self.chunks.get(self.ordered.checked_sub(self.first)?)?.as_ref().map(Arc::clone)?;
        Some((chunk, self.orderer.take()?))
    }
}

fn decode(chunk: &Chunk, mut batch: Batch, waits: OnceLock<Waits>) -> Decoded {
    let filled = chunk.open().and_then(|raw| {
        let filled = Cursor::new(&raw).fill(&mut batch, usize::MAX);
        filled.map_err(|malformed| chunk.malformed(&malformed))
    });
    let damage = filled.err();
    Decoded { batch, waits, last: damage.is_some(), damage: Mutex::new(damage) }
}

impl<R: Read> Seat<'_, R> {
    fn play<M: Monitor>(&self, player: &mut Player<'_, M>) -> Result<(), Error> {
        for number in 0.. {
            let Some(chunk) = self.shared.get(number) else { break };
            let Some(waits) = chunk.waits.get() else { break };
            player.play(&chunk.batch, waits);
            if chunk.last {
                let damage = (self.player == 0)
                    .then(|| chunk.damage.lock().unwrap_or_else(PoisonError::into_inner).take());
                return damage.flatten().map_or(Ok(()), Err);
            }
            drop(chunk);
            self.shared.advance(self.player, number + 1);
        }
        Ok(())
    }
}

impl<R: Read> Drop for Seat<'_, R> {
    fn drop(&mut self) {
        if let Some(progress) = &self.shared.progress {
            progress.gone(self.player);
        }
        self.shared.advance(self.player, usize::MAX);
    }
}

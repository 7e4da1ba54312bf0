//! One trace, several monitors, each on a thread of its own.
//!
//! Chunks stand alone, so they can be decoded in any order and at the same time. Every chunk is decoded
//! once, by whichever thread has nothing to tell its monitor yet, and played by all.

use crate::Error;
use crate::batch::Batch;
use crate::decode::Cursor;
use crate::order::{Orderer, Progress, Waits};
use crate::play::{Chunk, Reader, alone};
use crate::player::{Deal, Heard, Player};
use events::Monitor;
use std::collections::VecDeque;
use std::io::Read;
use std::panic::resume_unwind;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// Monitors of any kind, beside each other: every [`Monitor`] is one.
pub trait Audience: Sync {
    /// Hears the trace with others.
    #[doc(hidden)]
    fn listen(&self, seat: Seat<'_, '_>) -> Heard;

    /// Hears it by itself.
    #[doc(hidden)]
    fn alone(&self, input: &mut dyn Read) -> (Heard, Result<(), Error>);
}

impl<M: Monitor> Audience for M {
    fn listen(&self, seat: Seat<'_, '_>) -> Heard {
        seat.listen(self)
    }

    fn alone(&self, input: &mut dyn Read) -> (Heard, Result<(), Error>) {
        alone(input, self)
    }
}

/// A chunk's records, up to its damage if it has some.
struct Decoded {
    batch: Batch,
    /// Once all chunks before it have theirs.
    waits: OnceLock<Waits>,
}

/// Chunks from the first one that a player has still to play on.
struct Window<'r> {
    reader: Reader<Box<dyn Read + Send + 'r>>,
    /// The number of the first.
    first: usize,
    /// Nothing while one is being decoded.
    chunks: VecDeque<Option<Arc<Decoded>>>,
    /// The number of chunks, once it is known.
    end: Option<usize>,
    /// The error that ends it, if the end of the file does not.
    damage: Option<Error>,
    /// The next chunk of each player; a number beyond all chunks if the player is gone.
    next: Vec<usize>,
    /// Batches that have been played by all, for their memory.
    spare: Vec<Batch>,
    /// The number of chunks from the start that have their waits, and the orderer of the next one, if it is
    /// not at work.
    ordered: usize,
    orderer: Option<Orderer>,
}

struct Shared<'r> {
    window: Mutex<Window<'r>>,
    changed: Condvar,
    /// Chunks in the window: what a fast player may be ahead of a slow one.
    most: usize,
    /// To how many players each chunk's records are dealt, and how far they are.
    dealt: usize,
    progress: Option<Arc<Progress>>,
}

/// One player's hold on the chunks; lets go of them when it is dropped, whatever the reason.
pub struct Seat<'s, 'r> {
    shared: &'s Shared<'r>,
    player: usize,
}

/// As [`play`](fn@crate::play), to the first of `audience` on this thread and to each of the others on one more.
/// Tells what each has heard, in the same order.
///
/// # Panics
///
/// If a monitor does.
pub fn play_together<'r>(
    mut input: impl Read + Send + 'r,
    audience: &[&dyn Audience],
    deal: Deal,
) -> (Vec<Heard>, Result<(), Error>) {
    if let [member] = audience {
        let (heard, result) = member.alone(&mut input);
        return (vec![heard], result);
    }
    let players = audience.len();
    let reader = match Reader::new(Box::new(input) as Box<dyn Read + Send + 'r>) {
        Ok(reader) => reader,
        Err(error) => return ((0..players).map(|_| Heard::default()).collect(), Err(error)),
    };
    let (dealt, progress) = match deal {
        Deal::Blocks => (players, Some(Arc::new(Progress::new(players)))),
        Deal::Everything => (0, None),
    };
    let window = Window {
        reader,
        first: 0,
        chunks: VecDeque::new(),
        end: None,
        damage: None,
        next: vec![0; players],
        spare: Vec::new(),
        ordered: 0,
        orderer: (deal == Deal::Blocks).then(|| Orderer::new(players)),
    };
    let most = 2 * players + 2;
    let shared = Shared { window: Mutex::new(window), changed: Condvar::new(), most, dealt, progress };
    let heard = std::thread::scope(|scope| {
        let mut seated = audience.iter().enumerate().map(|(player, member)| {
            let seat = Seat { shared: &shared, player };
            move || member.listen(seat)
        });
        let first = seated.next();
        let others: Vec<_> = seated.map(|listen| scope.spawn(listen)).collect();
        let first = first.map(|listen| listen());
        let others =
            others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        first.into_iter().chain(others).collect()
    });
    let damage = shared.lock().damage.take();
    (heard, damage.map_or(Ok(()), Err))
}

impl<'r> Shared<'r> {
    // A thread that panics while it holds the lock leaves at worst a chunk that is never decoded, and the
    // panic is passed on to all.
    fn lock(&self) -> MutexGuard<'_, Window<'r>> {
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

    fn decode_next<'w>(&'w self, mut window: MutexGuard<'w, Window<'r>>) -> MutexGuard<'w, Window<'r>> {
        let number = window.first + window.chunks.len();
        let (decoded, mut window) = match window.reader.next_chunk() {
            Ok(Some(chunk)) => {
                window.chunks.push_back(None);
                let batch = window.spare.pop().unwrap_or_else(|| Batch::for_players(self.dealt));
                drop(window);
                let (batch, damage) = decode(&chunk, batch);
                let mut window = self.lock();
                if let Err(error) = damage {
                    window.ends(number + 1, Some(error));
                }
                (Decoded { batch, waits: self.waits() }, window)
            }
            ended => {
                window.ends(number, ended.err());
                self.changed.notify_all();
                return window;
            }
        };
        // The window does not move past a chunk that is still to be played.
        let place = number - window.first;
        window.chunks[place] = Some(Arc::new(decoded));
        self.changed.notify_all();
        window
    }

    /// Returns a chunk's first waits: players do not wait where all receive everything.
    fn waits(&self) -> OnceLock<Waits> {
        if self.dealt == 0 { OnceLock::from(Waits::default()) } else { OnceLock::new() }
    }

    fn order<'w>(
        &'w self,
        window: MutexGuard<'w, Window<'r>>,
        chunk: &Decoded,
        mut orderer: Orderer,
    ) -> MutexGuard<'w, Window<'r>> {
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

impl Window<'_> {
    /// Ends the trace before chunk `end`. Later chunks may be decoded, or the file's end be known, before the
    /// damage of an earlier one is.
    fn ends(&mut self, end: usize, damage: Option<Error>) {
        if self.end.is_none_or(|known| end <= known) {
            self.end = Some(end);
            self.damage = damage;
        }
    }

    /// Returns the next chunk without waits, if it is decoded and the orderer is free.
    fn next_to_order(&mut self) -> Option<(Arc<Decoded>, Orderer)> {
        self.orderer.as_ref()?;
        let chunk = self.chunks.get(self.ordered.checked_sub(self.first)?)?.as_ref().map(Arc::clone)?;
        Some((chunk, self.orderer.take()?))
    }
}

/// Its records up to their damage.
fn decode(chunk: &Chunk, mut batch: Batch) -> (Batch, Result<(), Error>) {
    let filled = chunk.open().and_then(|raw| {
        let filled = Cursor::new(&raw).fill(&mut batch, usize::MAX);
        filled.map_err(|malformed| chunk.malformed(&malformed))
    });
    (batch, filled)
}

impl Seat<'_, '_> {
    fn listen<M: Monitor>(self, monitor: &M) -> Heard {
        let mut player = Player::one_of(monitor, self.player, self.shared.progress.as_ref());
        player.speaks(self.shared.lock().reader.engine());
        for number in 0.. {
            let Some(chunk) = self.shared.get(number) else { break };
            let Some(waits) = chunk.waits.get() else { break };
            player.play(&chunk.batch, waits);
            drop(chunk);
            self.shared.advance(self.player, number + 1);
        }
        player.heard()
    }
}

impl Drop for Seat<'_, '_> {
    fn drop(&mut self) {
        if let Some(progress) = &self.shared.progress {
            progress.gone(self.player);
        }
        self.shared.advance(self.player, usize::MAX);
    }
}

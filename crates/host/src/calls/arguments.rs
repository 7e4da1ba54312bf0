//! Which memory a call is given, and what it has done with it.
//!
//! **Size:** a method for each kind of argument of one plan.

use super::masks::{self, Mask};
use super::table::{Call, Done, Length, Pointer, Served, Use};
use super::{Access, Memory, may_hold, peek, poke};
use crate::frames::Frames;

/// Strings and arrays of strings are no longer.
const LONGEST: u64 = 4096;
const MOST_TEXTS: usize = 1 << 16;
/// The kernel takes no more parts of a vector.
const MOST_PARTS: u64 = 1024;

/// A call that is made with other arguments than the program's.
pub struct Plan {
    pub(super) call: &'static Call,
    /// Behind the program's instruction.
    pub(super) place: u64,
    pub(super) stack: u64,
    /// The program's arguments, and those that the kernel gets.
    pub(super) own: [u64; 6],
    pub(super) given: [u64; 6],
    /// It is given memory that may be watched.
    pub(super) touches: bool,
    /// Memory is not as long as the call may need, so that no other view can be given.
    pub(super) beyond: bool,
    /// Its accesses are not known.
    pub(super) opaque: bool,
    pub(super) from: Frames,
    pub(super) again: bool,
    planned: Vec<Planned>,
    buffers: Vec<Box<[u64]>>,
    back: Vec<Back>,
    /// The program's pointer to a mask that the call returns, and what it believes to be blocked.
    pub(super) believed: Option<(u64, u64)>,
}

#[derive(Clone, Copy)]
struct Planned {
    address: u64,
    bytes: u64,
    writes: bool,
    extent: Extent,
}

/// How much of a buffer was accessed.
#[derive(Clone, Copy)]
enum Extent {
    All,
    /// A part of a stream of returned bytes, which begins behind so many, in units, and with so many bytes more.
    Stream {
        behind: u64,
        unit: u64,
        plus: u64,
    },
    /// As the 32-bit word there says, which is accessible.
    Behind(u64),
    Found,
    Interrupted,
    /// Parts of a message with that number, whose length is the word there; its parts are a stream.
    Sent {
        number: u64,
        length: u64,
        behind: u64,
    },
}

/// Bytes of a copy that are the program's when the call has returned.
struct Back {
    from: u64,
    to: u64,
    bytes: usize,
}

impl Plan {
    /// A call without memory.
    pub(super) fn new(call: &'static Call, place: u64, stack: u64, own: [u64; 6]) -> Plan {
        Plan {
            call,
            place,
            stack,
            own,
            given: own,
            touches: false,
            beyond: false,
            opaque: false,
            from: Frames::only(place),
            again: false,
            planned: Vec::new(),
            buffers: Vec::new(),
            back: Vec::new(),
            believed: None,
        }
    }

    /// Looks at what the arguments point to.
    pub(super) fn look<M: Memory>(&mut self) {
        match self.call.served {
            _ if self.call.number == libc::SYS_futex => self.futex::<M>(),
            Served::Checked(pointers) => self.pointers::<M>(pointers),
            Served::Masked(pointers, mask) => {
                self.pointers::<M>(pointers);
                self.mask::<M>(mask);
            }
            Served::Keeps(kept, pointers) => {
                for &arg in kept {
                    let address = self.own[usize::from(arg)];
                    if M::view(address).is_some() {
                        M::keeps(self.call.name, address);
                    }
                }
                self.pointers::<M>(pointers);
            }
            Served::Opaque => self.opaque::<M>(),
            Served::Rings | Served::Control => {}
        }
    }

    /// A futex in watched memory is found by its page: of another view it is the same one, but not a private one of another address.
    fn futex<M: Memory>(&mut self) {
        const WORD: Length = Length::Fixed(4);
        const WAIT: [Pointer; 2] = [
            Pointer::Buffer { arg: 0, how: Use::In, length: WORD, done: Done::All },
            Pointer::Buffer { arg: 3, how: Use::In, length: Length::Fixed(16), done: Done::All },
        ];
        match self.own[1] as i32 & 0x7f {
            libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => self.pointers::<M>(&WAIT),
            libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET => {
                self.buffer::<M>(0, 4);
            }
            _ => self.opaque::<M>(),
        }
    }

    fn opaque<M: Memory>(&mut self) {
        self.opaque = true;
        // Registers behind a call's own arguments hold what the program left there.
        for arg in 0..arguments_of(self.call.number) {
            self.buffer::<M>(arg, 1);
        }
    }

    fn pointers<M: Memory>(&mut self, pointers: &[Pointer]) {
        for &pointer in pointers {
            self.pointer::<M>(pointer);
        }
    }

    fn pointer<M: Memory>(&mut self, pointer: Pointer) {
        match pointer {
            Pointer::Buffer { arg, how, length, done } => {
                let Some(bytes) = self.length::<M>(length) else { return };
                let address = self.own[usize::from(arg)];
                if !self.buffer::<M>(arg, bytes) {
                    return;
                }
                let extent = match done {
                    Done::All => Extent::All,
                    Done::Returned(unit, plus) => Extent::Stream { behind: 0, unit, plus },
                    Done::Behind(length) => Extent::Behind(self.own[usize::from(length)]),
                    Done::Found => Extent::Found,
                    Done::Interrupted => Extent::Interrupted,
                };
                self.plan(address, bytes, how, extent);
            }
            Pointer::Text(arg) => {
                if let Some((view, bytes)) = self.text::<M>(self.own[usize::from(arg)]) {
                    self.given[usize::from(arg)] = view;
                    self.plan(self.own[usize::from(arg)], bytes, Use::In, Extent::All);
                }
            }
            Pointer::Texts(arg) => self.texts::<M>(arg),
            Pointer::Vector { arg, count, how } => {
                let (at, parts) = (self.own[usize::from(arg)], self.own[usize::from(count)]);
                if let Some(copy) =
                    self.vector::<M>(at, parts, how, |behind| Extent::Stream { behind, unit: 1, plus: 0 })
                {
                    self.given[usize::from(arg)] = copy;
                }
            }
            Pointer::Remote { arg, count, how } => {
                if self.own[0] as i32 == super::process() {
                    self.pointer::<M>(Pointer::Vector { arg, count, how });
                }
            }
            Pointer::Message { arg, how } => {
                let at = self.own[usize::from(arg)];
                let mut words = [0; 7];
                if at == 0 || !self.structure::<M>(at, &mut words) {
                    return;
                }
                let parts = |behind| Extent::Stream { behind, unit: 1, plus: 0 };
                if let Some(copy) = self.message::<M>(at, words, how, parts, 56, 0) {
                    self.given[usize::from(arg)] = copy;
                }
            }
            Pointer::Messages { arg, count, how } => self.messages::<M>(arg, count, how),
            Pointer::Place(arg) => {
                if M::view(self.own[usize::from(arg)]).is_some() {
                    M::unchecked(self.call.name);
                }
            }
            Pointer::Blocks { arg, count } => {
                let count = self.own[usize::from(count)].min(MOST_PARTS);
                for number in 0..count {
                    let mut block = [0; 1];
                    let at = self.own[usize::from(arg)].wrapping_add(number * 8);
                    let mut words = [0; 8];
                    if self.structure::<M>(at, &mut block) && self.structure::<M>(block[0], &mut words) {
                        self.beyond |= [at, block[0], words[3]].into_iter().any(|at| M::view(at).is_some());
                    }
                }
            }
        }
    }

    fn plan(&mut self, address: u64, bytes: u64, how: Use, extent: Extent) {
        for (wanted, writes) in [(how != Use::Out, false), (how != Use::In, true)] {
            if wanted {
                self.planned.push(Planned { address, bytes, writes, extent });
            }
        }
    }

    /// Has the kernel use the second view of an argument; false if it is not of memory that may be watched.
    fn buffer<M: Memory>(&mut self, arg: u8, bytes: u64) -> bool {
        match self.view::<M>(self.own[usize::from(arg)], bytes) {
            Some(view) => {
                self.given[usize::from(arg)] = view;
                true
            }
            None => false,
        }
    }

    /// The second view of a buffer that lies in memory that may be watched.
    fn view<M: Memory>(&mut self, address: u64, bytes: u64) -> Option<u64> {
        if bytes == 0 || !may_hold(address) {
            return None;
        }
        let (view, room) = M::view(address)?;
        self.touches = true;
        if bytes > room {
            self.beyond = true;
            return None;
        }
        Some(view)
    }

    fn text<M: Memory>(&mut self, address: u64) -> Option<(u64, u64)> {
        let view = self.view::<M>(address, 1)?;
        let (_, room) = M::view(address)?;
        let most = room.min(LONGEST);
        // SAFETY: the second view of so many bytes is readable.
        let length = (0..most).find(|at| unsafe { ((view + at) as *const u8).read_volatile() } == 0);
        self.beyond |= length.is_none() && room < LONGEST;
        Some((view, length.map_or(most, |length| length + 1)))
    }

    /// Reads the program's structure, wherever it is.
    fn structure<M: Memory>(&mut self, address: u64, words: &mut [u64]) -> bool {
        let bytes = words.len() * 8;
        let from = match may_hold(address).then(|| M::view(address)).flatten() {
            Some((view, room)) if room >= bytes as u64 => view,
            _ => address,
        };
        // SAFETY: words are bytes, too.
        let out = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), bytes) };
        peek(from, out)
    }

    /// A copy that the kernel is given in the program's place.
    fn copy(&mut self, words: Vec<u64>) -> u64 {
        self.buffers.push(words.into_boxed_slice());
        self.buffers.last().map_or(0, |copy| copy.as_ptr() as u64)
    }

    fn texts<M: Memory>(&mut self, arg: u8) {
        let begin = self.own[usize::from(arg)];
        if begin == 0 {
            return;
        }
        let (mut words, before) = (Vec::new(), self.planned.len());
        let array = may_hold(begin) && M::view(begin).is_some();
        while words.len() < MOST_TEXTS {
            let mut word = [0; 1];
            let at = begin.wrapping_add(words.len() as u64 * 8);
            if !self.structure::<M>(at, &mut word) {
                return;
            }
            if word[0] == 0 {
                break;
            }
            words.push(match self.text::<M>(word[0]) {
                Some((view, bytes)) => {
                    self.plan(word[0], bytes, Use::In, Extent::All);
                    view
                }
                None => word[0],
            });
        }
        words.push(0);
        if array {
            self.touches = true;
            self.plan(begin, words.len() as u64 * 8, Use::In, Extent::All);
        }
        if array || self.planned.len() > before {
            self.given[usize::from(arg)] = self.copy(words);
        }
    }

    /// A copy of a vector with the second views of its parts, if any of it is in memory that may be watched.
    fn vector<M: Memory>(
        &mut self,
        at: u64,
        parts: u64,
        how: Use,
        extent: impl Fn(u64) -> Extent,
    ) -> Option<u64> {
        if parts == 0 || parts > MOST_PARTS {
            return None;
        }
        let mut words = vec![0; parts as usize * 2];
        if !self.structure::<M>(at, &mut words) {
            return None;
        }
        let mut found = false;
        if self.view::<M>(at, parts * 16).is_some() {
            found = true;
            self.plan(at, parts * 16, Use::In, Extent::All);
        }
        let mut behind = 0u64;
        for part in words.chunks_exact_mut(2) {
            let (address, bytes) = (part[0], part[1]);
            if let Some(view) = self.view::<M>(address, bytes) {
                found = true;
                part[0] = view;
                self.plan(address, bytes, how, extent(behind));
            }
            behind = behind.saturating_add(bytes);
        }
        found.then(|| self.copy(words))
    }

    /// The same of a message: `words` are its `struct msghdr`, of `bytes` with what is behind it, as the message of that number.
    fn message<M: Memory>(
        &mut self,
        at: u64,
        mut words: [u64; 7],
        how: Use,
        parts: impl Fn(u64) -> Extent,
        bytes: u64,
        number: u64,
    ) -> Option<u64> {
        let own = words;
        let mut found = false;
        if self.view::<M>(at, bytes).is_some() {
            found = true;
            self.plan(at, bytes, if how == Use::Out { Use::Both } else { Use::In }, Extent::All);
        }
        let views = [(0, own[1] & 0xffff_ffff), (4, own[5])].map(|(word, length)| {
            let view = self.view::<M>(own[word], length);
            (word, length, view)
        });
        if let Some(copy) = self.vector::<M>(own[2], own[3], how, parts) {
            found = true;
            words[2] = copy;
        }
        for (word, _, view) in views {
            if let Some(view) = view {
                found = true;
                words[word] = view;
            }
        }
        if !found {
            return None;
        }
        let copy = self.copy(words.iter().copied().chain([0]).collect());
        for (word, length, view) in views {
            if view.is_some() {
                let extent = match how {
                    Use::Out if number == 0 => Extent::Behind(copy + word as u64 * 8 + 8),
                    _ => Extent::All,
                };
                self.plan(own[word], length, how, extent);
            }
        }
        if how == Use::Out {
            self.bring_back(copy, at);
        }
        Some(copy)
    }

    /// The lengths and flags of a message are the program's when the call has returned.
    fn bring_back(&mut self, copy: u64, at: u64) {
        for (offset, bytes) in [(8, 4), (40, 8), (48, 4)] {
            self.back.push(Back { from: copy + offset, to: at.wrapping_add(offset), bytes });
        }
    }

    /// An array of messages. Each is 64 bytes: the message, and how long it was.
    fn messages<M: Memory>(&mut self, arg: u8, count: u8, how: Use) {
        let begin = self.own[usize::from(arg)];
        let count = (self.own[usize::from(count)] & 0xffff_ffff).min(MOST_PARTS);
        if begin == 0 || count == 0 {
            return;
        }
        let mut all = vec![0; count as usize * 8];
        if !self.structure::<M>(begin, &mut all) {
            return;
        }
        // The copies' place is known before what points into it.
        let copy = self.copy(all);
        let index = self.buffers.len() - 1;
        let (mut found, back) = (false, self.back.len());
        for number in 0..count {
            let at = number as usize * 8;
            let mut words = [0; 7];
            words.copy_from_slice(&self.buffers[index][at..at + 7]);
            let length = copy + number * 64 + 56;
            let parts = |behind| Extent::Sent { number, length, behind };
            let from = begin.wrapping_add(number * 64);
            if let Some(message) = self.message::<M>(from, words, how, parts, 64, number) {
                found = true;
                let new = self.buffers.iter().find(|buffer| buffer.as_ptr() as u64 == message);
                words.copy_from_slice(&new.map_or(&[0; 8][..], |new| new)[..7]);
                self.buffers[index][at..at + 7].copy_from_slice(&words);
            }
        }
        self.back.truncate(back);
        if found {
            self.given[usize::from(arg)] = copy;
            for number in 0..count {
                let (copy, at) = (copy + number * 64, begin.wrapping_add(number * 64));
                if how == Use::Out {
                    self.bring_back(copy, at);
                }
                self.back.push(Back { from: copy + 56, to: at.wrapping_add(56), bytes: 4 });
            }
        }
    }

    fn length<M: Memory>(&self, length: Length) -> Option<u64> {
        let arg = |arg: u8| self.own[usize::from(arg)];
        Some(match length {
            Length::Fixed(bytes) => bytes,
            Length::Arg(n) => arg(n),
            Length::Times(n, size) => (arg(n) & 0xffff_ffff).saturating_mul(size),
            Length::Plus(n, size) => arg(n).saturating_add(size),
            Length::Bits(n) => (arg(n) & 0xffff_ffff).div_ceil(64) * 8,
            Length::Pages(n) => arg(n).div_ceil(4096),
            Length::Behind(n) => {
                let mut word = [0; 4];
                if arg(n) == 0 || !peek(accessible::<M>(arg(n)), &mut word) {
                    return None;
                }
                u64::from(u32::from_ne_bytes(word))
            }
        })
    }

    /// Gives the call a mask without the signals that must stay unblocked.
    fn mask<M: Memory>(&mut self, mask: Mask) {
        let (arg, at) = match mask {
            Mask::Direct(arg) => (arg, self.own[usize::from(arg)]),
            Mask::Behind(arg) => {
                let mut pair = [0; 2];
                let at = self.own[usize::from(arg)];
                if at == 0 || !self.structure::<M>(at, &mut pair) {
                    return;
                }
                (arg, pair[0])
            }
        };
        let mut word = [0; 1];
        if at == 0 || !self.structure::<M>(at, &mut word) {
            return;
        }
        if may_hold(at) && M::view(at).is_some() {
            self.touches = true;
            self.plan(at, 8, Use::In, Extent::All);
        } else if word[0] & masks::OURS == 0 {
            return;
        }
        let copy = self.copy(vec![word[0] & !masks::OURS]);
        self.given[usize::from(arg)] = match mask {
            Mask::Direct(_) => copy,
            Mask::Behind(_) => self.copy(vec![copy, 8]),
        };
    }

    /// Has the kernel read that in place of what an argument points to.
    pub(super) fn replace(&mut self, arg: usize, words: Vec<u64>) {
        self.given[arg] = self.copy(words);
    }

    /// Returns whether the kernel gets other arguments than the program gave.
    pub(super) fn differs(&self) -> bool {
        self.given != self.own
    }

    /// The call has returned: what is the program's goes there, and what it accessed is the answer.
    pub(super) fn returned<M: Memory>(&self, result: i64) -> Vec<Access> {
        for back in &self.back {
            // SAFETY: inside one of the copies.
            let bytes = unsafe { std::slice::from_raw_parts(back.from as *const u8, back.bytes) };
            if result >= 0 {
                poke(accessible::<M>(back.to), bytes);
            }
        }
        let mut out: Vec<Access> = Vec::new();
        for planned in &self.planned {
            let bytes = extent::<M>(planned, result).min(planned.bytes);
            let access = Access { address: planned.address, bytes, writes: planned.writes };
            if bytes > 0 && !out.contains(&access) {
                out.push(access);
            }
        }
        // A write conflicts with all that a read does: it is the one to be told of.
        out.sort_by_key(|access| !access.writes);
        out
    }
}

/// How many bytes of a buffer were accessed by a call with that result.
fn extent<M: Memory>(planned: &Planned, result: i64) -> u64 {
    let error = |all: &[i32]| all.iter().any(|&error| result == -i64::from(error));
    let word = |at: u64| {
        let mut word = [0; 4];
        match peek(accessible::<M>(at), &mut word) {
            true => u64::from(u32::from_ne_bytes(word)),
            false => 0,
        }
    };
    match planned.extent {
        Extent::Interrupted if error(&[libc::EINTR]) => planned.bytes,
        Extent::Interrupted => 0,
        // Most errors of a call come after it has read its inputs; it has then written no output.
        Extent::All if result < 0 => {
            match planned.writes || error(&[libc::EFAULT, libc::ENOSYS, libc::EBADF]) {
                true => 0,
                false => planned.bytes,
            }
        }
        _ if result < 0 => 0,
        Extent::All => planned.bytes,
        Extent::Found if result > 0 => planned.bytes,
        Extent::Found => 0,
        Extent::Stream { behind, unit, plus } => {
            (result as u64).saturating_mul(unit).saturating_add(plus).saturating_sub(behind)
        }
        Extent::Behind(at) => word(at),
        Extent::Sent { number, .. } if number >= result as u64 => 0,
        Extent::Sent { length, behind, .. } => word(length).saturating_sub(behind),
    }
}

/// Returns the address at which the handler may read a word of the program.
fn accessible<M: Memory>(address: u64) -> u64 {
    match may_hold(address).then(|| M::view(address)).flatten() {
        Some((view, _)) => view,
        None => address,
    }
}

/// Returns how many arguments a call takes whose buffers are not known; all six registers count for the rest.
fn arguments_of(number: i64) -> u8 {
    match number {
        libc::SYS_ioctl | libc::SYS_fcntl | libc::SYS_shmctl | libc::SYS_msgctl => 3,
        libc::SYS_semctl | libc::SYS_ptrace => 4,
        libc::SYS_prctl => 5,
        _ => 6,
    }
}

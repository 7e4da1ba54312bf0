//! The shadow word: all that is kept of a datum.

use super::states::State;

/// One 64-bit word for each datum.
///
/// | bits  | field |
/// |-------|-------|
/// | 63–54 | thread in its block |
/// | 53–39 | block |
/// | 38–34 | state |
/// | 33–18 | barriers of the block |
/// | 17–8  | barriers of the warp |
/// | 7–0   | index of the sets of lanes that the state speaks of |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(u64);

const _: () = assert!(size_of::<Word>() == 8);

/// A word taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    pub thread: u16,
    pub block: u16,
    pub state: State,
    pub block_barriers: u16,
    pub warp_barriers: u16,
    pub lanes: u8,
}

pub const MAX_THREAD: u32 = (1 << 10) - 1;
pub const MAX_BLOCK: u32 = (1 << 15) - 1;
pub const MAX_BLOCK_BARRIERS: u32 = (1 << 16) - 1;
pub const MAX_WARP_BARRIERS: u32 = (1 << 10) - 1;

impl Word {
    pub const INIT: Word = Word(0);

    pub const fn pack(fields: &Fields) -> Word {
        Word(
            (fields.thread as u64 & 0x3ff) << 54
                | (fields.block as u64 & 0x7fff) << 39
                | (fields.state as u64 & 0x1f) << 34
                | (fields.block_barriers as u64) << 18
                | (fields.warp_barriers as u64 & 0x3ff) << 8
                | fields.lanes as u64,
        )
    }

    pub const fn unpack(self) -> Fields {
        let Word(word) = self;
        let state = match State::from_bits((word >> 34 & 0x1f) as u8) {
            Some(state) => state,
            None => State::RACE,
        };
        Fields {
            thread: (word >> 54 & 0x3ff) as u16,
            block: (word >> 39 & 0x7fff) as u16,
            state,
            block_barriers: (word >> 18 & 0xffff) as u16,
            warp_barriers: (word >> 8 & 0x3ff) as u16,
            lanes: (word & 0xff) as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_all_fields() {
        let fields = Fields {
            thread: 1023,
            block: 0x7ffe,
            state: State::BSYNC_ATOM_W,
            block_barriers: 0xfffd,
            warp_barriers: 1000,
            lanes: 0xa5,
        };
        assert_eq!(Word::pack(&fields).unpack(), fields);
        assert_eq!(Word::INIT.unpack().state, State::INIT);
    }
}

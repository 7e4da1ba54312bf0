//! The choices of an execution.

/// Makes the choices that the memory model leaves open.
pub trait Choose: Send {
    /// Returns a number below `options`, which is at least 2. Option 0 is the one of an interleaving: the
    /// newest write, or the end of coherence order.
    fn choose(&mut self, options: usize) -> usize;
}

/// Chooses at random, reproducibly for a seed: option 0 half of the time, otherwise one of the rest.
#[derive(Clone, Debug)]
pub struct Seeded(u64);

impl Seeded {
    pub fn new(seed: u64) -> Seeded {
        Seeded(seed)
    }

    /// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl Choose for Seeded {
    fn choose(&mut self, options: usize) -> usize {
        let drawn = self.draw();
        if drawn & 1 == 0 {
            return 0;
        }
        1 + (drawn >> 1) as usize % (options - 1)
    }
}

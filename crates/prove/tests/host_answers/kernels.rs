//! Kernels in PTX, `k(int *low, int *high, int number)`, and a reference decision which of their launches
//! race.

/// The kernels' names; programs refer to them by index.
pub(crate) const KERNELS: [&str; 5] = ["rows", "bins", "both", "each", "turn"];

/// The size of each array in bytes.
pub(crate) const BYTES: i64 = 1 << 22;
/// Launches with more threads are not decided.
const MOST_THREADS: u64 = 1 << 13;

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// Returns the kernels' text; each store writes a different value.
pub(crate) fn ptx() -> String {
    let mut text = HEAD.to_owned();
    let mut kernel = |name: &str, body: &str| {
        text += &format!(
            ".visible .entry {name}(.param .u64 {name}_low, .param .u64 {name}_high, .param .u32 {name}_number) {{
            .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<9>;
            .shared .align 4 .b8 {name}_tile[4096];
            ld.param.u64 %d1, [{name}_low]; ld.param.u64 %d2, [{name}_high]; ld.param.u32 %r1, [{name}_number];
            cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2;
            mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;
            {body}
            ret; }}\n"
        );
    };
    let store = "mul.wide.s32 %d3, %r6, 4; add.s64 %d4, %d1, %d3; st.global.u32 [%d4], %r5;";
    kernel("rows", &format!("mad.lo.s32 %r6, %r2, %r1, %r4; {store}"));
    kernel("bins", &format!("rem.u32 %r6, %r5, %r1; {store}"));
    kernel(
        "both",
        "mul.wide.s32 %d3, %r4, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3; \
         st.global.u32 [%d4], %r5; not.b32 %r7, %r5; st.global.u32 [%d5], %r7;",
    );
    kernel("each", &format!("mov.u32 %r6, %r5; setp.ge.s32 %p1, %r5, %r1; @%p1 ret; {store}"));
    kernel(
        "turn",
        "shl.b32 %r6, %r4, 2; mov.u32 %r7, turn_tile; add.s32 %r8, %r7, %r6; st.shared.u32 [%r8], %r5; \
         bar.warp.sync 0xffffffff; sub.s32 %r9, %r3, %r4; shl.b32 %r9, %r9, 2; add.s32 %r9, %r7, %r9; \
         ld.shared.u32 %r10, [%r9+-4]; mul.wide.s32 %d3, %r5, 4; add.s64 %d4, %d1, %d3; st.global.u32 [%d4], %r10;",
    );
    text
}

/// A launch that a program has made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) kernel: usize,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// The array, and the number of bytes after its beginning.
    pub(crate) low: (usize, i64),
    pub(crate) high: (usize, i64),
    pub(crate) number: i32,
}

impl Made {
    /// Returns whether two threads race; `None` for a launch that is refused, fails, or is too large.
    pub(crate) fn races(&self) -> Option<bool> {
        let (grid, block) = (self.grid[0], self.block[0]);
        let threads = u64::from(grid) * u64::from(block);
        if self.grid[1..] != [1, 1] || self.block[1..] != [1, 1] || block > 1024 || threads > MOST_THREADS {
            return None;
        }
        if threads == 0 {
            return None;
        }
        // The places that threads write to, with the writing thread.
        let mut written: Vec<(usize, i64, u64)> = Vec::new();
        for b in 0..grid {
            for t in 0..block {
                let thread = u64::from(b) * u64::from(block) + u64::from(t);
                let own = thread as i32;
                let mut put = |array: (usize, i64), index: i32| {
                    written.push((array.0, array.1 + 4 * i64::from(index), thread));
                };
                match self.kernel {
                    0 => put(self.low, (b as i32).wrapping_mul(self.number).wrapping_add(t as i32)),
                    // A remainder by zero is undefined.
                    1 if self.number == 0 => return None,
                    1 => put(self.low, (own as u32 % self.number as u32) as i32),
                    2 => {
                        put(self.low, t as i32);
                        put(self.high, t as i32);
                    }
                    3 if own < self.number => put(self.low, own),
                    3 => {}
                    _ => put(self.low, own),
                }
            }
        }
        if written.iter().any(|(_, at, _)| *at < 0 || at + 4 > BYTES) {
            return None;
        }
        written.sort_unstable();
        let meet = |w: &[(usize, i64, u64)]| w[0].0 == w[1].0 && w[1].1 - w[0].1 < 4 && w[0].2 != w[1].2;
        let mut races = written.windows(2).any(meet);
        if self.kernel == 4 {
            // Threads of two warps access the same shared memory.
            races |= block > 32;
        }
        Some(races)
    }
}

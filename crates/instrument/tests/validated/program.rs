//! A program with one of each construct that checks surround, and edits of instrumented texts.

use super::passes::{Made, made, passes};

/// The kernel `k` stores to the words at its parameter `p`; its results do not depend on the order of threads.
pub(crate) const PROGRAM: &str = "\
.version 8.3
.target sm_90
.address_size 64
.global .align 4 .u32 total;
.func (.param .b32 out) twice(.param .b32 in)
{
.reg .b32 %r<4>;
ld.param.u32 %r1, [in];
ld.global.u32 %r3, [total];
add.s32 %r2, %r1, %r1;
st.param.b32 [out], %r2;
ret;
}
.visible .entry k(
.param .u64 p,
.param .u32 n
)
.maxntid 64, 1, 1
{
.reg .pred %p<4>;
.reg .b32 %r<16>;
.reg .b64 %rd<8>;
.shared .align 16 .b8 s[512];
ld.param.u64 %rd1, [p];
ld.param.u32 %r9, [n];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, s;
shl.b32 %r4, %r1, 2;
add.s32 %r4, %r4, %r3;
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
setp.lt.u32 %p1, %r1, 16;
st.shared.u32 [%r4], %r1;
bar.sync 0;
ld.shared.u32 %r5, [%r4];
@%p1 st.global.u32 [%rd3+256], %r5;
atom.relaxed.gpu.global.add.u32 %r6, [%rd1+1024], 1;
ld.volatile.global.u32 %r7, [%rd1+2048];
fence.acq_rel.gpu;
red.relaxed.gpu.global.add.u32 [%rd1+1028], 3;
{
.param .b32 a0;
.param .b32 b0;
st.param.b32 [a0], %r5;
call (b0), twice, (a0);
ld.param.b32 %r8, [b0];
}
mov.u32 %r10, 0;
$LOOP:
add.s32 %r8, %r8, %r9;
add.s32 %r10, %r10, 1;
setp.lt.u32 %p2, %r10, 3;
@%p2 bra $LOOP;
@%p1 bra $END;
st.global.u32 [%rd3+512], %r8;
$END:
st.shared.u32 [%r4+256], %r8;
bar.sync 0;
setp.ne.u32 %p3, %r2, 0;
@%p3 ret;
st.global.u32 [%rd3], %r8;
ret;
}
";

/// A kernel that copies asynchronously, and loads a matrix.
pub(crate) const COPIES: &str = "\
.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .pred %p<4>;
.reg .b32 %r<16>;
.reg .b64 %rd<8>;
.shared .align 16 .b8 s[2048];
ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
mov.u32 %r3, s;
shl.b32 %r4, %r1, 4;
add.s32 %r4, %r4, %r3;
mul.wide.u32 %rd2, %r1, 16;
add.s64 %rd3, %rd1, %rd2;
cp.async.ca.shared.global [%r4], [%rd3], 16;
cp.async.commit_group;
cp.async.wait_group 0;
bar.sync 0;
wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12}, [%r3];
bar.sync 0;
st.global.u32 [%rd3], %r5;
ret;
}
";

/// Returns a program with the pass of that name.
pub(crate) fn with(original: &str, pass: &str) -> Made {
    let passes = passes();
    let pass = passes.iter().find(|(name, _)| name == pass).unwrap_or_else(|| panic!("no pass {pass}"));
    made(original, pass).expect("the pass takes the program")
}

/// A text as lines, to be edited.
pub(crate) struct Lines(Vec<String>);

impl Lines {
    pub(crate) fn of(text: &str) -> Lines {
        Lines(text.lines().map(str::to_owned).collect())
    }

    pub(crate) fn text(&self) -> String {
        self.0.join("\n") + "\n"
    }

    /// Returns the first line from `from` on that contains a text.
    fn find(&self, from: usize, what: &str) -> usize {
        let found = self.0[from..].iter().position(|line| line.contains(what));
        from + found.unwrap_or_else(|| panic!("no line with `{what}` in\n{}", self.text()))
    }

    /// Returns the first such line in the body of kernel `k`.
    fn at(&self, what: &str) -> usize {
        self.find(self.find(0, ".entry k"), what)
    }

    pub(crate) fn replace(mut self, from: &str, to: &str) -> Lines {
        let at = self.at(from);
        self.0[at] = self.0[at].replacen(from, to, 1);
        self
    }

    /// Replaces a text in the first line, behind the one with `behind`, that contains it.
    pub(crate) fn replace_behind(mut self, behind: &str, from: &str, to: &str) -> Lines {
        let at = self.find(self.at(behind) + 1, from);
        self.0[at] = self.0[at].replacen(from, to, 1);
        self
    }

    pub(crate) fn everywhere(self, from: &str, to: &str) -> Lines {
        let text = self.text();
        assert!(text.contains(from), "no `{from}` in\n{text}");
        Lines::of(&text.replace(from, to))
    }

    pub(crate) fn drop(mut self, what: &str) -> Lines {
        let at = self.at(what);
        self.0.remove(at);
        self
    }

    pub(crate) fn repeat(mut self, what: &str) -> Lines {
        let at = self.at(what);
        self.0.insert(at, self.0[at].clone());
        self
    }

    /// Exchanges a line with the next one.
    pub(crate) fn swap(mut self, what: &str) -> Lines {
        let at = self.at(what);
        self.0.swap(at, at + 1);
        self
    }

    pub(crate) fn before(mut self, what: &str, more: &str) -> Lines {
        let at = self.at(what);
        self.0.insert(at, more.to_owned());
        self
    }

    pub(crate) fn behind(mut self, what: &str, more: &str) -> Lines {
        let at = self.at(what);
        self.0.insert(at + 1, more.to_owned());
        self
    }
}

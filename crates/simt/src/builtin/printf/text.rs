//! A text buffer that grows by a few bytes at a time.

use super::Spec;

/// The size of the fixed-size copies, which compile to one load and one store; shorter text is copied with
/// bytes beyond its end.
pub(super) const AT_ONCE: usize = 16;

/// The text printed so far.
#[derive(Debug, Default)]
pub(crate) struct Text {
    /// The bytes beyond `end` are spare capacity.
    bytes: Vec<u8>,
    end: usize,
}

impl Text {
    pub(crate) fn clear(&mut self) {
        self.end = 0;
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.end]
    }

    /// Appends the first `count` of these bytes, at most [`AT_ONCE`].
    #[inline(always)]
    pub(super) fn put_short(&mut self, bytes: &[u8; AT_ONCE], count: usize) {
        self.room(AT_ONCE);
        if let Some(place) = self.bytes[self.end..].first_chunk_mut::<AT_ONCE>() {
            *place = *bytes;
        }
        self.end += count.min(AT_ONCE);
    }

    #[inline]
    pub(super) fn put(&mut self, bytes: &[u8]) {
        self.room(bytes.len());
        self.bytes[self.end..][..bytes.len()].copy_from_slice(bytes);
        self.end += bytes.len();
    }

    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// Appends a copy of `bytes` bytes of the text itself, from offset `from`.
    #[inline]
    pub(super) fn again(&mut self, from: usize, bytes: usize) {
        self.room(bytes.max(AT_ONCE));
        match self.bytes[from..].first_chunk::<AT_ONCE>().copied() {
            Some(chunk) if bytes <= AT_ONCE => self.put_short(&chunk, bytes),
            _ => {
                self.bytes.copy_within(from..from + bytes, self.end);
                self.end += bytes;
            }
        }
    }

    /// Appends a sign or prefix and a body, padded to the width.
    #[inline]
    pub(super) fn pad(&mut self, s: &Spec, sign: &[u8], body: &[u8], zeros: bool) {
        if s.width != 0 {
            return self.padded(s, sign, body, zeros);
        }
        if !sign.is_empty() {
            self.put(sign);
        }
        self.put(body);
    }

    fn padded(&mut self, s: &Spec, sign: &[u8], body: &[u8], zeros: bool) {
        let fill = s.width.saturating_sub(sign.len() + body.len());
        let zeros = zeros && s.zero && !s.left;
        if !s.left && !zeros {
            self.fill(b' ', fill);
        }
        self.put(sign);
        if zeros {
            self.fill(b'0', fill);
        }
        self.put(body);
        if s.left {
            self.fill(b' ', fill);
        }
    }

    fn fill(&mut self, byte: u8, count: usize) {
        self.room(count);
        self.bytes[self.end..][..count].fill(byte);
        self.end += count;
    }

    #[inline(always)]
    fn room(&mut self, bytes: usize) {
        if self.bytes.len() - self.end < bytes {
            self.grow(bytes);
        }
    }

    #[cold]
    fn grow(&mut self, bytes: usize) {
        let more = bytes.max(self.bytes.len()).max(4096);
        self.bytes.resize(self.bytes.len() + more, 0);
    }
}

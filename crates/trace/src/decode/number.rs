//! Bytes, integers and flags, each checked.

use super::{Cursor, Result};
use events::{Misuse, ProductRegister, RegisterAccess, SiteId};

impl Cursor<'_> {
    #[inline]
    pub(super) fn byte(&mut self) -> Result<u8> {
        let Some(&byte) = self.bytes.get(self.at) else { return self.wrong("a record is cut short") };
        self.at += 1;
        Ok(byte)
    }

    #[inline]
    pub(super) fn unsigned(&mut self) -> Result<u64> {
        match self.bytes.get(self.at) {
            Some(&byte @ ..0x80) => {
                self.at += 1;
                Ok(byte.into())
            }
            _ => self.long(),
        }
    }

    /// An integer of several bytes.
    pub(super) fn long(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        self.wrong("an integer is too long")
    }

    #[inline]
    pub(super) fn small<T: TryFrom<u64>>(&mut self, what: &'static str) -> Result<T> {
        let value = self.unsigned()?;
        T::try_from(value).or_else(|_| self.wrong(what))
    }

    #[inline]
    pub(super) fn signed(&mut self) -> Result<i64> {
        let value = self.unsigned()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    #[inline]
    pub(super) fn flag(&mut self) -> Result<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => self.wrong("a flag is neither 0 nor 1"),
        }
    }

    /// Reads two accesses of a register of a matrix product.
    pub(super) fn product_register(&mut self) -> Result<Misuse> {
        let bits = self.byte()?;
        if bits >> 6 != 0 {
            return self.wrong("unknown accesses of a register");
        }
        let flag = |n: u8| bits >> n & 1 != 0;
        let first: u32 = self.small("a site's number is too large")?;
        Ok(Misuse::ProductRegister(ProductRegister {
            first: first.checked_sub(1).map(SiteId),
            earlier: RegisterAccess { writes: flag(0), product: flag(1) },
            later: RegisterAccess { writes: flag(2), product: flag(3) },
            accumulator: flag(4),
            unwaited: flag(5),
        }))
    }

    pub(super) fn count(&mut self) -> Result<usize> {
        let count = self.small::<u32>("a count is too large")? as usize;
        // Every element takes at least one byte, so a larger count is damage, not data.
        if count > self.bytes.len() - self.at { self.wrong("a count exceeds the chunk") } else { Ok(count) }
    }
}

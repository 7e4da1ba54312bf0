//! Sizes of types, and offsets of their fields.

use super::ir::{Module, Op, bits, parts, value};

impl<'a> Module<'a> {
    pub(super) fn fields(&self, ty: &'a str) -> Option<Vec<&'a str>> {
        let ty = self.types.get(ty).copied().unwrap_or(ty);
        Some(parts(ty.strip_prefix('{')?.strip_suffix('}')?.trim()))
    }

    pub(super) fn offset(&self, fields: &[&'a str], field: usize) -> Option<i128> {
        let mut at = 0i128;
        for (n, ty) in fields.iter().enumerate() {
            let align = self.align(ty)?;
            at = (at + align - 1) / align * align;
            if n == field {
                return Some(at);
            }
            at += self.bytes(ty)?;
        }
        None
    }

    fn align(&self, ty: &'a str) -> Option<i128> {
        if let Some(fields) = self.fields(ty) {
            return fields.iter().map(|f| self.align(f)).try_fold(1, |a, b| Some(a.max(b?)));
        }
        match ty.strip_prefix('[') {
            Some(array) => self.align(array.split_once(" x ")?.1.strip_suffix(']')?),
            None => self.bytes(ty).filter(|&b| b <= 16),
        }
    }

    /// Returns the size of a type; packed structures and vectors are not supported.
    pub(super) fn bytes(&self, ty: &'a str) -> Option<i128> {
        if let Some(fields) = self.fields(ty) {
            let last = fields.len().checked_sub(1)?;
            let end = self.offset(&fields, last)? + self.bytes(fields[last])?;
            let align = self.align(ty)?;
            return Some((end + align - 1) / align * align);
        }
        if let Some(array) = ty.strip_prefix('[') {
            let (n, element) = array.split_once(" x ")?;
            return Some(n.parse::<i128>().ok()? * self.bytes(element.strip_suffix(']')?)?);
        }
        match ty {
            "float" => Some(4),
            "double" => Some(8),
            "half" | "bfloat" => Some(2),
            _ => Some(i128::from(bits(ty).div_ceil(8))).filter(|&n| n > 0),
        }
    }

    /// Parses the operands of `getelementptr`: a place in an array or a structure.
    pub(super) fn element(&self, rest: &'a str) -> Option<Op<'a>> {
        let mut rest = rest;
        while let Some((word, more)) = rest.split_once(' ')
            && (word.starts_with("inbounds") || matches!(word, "nuw" | "nusw"))
        {
            rest = more;
        }
        let all = parts(rest);
        let (mut ty, base) = (*all.first()?, value(all.get(1)?));
        let (mut indices, mut constant) = (Vec::new(), 0);
        for (n, index) in all[2..].iter().enumerate() {
            let index = value(index);
            if n > 0 {
                if let Some(fields) = self.fields(ty) {
                    let field: usize = index.parse().ok()?;
                    constant += self.offset(&fields, field)?;
                    ty = fields.get(field)?;
                    continue;
                }
                ty = ty.strip_prefix('[')?.split_once(" x ")?.1.strip_suffix(']')?;
            }
            let bytes = self.bytes(ty)?;
            match index.parse::<i128>() {
                Ok(c) => constant += c * bytes,
                Err(_) => indices.push((index, bytes)),
            }
        }
        Some(Op::Element { base, indices, constant })
    }
}

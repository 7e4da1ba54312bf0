//! Sizes of types, and offsets of their fields.

use super::ir::{Module, Op, bits, parts, value};

impl<'a> Module<'a> {
    pub(super) fn fields(&self, ty: &'a str) -> Option<Vec<&'a str>> {
        let ty = self.types.get(ty).copied().unwrap_or(ty);
        let ty = ty
            .strip_prefix('<')
            .and_then(|ty| ty.strip_suffix('>'))
            .filter(|ty| ty.starts_with('{'))
            .unwrap_or(ty);
        Some(parts(ty.strip_prefix('{')?.strip_suffix('}')?.trim()))
    }

    /// Returns whether a structure has no gaps between its fields.
    fn is_packed(&self, ty: &'a str) -> bool {
        self.types.get(ty).copied().unwrap_or(ty).starts_with("<{")
    }

    /// Returns the offset of a field of a structure.
    pub(super) fn offset(&self, ty: &'a str, field: usize) -> Option<i128> {
        let is_packed = self.is_packed(ty);
        let mut at = 0i128;
        for (n, ty) in self.fields(ty)?.into_iter().enumerate() {
            let align = if is_packed { 1 } else { self.align(ty)? };
            at = (at + align - 1) / align * align;
            if n == field {
                return Some(at);
            }
            at += self.bytes(ty)?;
        }
        None
    }

    fn align(&self, ty: &'a str) -> Option<i128> {
        if self.is_packed(ty) {
            return Some(1);
        }
        if let Some(fields) = self.fields(ty) {
            return fields.iter().map(|f| self.align(f)).try_fold(1, |a, b| Some(a.max(b?)));
        }
        match ty.strip_prefix('[') {
            Some(array) => self.align(array.split_once(" x ")?.1.strip_suffix(']')?),
            None => self.bytes(ty).filter(|&b| b <= 16),
        }
    }

    /// Returns the size of a type; vectors are not supported.
    pub(super) fn bytes(&self, ty: &'a str) -> Option<i128> {
        if let Some(fields) = self.fields(ty) {
            let last = fields.len().checked_sub(1)?;
            let end = self.offset(ty, last)? + self.bytes(fields[last])?;
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
                    constant += self.offset(ty, field)?;
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

#[cfg(test)]
mod tests {
    use crate::ir::{Module, Op};

    #[test]
    fn fields_of_packed_structures_have_no_gaps() {
        let text = r"
%struct.dim3 = type { i32, i32, i32 }
%struct.config = type <{ %struct.dim3, %struct.dim3, i64, ptr, i32, [4 x i8] }>
%struct.odd = type <{ i8, i64, %struct.dim3 }>
define void @f(ptr noundef %0) {
  %2 = getelementptr inbounds %struct.config, ptr %0, i64 0, i32 1, i32 2
  %3 = getelementptr inbounds %struct.config, ptr %0, i64 1, i32 3
  %4 = getelementptr inbounds %struct.odd, ptr %0, i64 0, i32 2, i32 1
  %5 = getelementptr inbounds { i8, %struct.odd }, ptr %0, i64 0, i32 1, i32 1
  ret void
}
";
        let module = Module::read(text);
        let offset = |name| match module.functions[0].definition(name) {
            Some(Op::Element { constant, .. }) => *constant,
            other => panic!("{other:?}"),
        };
        assert_eq!(["%2", "%3", "%4", "%5"].map(offset), [20, 48 + 32, 13, 2]);
    }
}

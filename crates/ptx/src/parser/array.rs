//! Array elements by index: `ld.global.u32 %r1, a[2];` (PTX §6.4.2).
//!
//! An index counts elements, an address counts bytes. The parser records the declared arrays in scope; the
//! tree contains only addresses.

use std::rc::Rc;

use super::{Parsed, Parser};
use crate::ast::{AddressBase, Name, Operand};

/// The element size and the dimensions of an array.
#[derive(Clone)]
pub(super) struct Array {
    element: u32,
    dims: Rc<[Option<u64>]>,
}

impl Parser<'_> {
    /// Adds an array to the current scope.
    pub(super) fn remember_array(&mut self, name: &Name, element: u32, dims: &[Option<u64>]) {
        let array = Array { element, dims: dims.into() };
        let shadowed = self.arrays.insert(name.text.clone(), array);
        self.array_scopes.push((name.text.clone(), shadowed));
    }

    /// Returns the number of arrays in scope, for [`Self::forget_arrays`].
    pub(super) fn array_mark(&self) -> usize {
        self.array_scopes.len()
    }

    /// Removes the arrays of a scope that began with `mark` arrays.
    pub(super) fn forget_arrays(&mut self, mark: usize) {
        while self.array_scopes.len() > mark {
            if let Some((name, shadowed)) = self.array_scopes.pop() {
                match shadowed {
                    Some(array) => self.arrays.insert(name, array),
                    None => self.arrays.remove(&name),
                };
            }
        }
    }

    /// Parses the indices of `a[1][2]` after its name: the address of an element, or for `mov` its value.
    pub(super) fn element(&mut self, name: Name, value: bool) -> Parsed<Operand> {
        let Some(array) = self.arrays.get(&name.text).cloned() else {
            return Err(self.error_at(name.span, format!("`{}` is no array in this scope", name.text)));
        };
        let mut offset = 0i64;
        let mut rest = &array.dims[..];
        while self.eat(b'[') {
            let span = self.current.span();
            let index = self.constant()? as i64;
            let Some((_, inner)) = rest.split_first() else {
                return Err(self.error_at(span, "more indices than dimensions"));
            };
            rest = inner;
            let stride = inner
                .iter()
                .fold(i64::from(array.element), |stride, dim| stride.wrapping_mul(dim.unwrap_or(0) as i64));
            offset = offset.wrapping_add(index.wrapping_mul(stride));
            self.expect(b']')?;
        }
        if value {
            return Ok(Operand::NameOffset(name, offset));
        }
        let span = self.since(name.span.start);
        Ok(Operand::Address { base: AddressBase::Name(name), offset, rest: Vec::new(), span })
    }
}

//! Lowers `mov` of registers, constants, addresses, and the parts of vectors.

use super::body::{Body, Lowered};
use super::registers::File;
use crate::program::*;
use kernels::Symbol;
use ptx::ast::ScalarType;
use ptx::flat::{Arg, VarId, VarRole};

impl<'a> Body<'a, '_> {
    pub(super) fn mov(&mut self, ty: ScalarType, args: &[Arg<'a>]) -> Lowered<()> {
        let [d, a] = args else { return Err("two operands expected".to_owned()) };
        match (d, a) {
            (Arg::Sink, _) => Ok(()),
            (Arg::Vector(_), _) | (_, Arg::Vector(_)) => self.mov_vector(ty, d, a),
            (Arg::Reg(id), Arg::Reg(from))
                if self.bits(*id) == 128 || self.flat.registers[id.0 as usize].vector > 1 =>
            {
                let n =
                    if self.bits(*id) == 128 { 2 } else { self.flat.registers[id.0 as usize].vector.into() };
                if self.bits(*from) != self.bits(*id) {
                    return Err("registers of different width".to_owned());
                }
                for e in 0..n {
                    let (d, a) = (self.rows.row(*id, e), self.rows.row(*from, e));
                    self.mov_row(d, a)?;
                }
                Ok(())
            }
            (_, Arg::Special(which)) => {
                let d = self.destination(d)?;
                self.emit(Code::Sreg { d, which: *which });
                Ok(())
            }
            (_, Arg::Variable(id, offset)) => self.mov_variable(d, *id, *offset, a),
            (_, Arg::Symbol(name, offset)) => {
                let d = self.destination(d)?;
                match self.symbols.get(name) {
                    Some(Symbol::DynamicShared) => {
                        self.emit(Code::DynamicShared { d, offset: *offset as u32, generic: false });
                        Ok(())
                    }
                    _ => {
                        let address =
                            self.constant_address(a).ok_or_else(|| format!("undefined symbol `{name}`"))?;
                        self.mov_constant(d, address)
                    }
                }
            }
            _ => {
                let d = self.destination(d)?;
                let ty = match d & FILE_MASK {
                    FILE_PRED => ScalarType::Pred,
                    FILE_64 if ty.bits() < 64 => ScalarType::B64,
                    _ => ty,
                };
                let a = self.source(a, ty)?;
                self.mov_row(d, a)
            }
        }
    }

    pub(super) fn mov_variable(&mut self, d: &Arg<'a>, id: VarId, offset: i64, a: &Arg<'a>) -> Lowered<()> {
        let d = self.destination(d)?;
        match self.flat.variables[id.0 as usize].role {
            VarRole::Param(_) if self.kernel => {
                let (place, _) = self.frame.place(id);
                let address = u64::from(place).wrapping_add(offset as u64);
                self.mov_constant(d, address)
            }
            VarRole::Local | VarRole::Param(_) | VarRole::Return(_) | VarRole::CallParam => {
                let (place, _) = self.frame.place(id);
                let offset = (i64::from(place) + offset) as u32;
                self.emit(Code::LocalAddress { d, offset, generic: false });
                Ok(())
            }
            VarRole::Shared | VarRole::Static => match self.local_symbol(id) {
                Some(Symbol::DynamicShared) => {
                    self.emit(Code::DynamicShared { d, offset: offset as u32, generic: false });
                    Ok(())
                }
                _ => {
                    let address = self.constant_address(a).ok_or("a variable without storage")?;
                    self.mov_constant(d, address)
                }
            },
        }
    }

    pub(super) fn mov_constant(&mut self, d: Row, value: u64) -> Lowered<()> {
        let a = if Self::is_wide(d) { self.builder.wide(value) } else { self.builder.narrow(value as u32) };
        self.mov_row(d, a)
    }

    pub(super) fn mov_row(&mut self, d: Row, a: Row) -> Lowered<()> {
        if d == NO_ROW || d == a {
            return Ok(());
        }
        let f = match (d & FILE_MASK, a & FILE_MASK) {
            (FILE_32, FILE_32 | FILE_CONST) => crate::alu::select::mov32(),
            (FILE_64, FILE_64 | FILE_CONST) => crate::alu::select::mov64(),
            (FILE_PRED, FILE_PRED | FILE_CONST) => {
                self.emit(Code::Alu { f: crate::alu::or_pred, d, a, b: a, c: NO_ROW, x: 0 });
                return Ok(());
            }
            (FILE_32, FILE_64) => crate::alu::select::low32(),
            (FILE_64, FILE_32) => crate::alu::select::zext64(),
            _ => return Err("a move between predicate and value".to_owned()),
        };
        self.emit(Code::Alu { f, d, a, b: NO_ROW, c: NO_ROW, x: 0 });
        Ok(())
    }

    /// Lowers packing and unpacking, with both sides as lists of (row, bits).
    pub(super) fn mov_vector(&mut self, ty: ScalarType, d: &Arg<'a>, a: &Arg<'a>) -> Lowered<()> {
        let dst = self.parts(d, ty, true)?;
        let src = self.parts(a, ty, false)?;
        let mut moves: Vec<Move> = Vec::new();
        let (mut si, mut s_at) = (0, 0u8);
        for &(row, bits, _) in &dst {
            let mut d_at = 0;
            while d_at < bits {
                let Some(&(from, from_bits, wide)) = src.get(si) else {
                    return Err("operands of different size".to_owned());
                };
                let n = (bits - d_at).min(from_bits - s_at);
                if row != NO_ROW {
                    moves.push(Move {
                        dst: row,
                        src: from,
                        dst_shift: d_at,
                        src_shift: s_at,
                        bits: n,
                        clear: d_at == 0,
                        wide,
                    });
                }
                d_at += n;
                s_at += n;
                if s_at == from_bits {
                    si += 1;
                    s_at = 0;
                }
            }
        }
        // Halves and whole words have row functions.
        if let [a] = moves.as_slice() {
            let plain = a.dst_shift == 0 && a.src_shift == 0;
            if plain && (a.bits == 32 || a.bits == 64) {
                return self.mov_row(a.dst, a.src);
            }
        }
        // Concatenation of two parts.
        if let [low, high] = moves.as_slice()
            && low.dst == high.dst
            && low.bits == high.bits
            && (low.dst_shift, high.dst_shift) == (0, low.bits)
            && (low.src_shift, high.src_shift) == (0, 0)
            && !low.wide
            && !high.wide
            && [low, high].iter().all(|m| matches!(m.src & FILE_MASK, FILE_32 | FILE_CONST))
        {
            let f = match (low.bits, low.dst & FILE_MASK) {
                (16, FILE_32) => Some(crate::alu::select::pack16()),
                (32, FILE_64) => Some(crate::alu::select::pack32()),
                _ => None,
            };
            if let Some(f) = f {
                let (d, a, b) = (low.dst, low.src, high.src);
                self.emit(Code::Alu { f, d, a, b, c: NO_ROW, x: 0 });
                return Ok(());
            }
        }
        self.builder.program.moves.push(moves);
        let n = self.builder.program.moves.len() as u32 - 1;
        self.emit(Code::Moves(n));
        Ok(())
    }

    pub(super) fn parts(
        &mut self,
        arg: &Arg<'a>,
        ty: ScalarType,
        dst: bool,
    ) -> Lowered<Vec<(Row, u8, bool)>> {
        let single = [arg.clone()];
        let items = match arg {
            Arg::Vector(items) => items.as_slice(),
            _ => &single,
        };
        let share = (ty.bits() / items.len().max(1) as u32).clamp(1, 64);
        let mut parts = Vec::new();
        for item in items {
            match item {
                Arg::Reg(id) if self.bits(*id) == 128 => {
                    parts.push((self.rows.row(*id, 0), 64, true));
                    parts.push((self.rows.row(*id, 1), 64, true));
                }
                Arg::Reg(id) if self.flat.registers[id.0 as usize].vector > 1 => {
                    for e in 0..self.flat.registers[id.0 as usize].vector {
                        let row = self.rows.row(*id, e.into());
                        parts.push((row, self.bits(*id) as u8, Self::is_wide(row)));
                    }
                }
                Arg::Reg(id) if File::of(self.flat.registers[id.0 as usize].ty) == File::Pred => {
                    return Err("a predicate in a vector".to_owned());
                }
                // The share rather than the register's width determines the bits: `.b8` parts may be in wider
                // registers.
                Arg::Reg(id) => {
                    let row = self.rows.row(*id, 0);
                    parts.push((row, self.bits(*id).min(share.max(8)) as u8, Self::is_wide(row)));
                }
                Arg::Sink if dst => parts.push((NO_ROW, share as u8, false)),
                _ => {
                    let ty = if share > 32 { ScalarType::B64 } else { ScalarType::B32 };
                    parts.push((self.source(item, ty)?, share as u8, share > 32));
                }
            }
        }
        Ok(parts)
    }
}

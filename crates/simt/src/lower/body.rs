//! A function body, instruction by instruction.

use super::builder::Builder;
use super::frame::Frame;
use super::registers::{Allocation, File, allocate};
use super::select::{self, W};
use crate::program::*;
use events::SiteId;
use kernels::blocks::{Block, blocks, layout};
use kernels::sites::Sites;
use kernels::{Symbol, Symbols};
use ptx::ast::{FunctionKind, ScalarType};
use ptx::flat::{Arg, Flat, FlatInstruction, RegId, VarId, VarRole};
use ptx::op::{MulPart, Op};
use smallvec::SmallVec;

/// What lowering one instruction may say instead of code: why it is unsupported.
pub(super) type Lowered<T> = Result<T, String>;

pub(super) struct Body<'a, 'b> {
    pub flat: &'b Flat<'a>,
    pub builder: &'b mut Builder,
    pub symbols: &'b Symbols,
    pub sites: &'b mut Sites<'a, 'b>,
    pub frame: Frame,
    pub rows: Allocation,
    /// By register: is it read anywhere?
    pub reads: Vec<bool>,
    pub kernel: bool,
    pub guard: u32,
    pub site: Option<SiteId>,
    /// Branches to patch: instruction and flat target.
    fixups: Vec<(usize, usize)>,
    brx_fixups: Vec<(usize, Vec<usize>)>,
}

/// Lowers one function; returns its description.
pub(super) fn lower_function<'a, 'b>(
    flat: &'b Flat<'a>,
    builder: &'b mut Builder,
    symbols: &'b Symbols,
    sites: &'b mut Sites<'a, 'b>,
) -> FunctionInfo {
    let blocks = blocks(flat);
    let order = layout(&blocks);
    let rows = allocate(flat, &blocks, &order);
    let kernel = flat.function.kind == FunctionKind::Entry;
    let frame = Frame::lay_out(flat, kernel);
    let entry = builder.here();
    let mut body = Body {
        flat,
        builder,
        symbols,
        sites,
        frame,
        rows,
        reads: kernels::registers::read(flat),
        kernel,
        guard: NO_GUARD,
        site: None,
        fixups: Vec::new(),
        brx_fixups: Vec::new(),
    };
    body.emit_blocks(&blocks, &order);
    let params = body.interface(&flat.params);
    let returns = body.interface(&flat.returns);
    FunctionInfo {
        entry,
        bytes_32: body.rows.bytes_32,
        bytes_64: body.rows.bytes_64,
        bytes_pred: body.rows.bytes_pred,
        frame_bytes: body.frame.bytes,
        params,
        returns,
    }
}

impl<'a> Body<'a, '_> {
    fn interface(&self, bindings: &[ptx::flat::Binding]) -> Vec<Slot> {
        bindings
            .iter()
            .map(|binding| match binding {
                ptx::flat::Binding::Reg(id) => {
                    let ty = self.flat.registers[id.0 as usize].ty;
                    Slot::Row { row: self.rows.row(*id, 0), bytes: ty.bytes() as u8 }
                }
                ptx::flat::Binding::Memory(id) => {
                    let (offset, bytes) = self.frame.place(*id);
                    Slot::Frame { offset, bytes }
                }
            })
            .collect()
    }

    fn emit_blocks(&mut self, blocks: &[Block], order: &[usize]) {
        let mut starts = vec![u32::MAX; blocks.len()];
        for (k, &b) in order.iter().enumerate() {
            starts[b] = self.builder.here();
            let block = &blocks[b];
            let next = order.get(k + 1).copied();
            for i in block.start..block.end {
                let last = i + 1 == block.end;
                let fall = (b + 1 < blocks.len()).then_some(b + 1);
                if last && self.invertible(i, next, blocks) {
                    // `@p bra next` with the fall-through elsewhere: branch the other way.
                    self.begin(i);
                    let guard = self.guard ^ GUARD_NEGATED;
                    let at = self.builder.emit(guard, Code::Bra { target: 0 }, self.site);
                    if let Some(f) = fall {
                        self.fixups.push((at, blocks[f].start));
                    }
                } else {
                    self.instruction(i);
                    if last && block.falls_through && fall != next {
                        match fall {
                            Some(f) => {
                                let at = self.builder.emit(NO_GUARD, Code::Bra { target: 0 }, None);
                                self.fixups.push((at, blocks[f].start));
                            }
                            None => self.end(),
                        }
                    } else if last && block.falls_through && fall.is_none() {
                        self.end();
                    }
                }
            }
        }
        if order.is_empty() {
            self.end();
        }
        let start_of = |flat_index: usize| {
            blocks.iter().position(|b| b.start == flat_index).map_or(u32::MAX, |b| starts[b])
        };
        // A label at the very end of the text has no block: it means `ret`.
        let mut ending = None;
        let mut resolve = |body: &mut Self, target: usize| match start_of(target) {
            u32::MAX => *ending.get_or_insert_with(|| {
                let here = body.builder.here();
                body.end();
                here
            }),
            pc => pc,
        };
        for (at, target) in std::mem::take(&mut self.fixups) {
            let pc = resolve(self, target);
            self.builder.program.code[at].code = Code::Bra { target: pc };
        }
        for (brx, targets) in std::mem::take(&mut self.brx_fixups) {
            let targets = targets.into_iter().map(|t| resolve(self, t)).collect();
            self.builder.program.brxs[brx].targets = targets;
        }
    }

    /// Does the text end here without `ret`?
    fn end(&mut self) {
        let code = if self.kernel { Code::Exit } else { Code::Ret };
        self.builder.emit(NO_GUARD, code, None);
    }

    fn invertible(&self, i: usize, next: Option<usize>, blocks: &[Block]) -> bool {
        let inst = &self.flat.instructions[i];
        if inst.guard.is_none() || !matches!(inst.op, Ok(Op::Bra { .. })) {
            return false;
        }
        let (Some(next), [Arg::Label(label)]) = (next, inst.args.as_slice()) else { return false };
        let target = self.flat.labels[label.0 as usize].target as usize;
        blocks[next].start == target && blocks.iter().any(|b| b.start == inst_end(i)) && inst_end(i) != target
    }

    /// Sets guard and site for the instruction to come.
    fn begin(&mut self, i: usize) {
        let inst = &self.flat.instructions[i];
        self.guard = match inst.guard {
            None => NO_GUARD,
            Some(guard) => {
                let offset = self.rows.row(guard.register, 0) & !FILE_MASK;
                offset | if guard.negated { GUARD_NEGATED } else { 0 }
            }
        };
        self.site = self.sites.of(self.flat, i);
    }

    fn instruction(&mut self, i: usize) {
        self.begin(i);
        let flat = self.flat;
        let inst = &flat.instructions[i];
        let result = match &inst.op {
            Ok(op) => self.operation(op, inst),
            Err(_) => Err("not decoded".to_owned()),
        };
        if let Err(why) = result {
            self.site = Some(self.sites.force(flat, i));
            let text = self.sites.text_of(inst.source);
            // An image instruction of a kind that is served says itself what is wrong with it.
            let served = matches!(
                inst.op,
                Ok(Op::Tex { .. } | Op::Suld(_) | Op::Sust(_) | Op::Sured { .. } | Op::Suq { .. })
            );
            let opcode = text.split(' ').next().unwrap_or_default();
            let feature = if served { None } else { ptx::feature(opcode) };
            let why = feature.map_or(why, |feature| format!("{feature} are not implemented"));
            let code = self.builder.unsupported(format!("{text} ({why})"));
            self.emit(code);
        }
    }

    pub(super) fn emit(&mut self, code: Code) {
        self.builder.emit(self.guard, code, self.site);
    }

    fn operation(&mut self, op: &Op, inst: &FlatInstruction<'a>) -> Lowered<()> {
        let args = inst.args.as_slice();
        match op {
            Op::Mov { ty } => self.mov(*ty, args),
            Op::Bra { .. } => {
                let [Arg::Label(label)] = args else { return Err("no label".to_owned()) };
                let target = self.flat.labels[label.0 as usize].target as usize;
                let at = self.builder.emit(self.guard, Code::Bra { target: 0 }, self.site);
                self.fixups.push((at, target));
                Ok(())
            }
            Op::BrxIdx => {
                let [index, Arg::BranchTargets(list)] = args else { return Err("no target list".to_owned()) };
                let index = self.source(index, ScalarType::U32)?;
                let targets = self.flat.branch_targets[*list as usize]
                    .iter()
                    .map(|l| self.flat.labels[l.0 as usize].target as usize)
                    .collect();
                self.builder.program.brxs.push(BrxInst { index, targets: Vec::new() });
                let n = self.builder.program.brxs.len() - 1;
                self.brx_fixups.push((n, targets));
                self.emit(Code::Brx(n as u32));
                Ok(())
            }
            Op::Call => self.call(args),
            Op::Ret => {
                self.emit(if self.kernel { Code::Exit } else { Code::Ret });
                Ok(())
            }
            Op::Exit => {
                self.emit(Code::Exit);
                Ok(())
            }
            Op::Trap => {
                self.emit(Code::Trap);
                Ok(())
            }
            Op::Brkpt | Op::Pmevent | Op::SetMaxNReg | Op::Hint | Op::CpAsyncBulkPrefetch => {
                self.emit(Code::Nop);
                Ok(())
            }
            Op::Ld(mem) | Op::Ldu(mem) => self.load(mem, args),
            Op::St(mem) => self.store(mem, args),
            Op::Discard { space } => self.discard(*space, args),
            Op::Atom(atom) => self.atom(atom, args, true),
            Op::Red(atom) => self.atom(atom, args, false),
            Op::Cvta { to, space, ty } => self.cvta(*to, *space, *ty, args),
            Op::Unknown | Op::Multimem => Err("not implemented".to_owned()),
            _ if self.synchronisation(op, args)? => Ok(()),
            _ => self.pure(op, args),
        }
    }

    /// Bits of a register (of one element).
    pub(super) fn bits(&self, id: RegId) -> u32 {
        self.flat.registers[id.0 as usize].ty.bits()
    }

    pub(super) fn is_wide(row: Row) -> bool {
        row & FILE_MASK == FILE_64
    }

    /// The row of a destination; `NO_ROW` for the sink.
    pub(super) fn destination(&self, arg: &Arg<'a>) -> Lowered<Row> {
        match arg {
            Arg::Reg(id) => Ok(self.rows.row(*id, 0)),
            Arg::Element(id, e) => self.element(*id, *e),
            Arg::Sink => Ok(NO_ROW),
            _ => Err("a destination that is no register".to_owned()),
        }
    }

    fn element(&self, id: RegId, e: u8) -> Lowered<Row> {
        let register = &self.flat.registers[id.0 as usize];
        if e < register.vector { Ok(self.rows.row(id, e.into())) } else { Err("no such element".to_owned()) }
    }

    /// The bits of an immediate in the given type.
    pub(super) fn immediate(arg: &Arg<'a>, ty: ScalarType) -> Option<u64> {
        let value = match *arg {
            Arg::Int(v) => v as u64,
            Arg::F32(bits) if ty == ScalarType::F64 => f64::from(f32::from_bits(bits)).to_bits(),
            Arg::F32(bits) => bits.into(),
            Arg::F64(bits) if ty.bits() == 64 => bits,
            Arg::F64(bits) => u64::from((f64::from_bits(bits) as f32).to_bits()),
            _ => return None,
        };
        Some(match ty.bits() {
            64.. => value,
            1 => u64::from(value != 0),
            bits => value & ((1 << bits) - 1),
        })
    }

    /// The row of a source: a register, or an immediate of that type.
    pub(super) fn source(&mut self, arg: &Arg<'a>, ty: ScalarType) -> Lowered<Row> {
        match arg {
            Arg::Reg(id) => Ok(self.rows.row(*id, 0)),
            Arg::Element(id, e) => self.element(*id, *e),
            Arg::Special(which) => self.special(*which, ty),
            Arg::Symbol(..) | Arg::Variable(..) => match self.constant_address(arg) {
                Some(address) if ty.bits() == 64 => Ok(self.builder.wide(address)),
                Some(address) => Ok(self.builder.narrow(address as u32)),
                None => Err("an address as an operand".to_owned()),
            },
            _ => match Self::immediate(arg, ty) {
                Some(value) if ty == ScalarType::Pred => Ok(self.builder.predicate(value != 0)),
                Some(value) if ty.bits() > 32 => Ok(self.builder.wide(value)),
                Some(value) => Ok(self.builder.narrow(value as u32)),
                None => Err("an unexpected operand".to_owned()),
            },
        }
    }

    /// Special registers outside of `mov`: those that are the same for all threads of all launches
    /// do not exist, and all others are read through a register by every known compiler.
    fn special(&mut self, _: ptx::sreg::SpecialReg, _: ScalarType) -> Lowered<Row> {
        Err("a special register outside of mov".to_owned())
    }

    /// The address of a variable with a fixed one, in its own space.
    pub(super) fn constant_address(&self, arg: &Arg<'a>) -> Option<u64> {
        let (symbol, offset) = match *arg {
            Arg::Symbol(name, offset) => (self.symbols.get(name)?, offset),
            Arg::Variable(id, offset) => match self.flat.variables[id.0 as usize].role {
                VarRole::Shared | VarRole::Static => (self.local_symbol(id)?, offset),
                _ => return None,
            },
            _ => return None,
        };
        let base = match symbol {
            Symbol::Memory { address } => *address,
            Symbol::Shared { offset } => u64::from(*offset),
            Symbol::Function { index } => window::FUNCTION | u64::from(*index),
            Symbol::DynamicShared | Symbol::Undefined => return None,
        };
        Some(base.wrapping_add(offset as u64))
    }

    /// `.shared` and `.global` variables of a function are known by their qualified name.
    pub(super) fn local_symbol(&self, id: VarId) -> Option<&Symbol> {
        self.symbols.get_local(&self.flat.function.name.text, id)
    }

    fn mov(&mut self, ty: ScalarType, args: &[Arg<'a>]) -> Lowered<()> {
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

    fn mov_variable(&mut self, d: &Arg<'a>, id: VarId, offset: i64, a: &Arg<'a>) -> Lowered<()> {
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

    /// Packing and unpacking: both sides as lists of (row, bits).
    fn mov_vector(&mut self, ty: ScalarType, d: &Arg<'a>, a: &Arg<'a>) -> Lowered<()> {
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
        // Two parts put together.
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

    fn parts(&mut self, arg: &Arg<'a>, ty: ScalarType, dst: bool) -> Lowered<Vec<(Row, u8, bool)>> {
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
                // The share, not the register's width, where they differ: `.b8` parts may be in wider registers.
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

    /// A pure instruction: a row function if there is one, else `num::eval`.
    fn pure(&mut self, op: &Op, args: &[Arg<'a>]) -> Lowered<()> {
        let Some((first, sources)) = args.split_first() else { return Err("no operands".to_owned()) };
        let (d, second) = match first {
            Arg::Pair(p, q) => (self.destination(p)?, self.destination(q)?),
            _ => (self.destination(first)?, NO_ROW),
        };
        let carry = match op {
            Op::AddCarry { carry_in, carry_out, .. }
            | Op::SubCarry { carry_in, carry_out, .. }
            | Op::MadCarry { carry_in, carry_out, .. } => (*carry_in, *carry_out),
            _ => (false, false),
        };
        if second == NO_ROW && !carry.1 && d != NO_ROW && self.native(op, first, d, sources)? {
            return Ok(());
        }
        let mut list: SmallVec<[Source; 4]> = SmallVec::new();
        for (k, arg) in sources.iter().enumerate() {
            let ty = source_type(op, k);
            let (row, negated) = match arg {
                Arg::NotReg(id) => (self.rows.row(*id, 0), true),
                Arg::Reg(_) | Arg::Element(..) => (self.source(arg, ty)?, false),
                _ => {
                    let value = match Self::immediate(arg, ty) {
                        Some(value) => value,
                        None => self.constant_address(arg).ok_or("an unexpected operand")?,
                    };
                    (self.builder.wide(value), false)
                }
            };
            let bits = match op {
                Op::Cvt { src, .. } => src.bits().min(64) as u8,
                Op::CvtPack { from, .. } if k < 2 => from.bits().min(64) as u8,
                _ => 64,
            };
            list.push(Source { row, negated, bits });
        }
        let dst_bits = match first {
            Arg::Reg(id) | Arg::Element(id, _) => self.bits(*id),
            _ => 0,
        };
        let extend = match op {
            Op::Cvt { dst, .. } if dst.is_signed() && dst.bits() < dst_bits => dst.bits() as u8,
            _ => 0,
        };
        self.builder.program.evals.push(EvalInst {
            op: op.clone(),
            sources: list,
            d,
            second: if carry.1 { self.rows.carry() } else { second },
            carry: if carry.0 { self.rows.carry() } else { NO_ROW },
            extend,
        });
        let n = self.builder.program.evals.len() as u32 - 1;
        self.emit(Code::Eval(n));
        Ok(())
    }

    fn native(&mut self, op: &Op, first: &Arg<'a>, d: Row, sources: &[Arg<'a>]) -> Lowered<bool> {
        let small: SmallVec<[Option<u64>; 4]> =
            sources.iter().enumerate().map(|(k, a)| Self::immediate(a, source_type(op, k))).collect();
        let dst_bits = match first {
            Arg::Reg(id) | Arg::Element(id, _) => self.bits(*id),
            _ => return Ok(false),
        };
        let choice = match op {
            Op::Cvt { .. } | Op::CvtPack { .. } => select::convert::convert(op, dst_bits),
            _ => select::select(op, &small),
        };
        let Some(choice) = choice else { return Ok(false) };
        let fits = |row: Row, w: W| {
            matches!((row & FILE_MASK, w), (FILE_32, W::W32) | (FILE_64, W::W64) | (FILE_PRED, W::P))
        };
        if !fits(d, choice.widths[0]) {
            return Ok(false);
        }
        let mut rows = [NO_ROW; 3];
        for (k, &w) in choice.widths[1..].iter().enumerate() {
            let Some(arg) = sources.get(k) else { return Ok(false) };
            rows[k] = match (arg, small[k]) {
                (_, Some(value)) => match w {
                    W::W32 => self.builder.narrow(value as u32),
                    W::W64 => self.builder.wide(value),
                    W::P => self.builder.predicate(value != 0),
                },
                (Arg::Reg(_) | Arg::Element(..), None) => {
                    let row = self.destination(arg)?;
                    if !fits(row, w) {
                        return Ok(false);
                    }
                    row
                }
                _ => match (self.constant_address(arg), w) {
                    (Some(address), W::W64) => self.builder.wide(address),
                    (Some(address), W::W32) => self.builder.narrow(address as u32),
                    _ => return Ok(false),
                },
            };
        }
        let [a, b, c] = rows;
        self.emit(Code::Alu { f: choice.f, d, a, b, c, x: choice.x });
        Ok(true)
    }

    fn call(&mut self, args: &[Arg<'a>]) -> Lowered<()> {
        let (returns, rest) = match args {
            [Arg::List(returns), rest @ ..] if !rest.is_empty() => (returns.as_slice(), rest),
            _ => (&[][..], args),
        };
        let Some((callee, rest)) = rest.split_first() else { return Err("no callee".to_owned()) };
        let arguments = match rest.first() {
            Some(Arg::List(items)) => items.as_slice(),
            _ => &[],
        };
        let target = match callee {
            Arg::Symbol(name, _) => match self.symbols.get(name) {
                Some(Symbol::Function { index }) => CallTarget::Function(*index),
                _ => match *name {
                    "vprintf" => CallTarget::Builtin(Builtin::Vprintf),
                    "malloc" => CallTarget::Builtin(Builtin::Malloc),
                    "free" => CallTarget::Builtin(Builtin::Free),
                    "cudaGraphSetConditional" => CallTarget::Builtin(Builtin::SetConditional),
                    "__assertfail" | "__assert_fail" => CallTarget::Builtin(Builtin::AssertFail),
                    _ => CallTarget::Undefined((*name).to_owned()),
                },
            },
            Arg::Reg(id) => CallTarget::Indirect(self.rows.row(*id, 0)),
            _ => return Err("a callee that is no function".to_owned()),
        };
        let mut call = CallInst { target, args: SmallVec::new(), returns: SmallVec::new() };
        for arg in arguments {
            let slot = self.slot(arg)?;
            call.args.push(slot);
        }
        for arg in returns {
            let slot = self.slot(arg)?;
            call.returns.push(slot);
        }
        self.builder.program.calls.push(call);
        let n = self.builder.program.calls.len() as u32 - 1;
        self.emit(Code::Call(n));
        Ok(())
    }

    fn slot(&mut self, arg: &Arg<'a>) -> Lowered<Slot> {
        match arg {
            Arg::Variable(id, 0) => {
                let (offset, bytes) = self.frame.place(*id);
                Ok(Slot::Frame { offset, bytes })
            }
            Arg::Reg(id) => {
                Ok(Slot::Row { row: self.rows.row(*id, 0), bytes: self.bits(*id).div_ceil(8) as u8 })
            }
            _ => Ok(Slot::Row { row: self.source(arg, ScalarType::B64)?, bytes: 8 }),
        }
    }
}

fn inst_end(i: usize) -> usize {
    i + 1
}

/// The type in which a source's immediate is written.
fn source_type(op: &Op, k: usize) -> ScalarType {
    use ScalarType::{B32, B64, Pred, S64, U32, U64};
    match *op {
        Op::Add { ty, .. }
        | Op::Sub { ty, .. }
        | Op::Div { ty, .. }
        | Op::Rem { ty }
        | Op::Abs { ty, .. }
        | Op::Neg { ty, .. }
        | Op::Min { ty, .. }
        | Op::Max { ty, .. }
        | Op::Rcp { ty, .. }
        | Op::Sqrt { ty, .. }
        | Op::Rsqrt { ty, .. }
        | Op::Ex2 { ty, .. }
        | Op::Tanh { ty }
        | Op::Copysign { ty }
        | Op::Testp { ty, .. }
        | Op::Popc { ty }
        | Op::Clz { ty }
        | Op::Bfind { ty, .. }
        | Op::Brev { ty }
        | Op::Sad { ty }
        | Op::AddCarry { ty, .. }
        | Op::SubCarry { ty, .. }
        | Op::MadCarry { ty, .. }
        | Op::And { ty }
        | Op::Or { ty }
        | Op::Xor { ty }
        | Op::Not { ty }
        | Op::Cnot { ty } => ty,
        Op::Mul { ty, .. } | Op::Mul24 { ty, .. } | Op::Mad24 { ty, .. } => ty,
        Op::Mad { ty, part, .. } => match (part, k, ty.bits()) {
            (Some(MulPart::Wide), 2, 16) => U32,
            (Some(MulPart::Wide), 2, 32) => {
                if ty.is_signed() {
                    S64
                } else {
                    U64
                }
            }
            _ => ty,
        },
        Op::Set { src, .. } => {
            if k == 2 {
                Pred
            } else {
                src
            }
        }
        Op::Setp { ty, .. } => {
            if k == 2 {
                Pred
            } else {
                ty
            }
        }
        Op::Selp { ty } => {
            if k == 2 {
                Pred
            } else {
                ty
            }
        }
        Op::Slct { dst, src, .. } => {
            if k == 2 {
                src
            } else {
                dst
            }
        }
        Op::Shl { ty } | Op::Shr { ty } | Op::Bfe { ty } => {
            if k == 0 {
                ty
            } else {
                U32
            }
        }
        Op::Bfi { ty } => {
            if k < 2 {
                ty
            } else {
                U32
            }
        }
        Op::Cvt { src, .. } => src,
        Op::CvtPack { from, .. } => {
            if k < 2 {
                from
            } else {
                B32
            }
        }
        Op::Lop3 { .. } if k == 4 => Pred,
        Op::Cvta { ty, .. } | Op::Mapa { ty, .. } | Op::Getctarank { ty, .. } => ty,
        Op::CreatePolicy => B64,
        _ => B32,
    }
}

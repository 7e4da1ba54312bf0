//! Lowers a function body, instruction by instruction.

use super::builder::Builder;
use super::frame::Frame;
use super::products::Tracked;
use super::registers::{Allocation, allocate};
use crate::program::*;
use events::SiteId;
use kernels::blocks::{Block, blocks, layout};
use kernels::sites::Sites;
use kernels::{Symbol, Symbols};
use ptx::ast::{FunctionDirective, FunctionKind, ScalarType};
use ptx::flat::{Arg, Flat, FlatInstruction, RegId, VarId, VarRole};
use ptx::op::Op;

/// The result of lowering an instruction; the error says why it is unsupported.
pub(super) type Lowered<T> = Result<T, String>;

pub(super) struct Body<'a, 'b> {
    pub flat: &'b Flat<'a>,
    pub builder: &'b mut Builder,
    pub symbols: &'b Symbols,
    pub sites: &'b mut Sites<'a, 'b>,
    pub frame: Frame,
    pub rows: Allocation,
    /// For each register, whether some instruction reads it.
    pub reads: Vec<bool>,
    pub tracked: Tracked,
    pub kernel: bool,
    pub guard: u32,
    pub site: Option<SiteId>,
    /// The index of the instruction that is being lowered.
    pub at: usize,
    /// Branches to patch: instruction and flat target.
    pub(super) fixups: Vec<(usize, usize)>,
    pub(super) brx_fixups: Vec<(usize, Vec<usize>)>,
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
    let tracked = Tracked::of(flat, &blocks, &mut builder.tracked);
    let mut body = Body {
        flat,
        builder,
        symbols,
        sites,
        frame,
        rows,
        reads: kernels::registers::read(flat),
        tracked,
        kernel,
        guard: NO_GUARD,
        site: None,
        at: 0,
        fixups: Vec::new(),
        brx_fixups: Vec::new(),
    };
    if flat.function.directives.contains(&FunctionDirective::BlocksAreClusters) {
        let code =
            body.builder.unsupported(".blocksareclusters (grids of clusters are not implemented)".into());
        body.emit(code);
    }
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
                    // `@p bra next` with the fall-through elsewhere: the branch is inverted.
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
        // A label at the very end of the text has no block; it denotes a `ret`.
        let mut ending = None;
        let mut resolve = |body: &mut Self, target: usize| match start_of(target) {
            u32::MAX => *ending.get_or_insert_with(|| {
                let here = body.builder.here();
                body.end();
                here
            }),
            pc => pc,
        };
        let mut branches = Vec::new();
        for (at, target) in std::mem::take(&mut self.fixups) {
            let pc = resolve(self, target);
            self.builder.program.code[at].code = Code::Bra { target: pc };
            branches.push((at, pc));
        }
        for (at, target) in branches {
            self.builder.shorten(at, target);
        }
        for (brx, targets) in std::mem::take(&mut self.brx_fixups) {
            let targets = targets.into_iter().map(|t| resolve(self, t)).collect();
            self.builder.program.brxs[brx].targets = targets;
        }
    }

    /// Emits the return or exit that ends a text without `ret`.
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

    /// Sets guard and site for the next instruction.
    fn begin(&mut self, i: usize) {
        let inst = &self.flat.instructions[i];
        self.guard = match inst.guard {
            None => NO_GUARD,
            Some(guard) => {
                let offset = self.rows.row(guard.register, 0) & !FILE_MASK;
                offset | if guard.negated { GUARD_NEGATED } else { 0 }
            }
        };
        self.at = i;
        self.site = self.sites.of(self.flat, i);
    }

    fn instruction(&mut self, i: usize) {
        self.begin(i);
        let flat = self.flat;
        let inst = &flat.instructions[i];
        self.touch(i, inst);
        let result = match &inst.op {
            Ok(op) => self.operation(op, inst),
            Err(_) => Err("not decoded".to_owned()),
        };
        if let Err(why) = result {
            self.site = Some(self.sites.force(flat, i));
            let text = self.sites.text_of(inst.source);
            // For a supported kind of image instruction, `why` already says what is unsupported.
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

    /// Emits the report of an instruction's accesses to registers of products.
    fn touch(&mut self, i: usize, inst: &FlatInstruction<'a>) {
        let touches = self.tracked.touches(i, inst);
        if !touches.is_empty() {
            let site = Some(self.sites.force(self.flat, i));
            self.builder.program.rares.push(RareInst::Touch(touches.into()));
            let n = self.builder.program.rares.len() as u32 - 1;
            self.builder.emit(self.guard, Code::Rare(n), site);
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

    /// Returns the bits of a register (of one element).
    pub(super) fn bits(&self, id: RegId) -> u32 {
        self.flat.registers[id.0 as usize].ty.bits()
    }

    pub(super) fn is_wide(row: Row) -> bool {
        row & FILE_MASK == FILE_64
    }

    /// Returns the row of a destination; `NO_ROW` for the sink.
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

    /// Returns the bits of an immediate in the given type.
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

    /// Returns the row of a source: a register, or an immediate of that type.
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

    /// Rejects special registers outside `mov`: none has a value that is constant for all threads and
    /// launches, and every known compiler reads them through a register.
    fn special(&mut self, _: ptx::sreg::SpecialReg, _: ScalarType) -> Lowered<Row> {
        Err("a special register outside of mov".to_owned())
    }

    /// Returns the address of a variable with a fixed one, in its own space.
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

    /// Returns the symbol of a `.shared` or `.global` variable of the function, by its qualified name.
    pub(super) fn local_symbol(&self, id: VarId) -> Option<&Symbol> {
        self.symbols.get_local(&self.flat.function.name.text, id)
    }
}

fn inst_end(i: usize) -> usize {
    i + 1
}

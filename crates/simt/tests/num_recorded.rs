//! Checks [`simt::num`] alone against the recordings of `tests/ptx`: every form whose kernel is straight-line
//! arithmetic is executed one instruction at a time through [`simt::num::eval`].
//!
//! `recorded.rs` replays all forms, these and the others, on the virtual GPU.

use crate::recorded_forms;

use ptx::ast::{AddressBase, Item, Operand, Statement};
use ptx::decode;
use ptx::op::Op;
use recorded_forms::check::{self, Checked};
use recorded_forms::form::Form;
use simt::num::{eval, int::IntTy};
use std::collections::HashMap;
use std::path::PathBuf;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/ptx")
}

/// One thread of a kernel, which executes arithmetic only.
struct Thread<'a> {
    registers: HashMap<&'a str, u64>,
    carry: bool,
    inputs: &'a [u64],
    outputs: &'a mut [u64],
}

/// A kernel's instructions with their decoded meaning.
type Code = Vec<(ptx::ast::Instruction, Op)>;

fn code(text: &str) -> Option<Code> {
    let parsed = ptx::parse(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let function = parsed.module.items.into_iter().find_map(|item| match item {
        Item::Function(f) => Some(f),
        _ => None,
    })?;
    let mut code = Vec::new();
    for statement in function.body?.statements {
        match statement {
            Statement::Instruction(i) => {
                let op = decode(&i).unwrap_or_else(|e| panic!("{e}: {i:?}"));
                code.push((i, op));
            }
            Statement::Variable(v) if v.space == ptx::ast::Space::Reg => {}
            _ => return None,
        }
    }
    Some(code)
}

impl<'a> Thread<'a> {
    fn run(&mut self, code: &'a Code) -> Option<()> {
        for (instruction, op) in code {
            if let Some(guard) = &instruction.guard {
                let p = self.registers.get(&*guard.register.text)? & 1 == 1;
                if p == guard.negated {
                    continue;
                }
            }
            self.step(op, &instruction.operands)?;
        }
        Some(())
    }

    fn step(&mut self, op: &Op, operands: &'a [Operand]) -> Option<()> {
        match op {
            Op::Ld(mem) => match (&operands[0], &operands[1]) {
                (Operand::Name(d), Operand::Address { base: AddressBase::Name(b), offset, .. }) => {
                    let v = match &*b.text {
                        "%in" => *self.inputs.get(*offset as usize / 8)?,
                        "%scratch" => return None,
                        // Parameters are addresses, which this interpreter ignores.
                        _ => 0,
                    };
                    self.set(&d.text, v & u64::MAX >> (64 - mem.ty.bits().min(64)));
                }
                _ => return None,
            },
            Op::St(_) => match (&operands[0], &operands[1]) {
                (Operand::Address { base: AddressBase::Name(b), offset, .. }, value)
                    if &*b.text == "%out" =>
                {
                    let v = self.get(value, 64)?;
                    self.outputs[*offset as usize / 8] = v;
                }
                _ => return None,
            },
            Op::Ret => {}
            Op::Mov { ty } => match (&operands[0], &operands[1]) {
                // The thread's coordinates, which only address arithmetic may use here.
                (Operand::Name(_), Operand::Name(s)) if s.text.contains('.') => {}
                (Operand::Name(d), s) => {
                    let v = self.get(s, ty.bits())?;
                    self.set(&d.text, v);
                }
                _ => return None,
            },
            _ if matches!(operands.first(), Some(Operand::Name(n)) if ["%item", "%step", "%in", "%out"].contains(&&*n.text)) =>
                {}
            // Calls, branches, barriers, …
            _ if operands.is_empty() => return None,
            _ => {
                let bits = operand_bits(op);
                let sources: Option<Vec<u64>> = operands[1..].iter().map(|o| self.get(o, bits)).collect();
                let value = eval(op, &sources?, self.carry)?;
                let d = extend(op, value.d);
                match &operands[0] {
                    Operand::Name(n) | Operand::Selected(n, _) => self.set(&n.text, d),
                    Operand::Pair(p, q) => match (&**p, &**q) {
                        (Operand::Name(p), Operand::Name(q)) => {
                            self.set(&p.text, d);
                            self.set(&q.text, value.second.into());
                        }
                        _ => return None,
                    },
                    _ => return None,
                }
                if let Op::AddCarry { carry_out: true, .. }
                | Op::SubCarry { carry_out: true, .. }
                | Op::MadCarry { carry_out: true, .. } = op
                {
                    self.carry = value.second;
                }
            }
        }
        Some(())
    }

    fn set(&mut self, name: &'a str, v: u64) {
        self.registers.insert(name, v);
    }

    fn get(&self, operand: &Operand, bits: u32) -> Option<u64> {
        Some(match operand {
            // The operation contains the selection and the negation.
            Operand::Name(n) | Operand::Selected(n, _) | Operand::Negated(n, _) => {
                *self.registers.get(&*n.text)?
            }
            Operand::NotName(n) => *self.registers.get(&*n.text)? ^ 1,
            Operand::Int(v, _) => *v as u64 & u64::MAX >> (64 - bits.clamp(1, 64)),
            Operand::F32(v, _) => u64::from(*v),
            Operand::F64(v, _) => *v,
            _ => return None,
        })
    }
}

/// Returns the width to which immediates are truncated.
fn operand_bits(op: &Op) -> u32 {
    match op {
        Op::Add { ty, .. } | Op::AddCarry { ty, .. } | Op::Mul { ty, .. } => ty.bits(),
        _ => 32,
    }
}

/// Extends a narrow signed result of `cvt` to its register by the sign.
fn extend(op: &Op, d: u64) -> u64 {
    match op {
        Op::Cvt { dst, .. } => match IntTy::of(*dst) {
            Some(t) if t.signed && t.bits < 32 => {
                let wide = t.signed_value(d) as u64;
                // 8-bit results are in 32-bit registers, 16-bit ones in registers of their own width.
                if t.bits == 8 { wide & 0xffff_ffff } else { wide & 0xffff }
            }
            _ => d,
        },
        _ => d,
    }
}

fn evaluate(form: &Form, text: &str, inputs: &[u64]) -> Option<Vec<u64>> {
    let code = code(text)?;
    let (s, r) = (form.sources.len(), form.results.len());
    // The virtual GPU's test runs all items; the fully recorded ones suffice to identify a wrong function.
    let mut outputs = vec![0; form.kept * r];
    for (item, out) in outputs.chunks_mut(r).enumerate() {
        let inputs = &inputs[item * s..(item + 1) * s];
        Thread { registers: HashMap::new(), carry: false, inputs, outputs: out }.run(&code)?;
    }
    Some(outputs)
}

#[test]
fn arithmetic_agrees_with_the_recordings() {
    let (mut exact, mut skipped, mut wrong) = (0, 0, Vec::new());
    check::each_form(&root(), |form, text, inputs, recording| {
        let Some(outputs) = evaluate(form, text, inputs) else {
            skipped += 1;
            return;
        };
        match check::check(form, inputs, &outputs, recording) {
            Checked::Same => exact += 1,
            Checked::Differs(what) => wrong.push(what),
        }
    });
    println!("{exact} forms agree, {skipped} need more than arithmetic");
    assert!(wrong.is_empty(), "{} forms differ from the GPU:\n{}", wrong.len(), wrong.join("\n"));
    assert!(exact > 1000, "only {exact} forms were checked");
}

//! Lowers calls and the passing of arguments.

use super::body::{Body, Lowered};
use crate::program::*;
use kernels::Symbol;
use kernels::device_runtime::device_call;
use ptx::ast::ScalarType;
use ptx::flat::Arg;
use smallvec::SmallVec;

impl<'a> Body<'a, '_> {
    pub(super) fn interface(&self, bindings: &[ptx::flat::Binding]) -> Vec<Slot> {
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

    pub(super) fn call(&mut self, args: &[Arg<'a>]) -> Lowered<()> {
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
                Some(Symbol::Function { index }) => {
                    let calls = self.sites.frames(self.flat, self.at);
                    CallTarget::Function(self.builder.copies.callee(*index, calls))
                }
                _ => match *name {
                    "vprintf" => CallTarget::Builtin(Builtin::Vprintf),
                    "malloc" => CallTarget::Builtin(Builtin::Malloc),
                    "free" => CallTarget::Builtin(Builtin::Free),
                    "cudaGraphSetConditional" => CallTarget::Builtin(Builtin::SetConditional),
                    "__assertfail" | "__assert_fail" => CallTarget::Builtin(Builtin::AssertFail),
                    name => match device_call(name) {
                        Some(call) => CallTarget::Builtin(Builtin::Device(call)),
                        None => CallTarget::Undefined(name.to_owned()),
                    },
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

    pub(super) fn slot(&mut self, arg: &Arg<'a>) -> Lowered<Slot> {
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

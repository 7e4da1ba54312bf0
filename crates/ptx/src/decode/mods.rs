//! The modifiers of one instruction, taken one by one in any order.

use super::DecodeError;
use crate::ast::{Instruction, Name, Operand, ScalarType, Span};
use crate::op::{MemSpace, Rounding, Scope};

pub(super) struct Mods<'a> {
    instruction: &'a Instruction,
    /// A bit for each modifier that was taken.
    used: u32,
}

impl<'a> Mods<'a> {
    pub(super) fn new(instruction: &'a Instruction) -> Result<Self, DecodeError> {
        if instruction.modifiers.len() > 32 {
            return Err(DecodeError {
                span: instruction.span,
                message: "more than 32 modifiers".to_string(),
            });
        }
        Ok(Mods { instruction, used: 0 })
    }

    /// Takes the first remaining modifier that `f` recognises.
    pub(super) fn pick<T>(&mut self, f: impl Fn(&str) -> Option<T>) -> Option<T> {
        for (i, name) in self.instruction.modifiers.iter().enumerate() {
            if self.used & (1 << i) == 0
                && let Some(value) = f(&name.text)
            {
                self.used |= 1 << i;
                return Some(value);
            }
        }
        None
    }

    /// Takes a modifier if it is present.
    pub(super) fn has(&mut self, word: &str) -> bool {
        self.pick(|name| (name == word).then_some(())).is_some()
    }

    /// Takes a modifier, or returns an error if it is missing.
    pub(super) fn need(&mut self, word: &str) -> Result<(), DecodeError> {
        if self.has(word) { Ok(()) } else { Err(self.missing(&format!("`.{word}`"))) }
    }

    /// Takes all modifiers that `f` accepts.
    pub(super) fn skip(&mut self, f: impl Fn(&str) -> bool) {
        while self.pick(|name| f(name).then_some(())).is_some() {}
    }

    /// Returns an operand, for instructions whose meaning depends on its spelling; an instruction may have
    /// fewer.
    pub(super) fn operand(&self, k: usize) -> Option<&'a Operand> {
        self.instruction.operands.get(k)
    }

    pub(super) fn span(&self) -> Span {
        self.instruction.span
    }

    pub(super) fn opcode(&self) -> &'a str {
        &self.instruction.opcode.text
    }

    /// Returns the instruction's spelling, for messages.
    pub(super) fn spelled(&self) -> String {
        spelled(self.instruction)
    }

    pub(super) fn error(&self, message: impl Into<String>) -> DecodeError {
        DecodeError { span: self.span(), message: message.into() }
    }

    pub(super) fn missing(&self, what: &str) -> DecodeError {
        self.error(format!("`{}` lacks {what}", self.spelled()))
    }

    /// Returns an error if a modifier was not taken.
    pub(super) fn finish(&self) -> Result<(), DecodeError> {
        match self.left() {
            None => Ok(()),
            Some(name) => Err(DecodeError {
                span: name.span,
                message: format!("`{}` does not take `.{}`", self.instruction.opcode.text, name.text),
            }),
        }
    }

    fn left(&self) -> Option<&'a Name> {
        let modifiers = &self.instruction.modifiers;
        modifiers.iter().enumerate().find(|&(i, _)| self.used & (1 << i) == 0).map(|(_, name)| name)
    }

    pub(super) fn try_ty(&mut self) -> Option<ScalarType> {
        self.pick(ScalarType::from_name)
    }

    /// Takes the first remaining type; it must satisfy `allowed`.
    pub(super) fn ty(&mut self, allowed: impl Fn(ScalarType) -> bool) -> Result<ScalarType, DecodeError> {
        match self.try_ty() {
            None => Err(self.missing("a type")),
            Some(ty) if allowed(ty) => Ok(ty),
            Some(ty) => Err(self.bad_type(ty)),
        }
    }

    pub(super) fn bad_type(&self, ty: ScalarType) -> DecodeError {
        let named = self.instruction.modifiers.iter().find(|name| name.text == ty.name());
        DecodeError {
            span: named.map_or(self.span(), |name| name.span),
            message: format!("`{}` does not work on `.{}`", self.spelled(), ty.name()),
        }
    }

    pub(super) fn rounding(&mut self) -> Option<Rounding> {
        self.pick(|name| {
            Some(match name {
                "rn" => Rounding::Nearest,
                "rz" => Rounding::Zero,
                "rm" => Rounding::Down,
                "rp" => Rounding::Up,
                "rna" => Rounding::NearestAway,
                "rs" => Rounding::Stochastic,
                "rni" => Rounding::NearestInt,
                "rzi" => Rounding::ZeroInt,
                "rmi" => Rounding::DownInt,
                "rpi" => Rounding::UpInt,
                _ => return None,
            })
        })
    }

    /// Takes `.rn`, `.rz`, `.rm` or `.rp`, if present.
    pub(super) fn float_rounding(&mut self) -> Result<Option<Rounding>, DecodeError> {
        match self.rounding() {
            None => Ok(None),
            Some(r @ (Rounding::Nearest | Rounding::Zero | Rounding::Down | Rounding::Up)) => Ok(Some(r)),
            Some(_) => {
                Err(self.error(format!("`{}` rounds by `.rn`, `.rz`, `.rm` or `.rp`", self.spelled())))
            }
        }
    }

    pub(super) fn scope(&mut self) -> Option<Scope> {
        self.pick(|name| {
            Some(match name {
                "cta" => Scope::Cta,
                "cluster" => Scope::Cluster,
                "gpu" => Scope::Gpu,
                "sys" => Scope::Sys,
                _ => return None,
            })
        })
    }

    /// Takes a state space; an address without one is generic.
    pub(super) fn space(&mut self) -> Option<MemSpace> {
        self.pick(|name| {
            Some(match name {
                "global" => MemSpace::Global,
                "shared" | "shared::cta" => MemSpace::SharedCta,
                "shared::cluster" => MemSpace::SharedCluster,
                "local" => MemSpace::Local,
                "const" => MemSpace::Const,
                "param" | "param::entry" => MemSpace::Param,
                "param::func" => MemSpace::ParamFunc,
                _ => return None,
            })
        })
    }

    /// Skips cache operators, eviction priorities and prefetch sizes: hints (PTX §9.7.10).
    pub(super) fn skip_cache_hints(&mut self) {
        self.skip(|name| {
            matches!(name, "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt")
                || name.starts_with("L1::")
                || name.starts_with("L2::")
                || name.starts_with("level1::")
                || name.starts_with("level2::")
        });
    }

    /// Takes `.v2`, `.v4` or `.v8` and returns the vector length; 1 without one.
    pub(super) fn vector(&mut self) -> u8 {
        self.pick(|name| match name {
            "v2" => Some(2),
            "v4" => Some(4),
            "v8" => Some(8),
            _ => None,
        })
        .unwrap_or(1)
    }
}

fn spelled(instruction: &Instruction) -> String {
    let mut text = instruction.opcode.text.to_string();
    for modifier in &instruction.modifiers {
        text.push('.');
        text.push_str(&modifier.text);
    }
    text
}

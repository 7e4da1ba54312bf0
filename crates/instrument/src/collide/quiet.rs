//! Kernels that do not synchronise with the host while they run: none of their accesses is strong with system
//! scope.
//!
//! The start and the end of such a kernel alone order its writes with the host's actions (PTX §8.7: two
//! operations are morally strong only if the scope of each includes the other's thread). `volatile` is
//! relaxed with that scope (§8.4.2).

use kernels::effects::{Control, Place, effects, uses_descriptors};
use ptx::ast::{FunctionKind, Item, Module, Operand};
use ptx::flat::{Arg, FlatInstruction, flatten};
use ptx::op::{MemSpace, Op, Scope, Sem};
use std::collections::BTreeMap;

/// CUDA's own functions that are called without a body and do not access the program's memory.
const KNOWN: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];

/// Returns the names of such entry points, with the number of their parameters.
pub(super) fn quiet(module: &Module) -> BTreeMap<String, u32> {
    let functions = module.items.iter().filter_map(|item| match item {
        Item::Function(function) => Some(function),
        _ => None,
    });
    let mut out = BTreeMap::new();
    let mut called_are = true;
    for function in functions {
        let name = function.name.text.to_string();
        let is_entry = function.kind == FunctionKind::Entry;
        let is_quiet = match &function.body {
            Some(_) => !flatten(function).instructions.iter().any(is_loud),
            None => is_entry || KNOWN.contains(&name.as_str()),
        };
        match is_entry {
            true if is_quiet && function.body.is_some() => {
                out.insert(name, function.params.len() as u32);
            }
            true => {}
            // The call graph is not analysed: any function may be called by any kernel.
            false => called_are &= is_quiet,
        }
    }
    if called_are { out } else { BTreeMap::new() }
}

fn is_loud(inst: &FlatInstruction<'_>) -> bool {
    let Ok(op) = &inst.op else { return true };
    if matches!(op, Op::Unknown) || uses_descriptors(op) {
        return true;
    }
    let effects = effects(op, &inst.args);
    // The callee of an indirect call is unknown.
    let callee = inst.source.operands.iter().zip(&inst.args).find(|(op, _)| !matches!(op, Operand::List(..)));
    let unknown = effects.control == Control::Call && !matches!(callee, Some((_, Arg::Symbol(..))));
    unknown
        || effects.touches.iter().any(|touch| {
            let shared = matches!(
                touch.place,
                Place::Memory(
                    MemSpace::SharedCta
                        | MemSpace::SharedCluster
                        | MemSpace::Local
                        | MemSpace::Const
                        | MemSpace::Param
                        | MemSpace::ParamFunc
                )
            );
            let strong = match touch.sem {
                Sem::Weak => false,
                Sem::Volatile | Sem::Mmio => true,
                _ => touch.scope == Scope::Sys,
            };
            !shared && (strong || touch.place == Place::Multimem)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_quiet(functions: &str, body: &str) -> bool {
        let text = format!(
            ".version 7.1\n.target sm_80\n.address_size 64\n{functions}\n.visible .entry k(.param .u64 p)\n{{\n\
             .reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\n{body}\nret;\n}}\n"
        );
        let parsed = ptx::parse(&text);
        assert!(parsed.errors.is_empty(), "{text}");
        quiet(&parsed.module).get("k") == Some(&1)
    }

    #[test]
    fn what_the_host_may_take_part_in_is_loud() {
        let quiet = |body| is_quiet("", body);
        assert!(quiet("st.global.u32 [%rd1], 1;\nld.global.u32 %r1, [%rd1];"));
        assert!(quiet("atom.global.add.u32 %r1, [%rd1], 1;\nmembar.sys;"), "of the GPU's scope");
        assert!(!quiet("st.volatile.global.u32 [%rd1], 1;"));
        assert!(!quiet("ld.acquire.sys.global.u32 %r1, [%rd1];"));
        assert!(!quiet("red.relaxed.sys.global.add.u32 [%rd1], 1;"));
        assert!(!quiet("atom.sys.add.u32 %r1, [%rd1], 1;"), "a generic address");
        assert!(!quiet("no.such.instruction %r1;"));
        let function = |body: &str| format!(".func f()\n{{\n.reg .b64 %rd<2>;\n{body}\nret;\n}}");
        let called = |body: &str| is_quiet(&function(body), "call.uni f;");
        assert!(called("st.global.u32 [%rd1], 1;") && !called("st.volatile.global.u32 [%rd1], 1;"));
        assert!(!is_quiet(".extern .func g();", "call.uni g;"), "nobody knows what it does");
        let pointed = format!("{}\nP: .callprototype _ ();", "mov.u64 %rd2, f;");
        assert!(!is_quiet(&function(""), &format!("{pointed}\ncall %rd2, (), P;")));
    }
}

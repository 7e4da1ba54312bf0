//! Helpers that several test files share.
#![allow(dead_code, unused_imports)]

pub(crate) mod exercise;

pub(crate) use exercise::meaning;
use ptx::ast::{Function, Instruction, Item, Module, Statement};

/// Parses a well-formed module.
pub(crate) fn module(text: &str) -> Module {
    let parse = ptx::parse(text);
    assert_eq!(parse.errors, [], "{text}");
    parse.module
}

/// Returns a kernel with that body.
pub(crate) fn kernel(body: &str) -> Module {
    module(&format!(".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n{body}\n}}\n"))
}

/// Returns the only function of a module.
pub(crate) fn only_function(module: &Module) -> &Function {
    let mut functions = module.items.iter().filter_map(|item| match item {
        Item::Function(function) => Some(function),
        _ => None,
    });
    let function = functions.next().expect("a function");
    assert!(functions.next().is_none(), "one function");
    function
}

/// Returns the only statement of a kernel, an instruction.
pub(crate) fn instruction(text: &str) -> Instruction {
    let module = kernel(text);
    let body = only_function(&module).body.as_ref().expect("a body");
    match body.statements.as_slice() {
        [Statement::Instruction(instruction)] => instruction.clone(),
        other => panic!("{text}: {other:?}"),
    }
}

/// The project's own PTX files.
pub(crate) const FIXTURES: &[(&str, &str)] = &[
    ("nvcc.ptx", include_str!("../fixtures/nvcc.ptx")),
    ("llvm.ptx", include_str!("../fixtures/llvm.ptx")),
    ("declarations.ptx", include_str!("../fixtures/declarations.ptx")),
    ("instructions.ptx", include_str!("../fixtures/instructions.ptx")),
];

//! The common body of `tests/hostile.rs` and of the fuzz target `fuzz/fuzz_targets/ptx.rs`.

use ptx::ast::{Item, Module};

/// Returns the module without spans.
pub(crate) fn meaning(module: &Module) -> Module {
    let mut module = module.clone();
    module.erase_spans();
    module
}

/// Runs every operation of the crate on a text, and checks the properties that hold for any text.
pub(crate) fn exercise(text: &str) {
    let parse = ptx::parse(text);
    for error in &parse.errors {
        assert!(error.span.start <= error.span.end && error.span.end as usize <= text.len());
        assert!(error.line >= 1 && error.column >= 1 && !error.message.is_empty());
    }
    let table = ptx::lines::LineTable::new(&parse.module);
    let noreturn = ptx::cfg::noreturn_functions(&parse.module);
    for item in &parse.module.items {
        let Item::Function(function) = item else { continue };
        let flat = ptx::flatten(function);
        let cfg = ptx::cfg::Cfg::new(&flat, |name| noreturn.contains(name));
        let lines = ptx::lines::FunctionLines::new(&table, &flat);
        for (i, instruction) in flat.instructions.iter().enumerate() {
            let _ = lines.frames(instruction);
            let _ = cfg.reconvergence(i as u32);
        }
    }
    let printed = ptx::print(&parse.module);
    // A text without errors prints to a text without errors.
    if parse.errors.is_empty() {
        let again = ptx::parse(&printed);
        assert_eq!(again.errors, [], "{printed}");
        assert_eq!(meaning(&parse.module), meaning(&again.module), "{printed}");
    }
}

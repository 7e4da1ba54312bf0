//! Prints each memory instruction of PTX files with its source frames:
//! `cargo run -p ptx --example ptxlines -- FILE…`

use ptx::ast::Item;
use ptx::lines::{FunctionLines, LineTable};
use ptx::op::Op;

fn main() {
    for path in std::env::args().skip(1) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let parse = ptx::parse(&text);
        let table = LineTable::new(&parse.module);
        for item in &parse.module.items {
            let Item::Function(function) = item else { continue };
            let flat = ptx::flatten(function);
            let lines = FunctionLines::new(&table, &flat);
            println!("{}", function.name.text);
            for instruction in &flat.instructions {
                if !matches!(instruction.op, Ok(Op::Ld(_) | Op::St(_) | Op::Atom(_) | Op::Red(_))) {
                    continue;
                }
                println!("  {}", ptx::print_instruction(instruction.source));
                for frame in lines.frames(instruction) {
                    println!("    {}:{}:{} {}", frame.file, frame.line, frame.column, frame.function);
                }
            }
        }
    }
}

//! The names of the tool, which no program uses.

use ptx::ast::{AddressBase, Block, Instruction, Name, Operand, Statement, Variable};

/// The label of a body's second copy.
pub(crate) const PLAIN: &str = "$__warprace_plain";
/// The parameter that the host adds to a launch.
pub(crate) const LAUNCH: &str = "__warprace_launch";
/// The parameter with the address of the caller's buffer, and the prefix of its arguments.
pub(crate) const TOLD: &str = "__warprace_told";
/// The buffer of a kernel whose address is passed to functions.
pub(crate) const BUFFER: &str = "__warprace_known";

/// Returns whether a name is one of the tool's.
pub(crate) fn is_own(name: &str) -> bool {
    let bare = name.trim_start_matches(['%', '$']);
    bare.starts_with("wr_") || bare.starts_with("__warprace_")
}

/// Returns whether a register keeps its value from one added block to the next.
pub(crate) fn is_lasting(register: &str) -> bool {
    register.starts_with("%__warprace_")
}

/// Returns a name of the tool that a statement mentions, blocks inside it included.
pub(crate) fn named(statement: &Statement) -> Option<&str> {
    match statement {
        Statement::Variable(variable) => declared(variable),
        Statement::Label(label) => own(label),
        Statement::Instruction(instruction) => in_instruction(instruction),
        Statement::Block(block) => block.statements.iter().find_map(named),
        Statement::BranchTargets { label, targets } | Statement::CallTargets { label, targets } => {
            own(label).or_else(|| targets.iter().find_map(own))
        }
        Statement::CallPrototype { label, .. } => own(label),
        Statement::Loc(_) | Statement::Pragma(_) | Statement::Other { .. } => None,
    }
}

/// Returns whether an instrumented block is an added one: its first statement is not a block and names the tool.
pub(crate) fn is_added(block: &Block) -> bool {
    match block.statements.first() {
        None | Some(Statement::Block(_)) => false,
        Some(first) => named(first).is_some(),
    }
}

/// Returns the name of a declaration if it is the tool's.
pub(crate) fn declared(variable: &Variable) -> Option<&str> {
    own(&variable.name)
}

fn own(name: &Name) -> Option<&str> {
    is_own(&name.text).then_some(name.text.as_str())
}

/// Returns a name of the tool in an instruction.
pub(crate) fn in_instruction(instruction: &Instruction) -> Option<&str> {
    let guard = instruction.guard.as_ref().and_then(|guard| own(&guard.register));
    guard.or_else(|| instruction.operands.iter().find_map(in_operand))
}

fn in_operand(operand: &Operand) -> Option<&str> {
    match operand {
        Operand::Name(name)
        | Operand::NotName(name)
        | Operand::NameOffset(name, _)
        | Operand::Element(name, _)
        | Operand::Selected(name, _)
        | Operand::Negated(name, _) => own(name),
        Operand::Sink | Operand::Int(..) | Operand::F32(..) | Operand::F64(..) => None,
        Operand::Address { base, rest, .. } => match base {
            AddressBase::Name(name) => own(name),
            AddressBase::Absolute => None,
        }
        .or_else(|| rest.iter().find_map(in_operand)),
        Operand::Vector(items, _) | Operand::List(items, _) => items.iter().find_map(in_operand),
        Operand::Pair(a, b) => in_operand(a).or_else(|| in_operand(b)),
    }
}

//! Decodes an instruction's modifiers to its typed meaning.
//!
//! [`OPCODES`] lists every supported opcode with the one function that decodes it. Such a function takes the
//! modifiers it knows from [`Mods`]; any modifier left over is an error. The order of modifiers therefore
//! does not matter, except where PTX gives the order a meaning (`cvt.d.s`, `mma….d.a.b.c`).

mod arith;
mod arity;
mod bits;
mod compare;
mod control;
mod convert;
mod copy;
mod image;
mod matrix;
mod memory;
mod mma;
mod mods;
mod sync;
mod tcgen05;
mod tensor;
mod video;
mod wgmma;

use crate::ast::{Instruction, Span};
use crate::op::Op;
use mods::Mods;

/// The error for a known opcode with invalid modifiers or operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// The span of the offending modifier, or of the instruction.
    pub span: Span,
    /// A lower-case sentence fragment.
    pub message: String,
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DecodeError {}

type Decoded = Result<Op, DecodeError>;
type Decoder = fn(&mut Mods) -> Decoded;

/// Returns the typed meaning of an instruction.
///
/// Unknown instructions, and known ones in forms that [`Op`] does not represent, become [`Op::Unknown`]. A
/// known opcode with modifiers that PTX does not give it, or with too few or too many operands, is an error.
pub fn decode(instruction: &Instruction) -> Result<Op, DecodeError> {
    let Some(decoder) = decoder(&instruction.opcode.text) else {
        return Ok(Op::Unknown);
    };
    let mut mods = Mods::new(instruction)?;
    let op = decoder(&mut mods)?;
    if op != Op::Unknown {
        mods.finish()?;
    }
    let (arity, count) = (arity::arity(&op), instruction.operands.len());
    if !arity.contains(&count) {
        let (least, most) = (arity.start(), arity.end());
        let expected = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let plural = if expected == "1" { "" } else { "s" };
        return Err(mods.error(format!("`{}` has {expected} operand{plural}, not {count}", mods.spelled())));
    }
    Ok(op)
}

macro_rules! opcodes {
    ($($name:literal => $decoder:path,)*) => {
        fn decoder(opcode: &str) -> Option<Decoder> {
            match opcode {
                $($name => Some($decoder),)*
                _ => None,
            }
        }

        /// Every opcode that [`decode`] supports.
        pub const OPCODES: &[&str] = &[$($name),*];
    };
}

opcodes! {
    "add" => arith::add,
    "addc" => arith::addc,
    "sub" => arith::sub,
    "subc" => arith::subc,
    "mul" => arith::mul,
    "mad" => arith::mad,
    "madc" => arith::madc,
    "fma" => arith::fma,
    "mul24" => arith::mul24,
    "mad24" => arith::mad24,
    "sad" => arith::sad,
    "div" => arith::div,
    "rem" => arith::rem,
    "abs" => arith::abs,
    "neg" => arith::neg,
    "min" => arith::min,
    "max" => arith::max,
    "rcp" => arith::rcp,
    "sqrt" => arith::sqrt,
    "rsqrt" => arith::rsqrt,
    "sin" => arith::sin,
    "cos" => arith::cos,
    "lg2" => arith::lg2,
    "ex2" => arith::ex2,
    "tanh" => arith::tanh,
    "copysign" => arith::copysign,
    "dp4a" => arith::dp4a,
    "dp2a" => arith::dp2a,
    "cvt" => convert::cvt,
    "popc" => bits::popc,
    "clz" => bits::clz,
    "bfind" => bits::bfind,
    "fns" => bits::fns,
    "brev" => bits::brev,
    "bfe" => bits::bfe,
    "bfi" => bits::bfi,
    "bmsk" => bits::bmsk,
    "szext" => bits::szext,
    "and" => bits::and,
    "or" => bits::or,
    "xor" => bits::xor,
    "not" => bits::not,
    "cnot" => bits::cnot,
    "lop3" => bits::lop3,
    "shf" => bits::shf,
    "shl" => bits::shl,
    "shr" => bits::shr,
    "prmt" => bits::prmt,
    "vadd" => video::scalar,
    "vsub" => video::scalar,
    "vabsdiff" => video::scalar,
    "vmin" => video::scalar,
    "vmax" => video::scalar,
    "vshl" => video::scalar,
    "vshr" => video::scalar,
    "vset" => video::scalar,
    "vmad" => video::vmad,
    "vadd2" => video::simd,
    "vadd4" => video::simd,
    "vsub2" => video::simd,
    "vsub4" => video::simd,
    "vavrg2" => video::simd,
    "vavrg4" => video::simd,
    "vabsdiff2" => video::simd,
    "vabsdiff4" => video::simd,
    "vmin2" => video::simd,
    "vmin4" => video::simd,
    "vmax2" => video::simd,
    "vmax4" => video::simd,
    "vset2" => video::simd,
    "vset4" => video::simd,
    "testp" => compare::testp,
    "set" => compare::set,
    "setp" => compare::setp,
    "selp" => compare::selp,
    "slct" => compare::slct,
    "mov" => memory::mov,
    "ld" => memory::ld,
    "ldu" => memory::ldu,
    "st" => memory::st,
    "atom" => memory::atom,
    "red" => memory::red,
    "multimem" => memory::multimem,
    "prefetch" => memory::prefetch,
    "prefetchu" => memory::prefetch,
    "applypriority" => memory::prefetch,
    "discard" => memory::discard,
    "createpolicy" => memory::createpolicy,
    "isspacep" => memory::isspacep,
    "cvta" => memory::cvta,
    "mapa" => memory::mapa,
    "getctarank" => memory::getctarank,
    "tex" => image::tex,
    "suld" => image::suld,
    "sust" => image::sust,
    "sured" => image::sured,
    "suq" => image::suq,
    "cp" => copy::cp,
    "tcgen05" => tcgen05::tcgen05,
    "tensormap" => tensor::tensormap,
    "bra" => control::bra,
    "brx" => control::brx,
    "call" => control::call,
    "ret" => control::ret,
    "exit" => control::exit,
    "trap" => control::trap,
    "brkpt" => control::brkpt,
    "nanosleep" => control::nanosleep,
    "pmevent" => control::pmevent,
    "setmaxnreg" => control::setmaxnreg,
    "alloca" => control::alloca,
    "stacksave" => control::stacksave,
    "stackrestore" => control::stackrestore,
    "griddepcontrol" => control::griddepcontrol,
    "bar" => sync::bar,
    "barrier" => sync::barrier,
    "membar" => sync::membar,
    "fence" => sync::fence,
    "mbarrier" => sync::mbarrier,
    "vote" => sync::vote,
    "match" => sync::match_sync,
    "activemask" => sync::activemask,
    "redux" => sync::redux,
    "elect" => sync::elect,
    "clusterlaunchcontrol" => sync::cluster_launch_control,
    "shfl" => sync::shfl,
    "wmma" => matrix::wmma,
    "mma" => mma::mma,
    "wgmma" => wgmma::wgmma,
    "ldmatrix" => matrix::ldmatrix,
    "stmatrix" => matrix::stmatrix,
    "movmatrix" => matrix::movmatrix,
}

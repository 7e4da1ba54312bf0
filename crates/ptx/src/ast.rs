//! The syntax tree of a PTX module.
//!
//! Names appear as written (`%r1`, `$L__BB0_2`, `_Z3addPf`). Spans are byte offsets into the source text, so
//! that errors and rewriting passes can refer to exact places.

pub use smol_str::SmolStr;

/// A half-open range of byte offsets into the PTX text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// An identifier with its span.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The identifier, almost always short enough to need no allocation.
    pub text: SmolStr,
    pub span: Span,
}

/// One `.ptx` module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// `.version major.minor`.
    pub version: (u32, u32),
    /// `.target sm_90, debug`, in order.
    pub target: Vec<String>,
    /// `.address_size`, 32 or 64 (the default is 32, PTX §11.1.3, but every modern producer states 64).
    pub address_size: u32,
    pub items: Vec<Item>,
}

/// A module-scope statement, in source order.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Variable(Variable),
    Function(Function),
    /// `.file index "path" [, timestamp, size]`.
    File(File),
    /// `.section .debug_str { … }`.
    Section(Section),
    /// `.pragma "…";` at module scope.
    Pragma(Vec<String>),
    /// `.alias a, b;`.
    Alias(Name, Name),
    /// Any other module-scope directive, verbatim (without the final `;`).
    Other {
        text: String,
        span: Span,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct File {
    pub index: u32,
    pub path: String,
    pub timestamp_and_size: Option<(u64, u64)>,
}

/// A debug section: its lines verbatim. `Section::strings` resolves labels into text.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    pub name: String,
    pub lines: Vec<SectionLine>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SectionLine {
    /// `$L__info_string0:`.
    Label(String),
    /// `.b8 95,90,78,…` with the element width in bytes.
    Data { width: u8, values: Vec<SectionValue> },
}

#[derive(Clone, Debug, PartialEq)]
pub enum SectionValue {
    Int(i128),
    /// `label`, `label+offset` or `label1-label2`, verbatim.
    Symbol(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linkage {
    None,
    Extern,
    Visible,
    Weak,
    Common,
}

/// State spaces, PTX §5.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    Reg,
    Sreg,
    Const,
    Global,
    Local,
    /// `.param`; [`crate::op`] distinguishes `::entry` and `::func`.
    Param,
    Shared,
    Tex,
}

/// A variable declaration in any space, a parameter, or a register declaration
/// (`.reg .b32 %r<10>;` has `count = Some(10)`).
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub linkage: Linkage,
    pub space: Space,
    /// The bank in `.const[2]`, if present.
    pub bank: Option<u32>,
    pub align: Option<u32>,
    /// The vector length: 2, 4 or 8 for `.v2`, `.v4` or `.v8`, and 1 otherwise.
    pub vector: u8,
    pub ty: ScalarType,
    /// Attributes such as `.ptr .global .align 4` (parameters) or
    /// `.attribute(.managed)`; see [`VarAttribute`].
    pub attributes: Vec<VarAttribute>,
    pub name: Name,
    /// The number of registers in `%r<10>`.
    pub count: Option<u32>,
    /// Array dimensions; `None` is the empty `[]`.
    pub dims: Vec<Option<u64>>,
    pub init: Option<Init>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum VarAttribute {
    /// `.ptr{.space}{.align n}` on kernel parameters.
    Ptr {
        space: Option<Space>,
        align: Option<u32>,
    },
    Managed,
    /// `.attribute(.unified(a, b))`.
    Unified(u64, u64),
    /// Any other attribute, verbatim.
    Other(String),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    List(Vec<Init>),
    Int(i128),
    /// The bits of a literal in `0f` form. `F64` holds those of the `0d` and decimal forms.
    F32(u32),
    F64(u64),
    /// `name`, `name+4`, `generic(name)+4`.
    Symbol {
        name: Name,
        generic: bool,
        offset: i64,
    },
    /// `0xFF(name)`: one byte of an address, by mask.
    MaskedSymbol {
        mask: u64,
        name: Name,
        generic: bool,
        offset: i64,
    },
    /// The properties of a `.texref`, `.samplerref` or `.surfref`, verbatim.
    Other(String),
}

/// Fundamental types (PTX §5.2), with the packed and alternate formats that instructions name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarType {
    Pred,
    B1,
    B4,
    B8,
    B16,
    B32,
    B64,
    B128,
    U4,
    U8,
    U16,
    U32,
    U64,
    S4,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    Tf32,
    F32,
    F32x2,
    F64,
    U16x2,
    S16x2,
    U8x4,
    S8x4,
    E4m3,
    E5m2,
    E2m1,
    E2m3,
    E3m2,
    Ue8m0,
    Ue4m3,
    E4m3x2,
    E5m2x2,
    E4m3x4,
    E5m2x4,
    E2m1x4,
    E2m3x4,
    E3m2x4,
    E2m1x2,
    E2m3x2,
    E3m2x2,
    Ue8m0x2,
    S2f6x2,
    Texref,
    Samplerref,
    Surfref,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    Entry,
    Func,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub kind: FunctionKind,
    pub linkage: Linkage,
    pub name: Name,
    /// The results: `.func (ret…)`.
    pub returns: Vec<Variable>,
    pub params: Vec<Variable>,
    pub directives: Vec<FunctionDirective>,
    /// The body; `None` for a declaration.
    pub body: Option<Block>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FunctionDirective {
    MaxNReg(u32),
    /// `.maxntid x, y, z`; missing dimensions are 1.
    MaxNTid([u32; 3]),
    ReqNTid([u32; 3]),
    MinNCtaPerSm(u32),
    MaxNCtaPerSm(u32),
    NoReturn,
    ExplicitCluster,
    ReqNCtaPerCluster([u32; 3]),
    MaxClusterRank(u32),
    BlocksAreClusters,
    Pragma(Vec<String>),
    /// Any other directive, verbatim.
    Other(String),
}

/// A `{ … }` scope. Registers and labels declared inside are visible inside only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    pub statements: Vec<Statement>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Variable(Variable),
    Label(Name),
    Loc(Loc),
    Instruction(Instruction),
    Block(Block),
    Pragma(Vec<String>),
    /// `label: .branchtargets a, b;`.
    BranchTargets {
        label: Name,
        targets: Vec<Name>,
    },
    /// `label: .calltargets f, g;`.
    CallTargets {
        label: Name,
        targets: Vec<Name>,
    },
    /// `label: .callprototype (ret) _ (params);`.
    CallPrototype {
        label: Name,
        returns: Vec<Variable>,
        params: Vec<Variable>,
        noreturn: bool,
    },
    /// Any other directive, verbatim.
    Other {
        text: String,
        span: Span,
    },
}

/// `.loc file line column [, function_name label[+off], inlined_at file line column]`, PTX §11.5.4.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loc {
    pub file: u32,
    pub line: u32,
    pub column: u32,
    pub inlined: Option<InlinedAt>,
}

/// The call site of the inlined function of a [`Loc`]. The `.loc` that describes the call site continues the
/// chain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InlinedAt {
    /// A label in `.debug_str`, and an offset.
    pub function_name: (SmolStr, u64),
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

/// One instruction, not yet decoded: `@!%p1 ld.global.u32 %r1, [%rd1+4];`
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    pub guard: Option<Guard>,
    /// The opcode alone: `ld`. For `cp.async.bulk` it is `cp`.
    pub opcode: Name,
    /// Dotted modifiers in written order, without the dot: `["global", "u32"]`. Modifiers with `::` are one
    /// element: `shared::cta`, `mbarrier::complete_tx::bytes`.
    pub modifiers: Vec<Name>,
    pub operands: Vec<Operand>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    pub negated: bool,
    pub register: Name,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, special register (`%tid.x` is one name), variable, label or function.
    Name(Name),
    /// `!%p1`.
    NotName(Name),
    /// `_`, the sink.
    Sink,
    Int(i128, Span),
    /// `0f3F800000`.
    F32(u32, Span),
    /// `0d3FF0000000000000` or a decimal literal.
    F64(u64, Span),
    /// `[base+offset]` or `[12]`; `rest` holds the second element of the two-part `[a, {x, y}]` forms.
    Address {
        base: AddressBase,
        offset: i64,
        rest: Vec<Operand>,
        span: Span,
    },
    /// `{%r1, %r2}`.
    Vector(Vec<Operand>, Span),
    /// `%r1|%p1`, a pair of destinations.
    Pair(Box<Operand>, Box<Operand>),
    /// `(a, b)`, call arguments and results.
    List(Vec<Operand>, Span),
    /// `name+4` outside brackets (`mov.u64 %rd1, array+4;`).
    NameOffset(Name, i64),
    /// `%v.x`: an element of a vector register.
    Element(Name, u8),
    /// `%r1.b0`, `%r1.h1`, `%r1.b3210`: bytes or halves, on video instructions (PTX §9.7.19) only.
    Selected(Name, SmolStr),
    /// `-%r1`, `-%r1.h0`, on `vmad` only.
    Negated(Name, Option<SmolStr>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum AddressBase {
    Name(Name),
    Absolute,
}

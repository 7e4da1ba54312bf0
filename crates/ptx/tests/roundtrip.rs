//! Checks that generated trees survive printing and parsing.

use crate::common;

use proptest::collection::vec;
use proptest::prelude::*;
use ptx::ast::*;

const NOWHERE: Span = Span { start: 0, end: 0 };

fn named(text: String) -> Name {
    Name { text: text.into(), span: NOWHERE }
}

/// Generates names that the lexer takes for no other token or keyword.
fn name() -> impl Strategy<Value = Name> {
    "[%$_a-z][A-Za-z0-9_$]{1,30}"
        .prop_filter("a plain name", |text| !matches!(text.as_str(), "generic" | "WARP_SZ" | "function_name"))
        .prop_map(named)
}

fn register() -> impl Strategy<Value = Name> {
    prop_oneof![
        "%[a-z]{1,2}[0-9]{1,3}".prop_map(named),
        prop::sample::select(ptx::sreg::SpecialReg::NAMED).prop_map(|special| named(special.name())),
    ]
}

fn word() -> impl Strategy<Value = Name> {
    "[a-zA-Z0-9_]{1,8}(::[a-z0-9_]{1,8}){0,2}".prop_map(named)
}

fn integer() -> impl Strategy<Value = i128> {
    prop_oneof![
        any::<i64>().prop_map(i128::from),
        any::<u64>().prop_map(i128::from),
        (-40..40i128),
        Just(i128::from(i64::MIN)),
        Just(i128::from(u64::MAX)),
    ]
}

fn offset() -> impl Strategy<Value = i64> {
    prop_oneof![Just(0), -64..64i64, any::<i64>(), Just(i64::MIN), Just(i64::MAX)]
}

fn text() -> impl Strategy<Value = String> {
    "[ -!#-~é]{0,20}".prop_filter("no escape at the end", |text| !text.ends_with('\\'))
}

fn leaf() -> impl Strategy<Value = Operand> {
    prop_oneof![
        register().prop_map(Operand::Name),
        name().prop_map(Operand::Name),
        Just(Operand::Sink),
        integer().prop_map(|value| Operand::Int(value, NOWHERE)),
        any::<u32>().prop_map(|bits| Operand::F32(bits, NOWHERE)),
        any::<u64>().prop_map(|bits| Operand::F64(bits, NOWHERE)),
        (name(), offset()).prop_map(|(name, offset)| Operand::NameOffset(name, offset)),
        ("%[rf][0-9]{1,3}".prop_map(named), 0..4u8).prop_map(|(name, n)| Operand::Element(name, n)),
        register().prop_map(Operand::NotName),
        ("%[rf][0-9]{1,3}".prop_map(named), "[bh][0-9]{1,4}")
            .prop_map(|(name, selector)| Operand::Selected(name, selector.into())),
        ("%[rf][0-9]{1,3}".prop_map(named), prop::option::of("[bh][0-9]{1,4}"))
            .prop_map(|(name, selector)| Operand::Negated(name, selector.map(Into::into))),
    ]
}

fn operand() -> impl Strategy<Value = Operand> {
    let base = prop_oneof![
        Just(AddressBase::Absolute),
        register().prop_map(AddressBase::Name),
        name().prop_map(AddressBase::Name)
    ];
    let pairable = || prop_oneof![register().prop_map(Operand::Name), Just(Operand::Sink)];
    let vector = || vec(leaf(), 0..5).prop_map(|items| Operand::Vector(items, NOWHERE));
    prop_oneof![
        4 => leaf(),
        1 => vector(),
        1 => (vector(), pairable()).prop_map(|(a, b)| Operand::Pair(Box::new(a), Box::new(b))),
        1 => (pairable(), pairable()).prop_map(|(a, b)| Operand::Pair(Box::new(a), Box::new(b))),
        2 => (base, offset(), vec(prop_oneof![leaf(), vector()], 0..3))
            .prop_map(|(base, offset, rest)| Operand::Address { base, offset, rest, span: NOWHERE }),
    ]
}

fn instruction() -> impl Strategy<Value = Instruction> {
    let guard = prop::option::of((any::<bool>(), name()))
        .prop_map(|guard| guard.map(|(negated, register)| Guard { negated, register }));
    let plain = ("[a-z][a-z0-9]{0,9}".prop_map(named), vec(word(), 0..7), vec(operand(), 0..6));
    let list =
        || vec(register().prop_map(Operand::Name), 0..4).prop_map(|items| Operand::List(items, NOWHERE));
    let call = (list(), name(), list()).prop_map(|(results, callee, args)| {
        (named("call".to_string()), vec![], vec![results, Operand::Name(callee), args])
    });
    let shape = prop_oneof![
        9 => plain.prop_filter("call has lists", |(opcode, ..)| opcode.text != "call"),
        1 => call,
    ];
    (guard, shape).prop_map(|(guard, (opcode, modifiers, operands))| Instruction {
        guard,
        opcode,
        modifiers,
        operands,
        span: NOWHERE,
    })
}

fn loc() -> impl Strategy<Value = Loc> {
    let inlined = (name(), any::<u16>(), any::<u32>(), any::<u32>(), any::<u32>()).prop_map(
        |(label, offset, file, line, column)| InlinedAt {
            function_name: (label.text, offset.into()),
            file,
            line,
            column,
        },
    );
    (any::<u32>(), any::<u32>(), any::<u32>(), prop::option::of(inlined))
        .prop_map(|(file, line, column, inlined)| Loc { file, line, column, inlined })
}

fn init() -> impl Strategy<Value = Init> {
    let leaf = prop_oneof![
        integer().prop_map(Init::Int),
        any::<u32>().prop_map(Init::F32),
        any::<u64>().prop_map(Init::F64),
        (name(), any::<bool>(), offset()).prop_map(|(name, generic, offset)| Init::Symbol {
            name,
            generic,
            offset
        }),
        (any::<u64>(), name(), any::<bool>(), offset())
            .prop_map(|(mask, name, generic, offset)| Init::MaskedSymbol { mask, name, generic, offset }),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| vec(inner, 0..4).prop_map(Init::List))
}

fn space() -> impl Strategy<Value = Space> {
    use Space::*;
    prop::sample::select(vec![Reg, Sreg, Const, Global, Local, Param, Shared, Tex])
}

fn attribute() -> impl Strategy<Value = Vec<VarAttribute>> {
    prop_oneof![
        5 => Just(vec![]),
        1 => Just(vec![VarAttribute::Managed]),
        1 => (any::<u64>(), any::<u64>()).prop_map(|(a, b)| vec![VarAttribute::Managed, VarAttribute::Unified(a, b)]),
        1 => Just(vec![VarAttribute::Other(".novel(1, 2)".to_string())]),
        1 => (prop::option::of(space()), prop::option::of(any::<u32>()))
            .prop_map(|(space, align)| vec![VarAttribute::Ptr { space, align }]),
    ]
}

fn linkage() -> impl Strategy<Value = Linkage> {
    use Linkage::*;
    prop::sample::select(vec![None, Extern, Visible, Weak, Common])
}

fn variable(linkage: impl Strategy<Value = Linkage>) -> impl Strategy<Value = Variable> {
    let head = (linkage, space(), prop::option::of(0..11u32), prop::option::of(any::<u32>()), attribute());
    let ty = (prop::sample::select(vec![1u8, 2, 4, 8]), prop::sample::select(ScalarType::ALL));
    let tail = (
        name(),
        prop::option::of(any::<u32>()),
        vec(prop::option::of(any::<u64>()), 0..3),
        prop::option::of(init()),
    );
    (head, ty, tail).prop_map(
        |((linkage, space, bank, align, attributes), (vector, ty), (name, count, dims, init))| Variable {
            linkage,
            space,
            bank,
            align,
            vector,
            ty,
            attributes,
            name,
            count,
            dims,
            init,
            span: NOWHERE,
        },
    )
}

fn local() -> impl Strategy<Value = Variable> {
    variable(Just(Linkage::None))
}

fn statement() -> impl Strategy<Value = Statement> {
    let leaf = prop_oneof![
        6 => instruction().prop_map(Statement::Instruction),
        2 => name().prop_map(Statement::Label),
        2 => local().prop_map(Statement::Variable),
        2 => loc().prop_map(Statement::Loc),
        1 => vec(text(), 1..3).prop_map(Statement::Pragma),
        1 => (name(), vec(name(), 1..4)).prop_map(|(label, targets)| Statement::BranchTargets { label, targets }),
        1 => (name(), vec(name(), 1..4)).prop_map(|(label, targets)| Statement::CallTargets { label, targets }),
        1 => (name(), vec(local(), 0..2), vec(local(), 0..3), any::<bool>()).prop_map(
            |(label, returns, params, noreturn)| Statement::CallPrototype { label, returns, params, noreturn }
        ),
        1 => Just(Statement::Other { text: ".novel directive, 7".to_string(), span: NOWHERE }),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        vec(inner, 0..6).prop_map(|statements| Statement::Block(Block { statements, span: NOWHERE }))
    })
}

fn directive() -> impl Strategy<Value = FunctionDirective> {
    use FunctionDirective::*;
    prop_oneof![
        any::<u32>().prop_map(MaxNReg),
        any::<[u32; 3]>().prop_map(MaxNTid),
        any::<[u32; 3]>().prop_map(ReqNTid),
        any::<u32>().prop_map(MinNCtaPerSm),
        any::<u32>().prop_map(MaxNCtaPerSm),
        Just(NoReturn),
        Just(ExplicitCluster),
        any::<[u32; 3]>().prop_map(ReqNCtaPerCluster),
        any::<u32>().prop_map(MaxClusterRank),
        Just(BlocksAreClusters),
        vec(text(), 1..3).prop_map(Pragma),
        Just(Other(".abi_preserve 12".to_string())),
    ]
}

fn function() -> impl Strategy<Value = Function> {
    let body =
        prop::option::of(vec(statement(), 0..12).prop_map(|statements| Block { statements, span: NOWHERE }));
    let head = (any::<bool>(), linkage(), name());
    (head, vec(local(), 0..2), vec(local(), 0..4), vec(directive(), 0..4), body).prop_map(
        |((entry, linkage, name), returns, params, directives, body)| Function {
            kind: if entry { FunctionKind::Entry } else { FunctionKind::Func },
            linkage,
            name,
            returns: if entry { vec![] } else { returns },
            params,
            directives,
            body,
            span: NOWHERE,
        },
    )
}

fn section() -> impl Strategy<Value = Section> {
    let value = prop_oneof![
        8 => (0..256i128).prop_map(SectionValue::Int),
        1 => any::<i64>().prop_map(|n| SectionValue::Int(n.into())),
        1 => "[$a-z][a-z0-9_]{0,8}([+-][a-z0-9]{1,5}){0,2}".prop_map(SectionValue::Symbol),
    ];
    let line = prop_oneof![
        name().prop_map(|label| SectionLine::Label(label.text.to_string())),
        (prop::sample::select(vec![1u8, 2, 4, 8]), vec(value, 1..20))
            .prop_map(|(width, values)| SectionLine::Data { width, values }),
    ];
    ("\\.debug_[a-z]{3,6}", vec(line, 0..6)).prop_map(|(name, lines)| Section { name, lines })
}

fn item() -> impl Strategy<Value = Item> {
    prop_oneof![
        4 => function().prop_map(Item::Function),
        3 => variable(linkage()).prop_map(Item::Variable),
        1 => (any::<u32>(), text(), prop::option::of(any::<(u64, u64)>())).prop_map(
            |(index, path, timestamp_and_size)| Item::File(File { index, path, timestamp_and_size })
        ),
        1 => section().prop_map(Item::Section),
        1 => vec(text(), 1..3).prop_map(Item::Pragma),
        1 => (name(), name()).prop_map(|(a, b)| Item::Alias(a, b)),
        1 => Just(Item::Other { text: ".novel 1, { nested; } x".to_string(), span: NOWHERE }),
    ]
}

fn module() -> impl Strategy<Value = Module> {
    let target = vec("sm_[0-9]{2,3}a?|debug|texmode_independent", 0..3);
    ((any::<u32>(), any::<u32>()), target, prop::sample::select(vec![32u32, 64]), vec(item(), 0..8))
        .prop_map(|(version, target, address_size, items)| Module { version, target, address_size, items })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_is_lossless(module in module()) {
        let text = ptx::print(&module);
        let parse = ptx::parse(&text);
        prop_assert_eq!(&parse.errors, &[], "{}", &text);
        prop_assert_eq!(common::meaning(&parse.module), module, "{}", &text);
    }
}

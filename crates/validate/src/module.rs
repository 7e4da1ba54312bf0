//! The items and functions of a module, compared in pairs.

use crate::context::{Context, Extended};
use crate::exec::Arguments;
use crate::place::{At, callee};
use crate::weave::{Woven, weave};
use crate::{Declared, Extent, Fault, Reason, flow, same, tool, unit};
use ptx::ast::{Function, FunctionKind, Item, Linkage, Module, ScalarType, Space, Statement, Variable};
use ptx::flat::{Flat, flatten};
use ptx::position::LineIndex;
use std::collections::{BTreeMap, HashSet};

/// An added function, with the name by which it is called.
type Added<'m> = BTreeMap<&'m str, &'m Function>;

pub(crate) fn validate(original: &str, text: &str, declared: &Declared) -> Result<Extent, Fault> {
    let whole = |reason| Fault { line: 0, reason };
    let own = parsed(original).map_err(|why| whole(Reason::Malformed(why)))?;
    let made = parsed(text).map_err(|why| whole(Reason::Malformed(why)))?;
    let lines = LineIndex::new(text);
    let fault = |(offset, reason): At| Fault { line: lines.line(offset), reason };
    if (own.version, &own.target, own.address_size) != (made.version, &made.target, made.address_size) {
        return Err(whole(Reason::Changed { expected: "its header".into(), found: "another header".into() }));
    }
    if let Some(name) = own.items.iter().find_map(name_of_tool) {
        return Err(whole(Reason::Named(name)));
    }
    let (pairs, added) = items(&own, &made).map_err(fault)?;
    let extended = extended(&pairs, declared).map_err(fault)?;
    // Functions are reached only from kernels with a buffer.
    let mut buffers = pairs.iter().filter_map(|(_, made)| Some((made.span.start, buffer(made)?)));
    let buffer = match &declared.linked {
        None => buffers.clone().map(|(_, bytes)| bytes).min().unwrap_or(u64::MAX),
        Some(linked) => linked.bytes,
    };
    if let Some((at, _)) = buffers.find(|(_, bytes)| *bytes < buffer) {
        return Err(fault((at, Reason::Undeclared(tool::BUFFER.to_owned()))));
    }
    let mut arguments = Arguments::of(&added);
    let mut extent = Extent::default();
    for (own, made) in &pairs {
        let context = Context { declared, extended: &extended, buffer, shared: &added };
        function((own, made), &context, &mut arguments, &mut extent).map_err(fault)?;
    }
    let context = Context { declared, extended: &extended, buffer, shared: &added };
    for name in calling_order(&added).map_err(fault)? {
        helper(added[name], &context, &mut arguments, &mut extent).map_err(fault)?;
    }
    Ok(extent)
}

pub(crate) fn parsed(text: &str) -> Result<Module, String> {
    let parse = ptx::parse(text);
    parse.errors.first().map_or(Ok(parse.module), |error| Err(error.to_string()))
}

/// Returns a name of the tool that an item of the original uses.
fn name_of_tool(item: &Item) -> Option<String> {
    let of = |name: &str| tool::is_own(name).then(|| name.to_owned());
    match item {
        Item::Variable(variable) => of(&variable.name.text),
        Item::Alias(alias, _) => of(&alias.text),
        Item::Function(function) => {
            let variables = function.params.iter().chain(&function.returns);
            let statements = function.body.iter().flat_map(|body| &body.statements);
            of(&function.name.text)
                .or_else(|| variables.filter_map(tool::declared).next().map(str::to_owned))
                .or_else(|| statements.filter_map(tool::named).next().map(str::to_owned))
        }
        Item::File(_) | Item::Section(_) | Item::Pragma(_) | Item::Other { .. } => None,
    }
}

/// Functions of the original, each with its instrumented form.
type Pairs<'m> = Vec<(&'m Function, &'m Function)>;

/// Pairs the functions of the original with those of the instrumented module; returns the added ones, too.
fn items<'m>(own: &'m Module, made: &'m Module) -> Result<(Pairs<'m>, Added<'m>), At> {
    let (mut pairs, mut added) = (Vec::new(), Added::new());
    let mut rest = own.items.iter();
    for item in &made.items {
        match item {
            Item::Function(function) if tool::is_own(&function.name.text) => {
                let plain = function.kind == FunctionKind::Func
                    && function.linkage == Linkage::None
                    && function.body.is_some()
                    && function.directives.is_empty()
                    && function.returns.is_empty()
                    && function.params.iter().all(|p| p.space == Space::Param && p.dims.is_empty());
                let name = function.name.text.as_str();
                if !plain || added.insert(name, function).is_some() {
                    return Err((function.name.span.start, Reason::Undeclared(name.to_owned())));
                }
            }
            Item::Function(function) => match rest.next() {
                Some(Item::Function(own)) if own.name.text == function.name.text => {
                    pairs.push((own, function));
                }
                other => return Err((function.span.start, changed(other, &function.name.text))),
            },
            item => {
                let expected = rest.next();
                if !expected.is_some_and(|expected| is_same_item(expected, item)) {
                    return Err((0, changed(expected, &spelled(item))));
                }
            }
        }
    }
    match rest.next() {
        Some(left) => Err((0, changed(Some(left), "the end"))),
        None => Ok((pairs, added)),
    }
}

pub(crate) fn is_same_item(own: &Item, made: &Item) -> bool {
    let alone = |item: &Item| {
        let mut module = Module { items: vec![item.clone()], ..Module::default() };
        module.erase_spans();
        module
    };
    alone(own) == alone(made)
}

pub(crate) fn spelled(item: &Item) -> String {
    match item {
        Item::Variable(variable) => variable.name.text.to_string(),
        Item::Function(function) => function.name.text.to_string(),
        Item::File(file) => format!(".file {}", file.index),
        Item::Section(section) => format!(".section {}", section.name),
        Item::Alias(alias, _) => format!(".alias {}", alias.text),
        Item::Pragma(_) => ".pragma".to_owned(),
        Item::Other { text, .. } => text.clone(),
    }
}

pub(crate) fn changed(expected: Option<&Item>, found: &str) -> Reason {
    Reason::Changed { expected: expected.map_or("the end".to_owned(), spelled), found: found.to_owned() }
}

/// Returns the functions that have the additional parameter: all with a body, or none, and those that are declared to be
/// linked. No other module may then call them.
fn extended<'m>(pairs: &[(&'m Function, &'m Function)], declared: &Declared) -> Result<Extended<'m>, At> {
    let has = |own: &Function, made: &Function| made.params.len() > own.params.len();
    let functions: Vec<_> = pairs.iter().filter(|(own, _)| own.kind == FunctionKind::Func).collect();
    let is_linked = |own: &Function| {
        declared.linked.as_ref().is_some_and(|linked| linked.functions.contains(own.name.text.as_str()))
    };
    let any = declared.linked.is_some() || functions.iter().any(|(own, made)| has(own, made));
    if !any {
        return Ok(Extended::default());
    }
    let shared = functions.iter().filter(|(own, _)| own.body.is_some() || is_linked(own));
    let names: HashSet<&str> = shared.map(|(own, _)| own.name.text.as_str()).collect();
    for (own, made) in functions {
        let known = names.contains(own.name.text.as_str());
        let others_call = known && own.linkage != Linkage::None && !is_linked(own);
        if has(own, made) != known || others_call {
            return Err((made.name.span.start, Reason::Undeclared(made.name.text.to_string())));
        }
    }
    Ok(Extended { names, any })
}

/// Returns the bytes of the buffer that a kernel passes to functions.
fn buffer(made: &Function) -> Option<u64> {
    made.body.iter().flat_map(|body| &body.statements).find_map(|statement| match statement {
        Statement::Variable(variable) if variable.name.text == tool::BUFFER => variable.size(),
        _ => None,
    })
}

/// Compares a function with its instrumented form.
fn function(
    (own, made): (&Function, &Function),
    context: &Context<'_>,
    arguments: &mut Arguments,
    extent: &mut Extent,
) -> Result<(), At> {
    signature(own, made)?;
    let (Some(own_body), Some(made_body)) = (&own.body, &made.body) else {
        return match own.body.is_some() == made.body.is_some() {
            true => Ok(()),
            false => Err((made.span.start, Reason::Undeclared(made.name.text.to_string()))),
        };
    };
    let (own_flat, flat) = (flatten(own), flatten(made));
    let woven = weave(own_body, made_body, context.extended)?;
    extent.program += flat.instructions.len() - woven.added();
    extent.added += woven.added();
    if own_flat.instructions.len() == flat.instructions.len() && woven.added() == 0 {
        return resolved(&own_flat, &flat, &woven);
    }
    resolved(&own_flat, &flat, &woven)?;
    flow::check(&flat, &woven)?;
    extent.accesses += unit::check(&flat, &woven, context, arguments)?;
    Ok(())
}

fn resolved(own: &Flat<'_>, made: &Flat<'_>, woven: &Woven) -> Result<(), At> {
    if own.errors.is_empty()
        && let Some(error) = made.errors.first()
    {
        return Err((error.span.start, Reason::Malformed(error.message.clone())));
    }
    same::resolved(own, made, woven)
}

/// Compares the declarations of two functions.
fn signature(own: &Function, made: &Function) -> Result<(), At> {
    let at = made.name.span.start;
    let differ =
        || (at, Reason::Changed { expected: own.name.text.to_string(), found: "other declarations".into() });
    let alike =
        |a: &[Variable], b: &[Variable]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b));
    let kept = made.params.get(..own.params.len()).ok_or_else(differ)?;
    let alike = own.kind == made.kind
        && own.linkage == made.linkage
        && own.directives == made.directives
        && alike(&own.returns, &made.returns)
        && alike(&own.params, kept);
    if !alike {
        return Err(differ());
    }
    match (&made.params[own.params.len()..], own.kind) {
        ([], _) => Ok(()),
        ([launch], FunctionKind::Entry)
            if launch.name.text == tool::LAUNCH && launch.ty == ScalarType::B8 =>
        {
            Ok(())
        }
        ([told], FunctionKind::Func)
            if told.name.text == tool::TOLD && told.ty == ScalarType::B64 && told.dims.is_empty() =>
        {
            Ok(())
        }
        ([more, ..], _) => Err((at, Reason::Undeclared(more.name.text.to_string()))),
    }
}

fn is_same(a: &Variable, b: &Variable) -> bool {
    let bare = |variable: &Variable| {
        let mut variable = variable.clone();
        variable.erase_spans();
        variable
    };
    bare(a) == bare(b)
}

/// Checks an added function.
fn helper(
    function: &Function,
    context: &Context<'_>,
    arguments: &mut Arguments,
    extent: &mut Extent,
) -> Result<(), At> {
    let flat = flatten(function);
    if let Some(error) = flat.errors.first() {
        return Err((error.span.start, Reason::Malformed(error.message.clone())));
    }
    let only = |variable: &Variable| matches!(variable.space, Space::Reg | Space::Param);
    if let Some(other) = flat.variables.iter().find(|variable| !only(variable.decl)) {
        return Err((other.decl.span.start, Reason::Undeclared(other.decl.name.text.to_string())));
    }
    extent.added += flat.instructions.len();
    flow::helper(&flat)?;
    extent.accesses += unit::helper(&flat, context, arguments)?;
    Ok(())
}

/// Returns the added functions such that each precedes those that it calls.
fn calling_order<'m>(added: &Added<'m>) -> Result<Vec<&'m str>, At> {
    let calls = |function: &'m Function| -> HashSet<&'m str> {
        let flat = flatten(function);
        let names = flat.instructions.iter().filter_map(|inst| callee(inst));
        names.filter_map(|name| added.get_key_value(name).map(|(name, _)| *name)).collect()
    };
    let mut left: BTreeMap<&str, HashSet<&str>> = added.iter().map(|(name, f)| (*name, calls(f))).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let next = left.keys().copied().find(|name| !left.values().any(|calls| calls.contains(name)));
        let Some(next) = next else {
            let name = left.keys().next().copied().unwrap_or_default();
            return Err((added[name].span.start, Reason::Call(name.to_owned())));
        };
        left.remove(next);
        order.push(next);
    }
    Ok(order)
}

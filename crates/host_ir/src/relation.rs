//! Relations between the extents and the parameters of a launch, as `--assume` writes them.
//!
//! Expressions are products, sums and remainders of integers and names; a relation compares two of them. Host code
//! states relations of the launches that it makes, and users state relations of those they mean.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Axis {
    X,
    Y,
    Z,
}

impl Axis {
    pub const ALL: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

    pub fn name(self) -> char {
        ['x', 'y', 'z'][self as usize]
    }
}

/// A leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    Block(Axis),
    Grid(Axis),
    Param(String),
    /// A value of the host code that is no argument, by number.
    Host(u32),
    /// A part of a parameter: a member of a structure.
    Part(Part),
    /// The bytes from the pointer whose array a parameter shares to this parameter's pointer.
    Offset(u32),
}

/// Bytes of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    pub index: u32,
    pub offset: u32,
    pub bytes: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Number(i128),
    Name(Name),
    Add(Box<Expr>, Box<Expr>),
    Sub(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    /// A remainder of positive numbers.
    Rem(Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    /// The elements of the array on the left side are different. The right side is the number of bytes of an element;
    /// zero where the kernel's reads say it.
    Permutation,
    /// The elements do not decrease, as numbers with signs. The right side is likewise.
    Monotone,
    /// Each element is the address of an array of its own, to which nothing else of the launch leads.
    Rows,
    /// No element is less than the right side. Elements are integers of 32 bits, which are not negative.
    ElementsAtLeast,
    /// No element is greater than the right side. Elements are likewise.
    ElementsAtMost,
}

impl Test {
    /// Returns whether the relation constrains the elements of an array, and no number.
    pub fn is_of_elements(self) -> bool {
        use Test::*;
        matches!(self, Permutation | Monotone | Rows | ElementsAtLeast | ElementsAtMost)
    }
}

/// One relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    pub text: String,
    pub left: Expr,
    pub test: Test,
    pub right: Expr,
}

impl Relation {
    pub fn new(left: Expr, test: Test, right: Expr) -> Relation {
        let sign = match test {
            Test::Lt => "<",
            Test::Le => "<=",
            Test::Gt => ">",
            Test::Ge => ">=",
            Test::Eq => "==",
            Test::Ne => "!=",
            Test::Permutation => "permutation",
            Test::Monotone => "monotone",
            Test::Rows => "rows",
            Test::ElementsAtLeast => ">=",
            Test::ElementsAtMost => "<=",
        };
        let text = match test {
            Test::Permutation | Test::Monotone | Test::Rows => format!("{sign}({left})"),
            Test::ElementsAtLeast | Test::ElementsAtMost => format!("elements({left}) {sign} {right}"),
            _ => format!("{left} {sign} {right}"),
        };
        Relation { text, left, test, right }
    }

    /// Returns the array whose elements the relation constrains.
    pub fn elements(&self) -> Option<&str> {
        match &self.left {
            Expr::Name(Name::Param(name)) if self.test.is_of_elements() => Some(name),
            _ => None,
        }
    }

    /// Evaluates the relation; `None` if a name has no value, or if the relation constrains contents.
    pub fn holds(&self, value: &impl Fn(&Name) -> Option<i128>) -> Option<bool> {
        let (a, b) = (self.left.evaluate(value)?, self.right.evaluate(value)?);
        Some(match self.test {
            Test::Lt => a < b,
            Test::Le => a <= b,
            Test::Gt => a > b,
            Test::Ge => a >= b,
            Test::Eq => a == b,
            Test::Ne => a != b,
            _ => return None,
        })
    }
}

impl Expr {
    pub fn each_name(&self, f: &mut impl FnMut(&Name)) {
        match self {
            Expr::Number(_) => {}
            Expr::Name(n) => f(n),
            Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) | Expr::Rem(a, b) => {
                a.each_name(f);
                b.each_name(f);
            }
        }
    }

    pub fn evaluate(&self, value: &impl Fn(&Name) -> Option<i128>) -> Option<i128> {
        match self {
            Expr::Number(n) => Some(*n),
            Expr::Name(n) => value(n),
            Expr::Add(a, b) => a.evaluate(value)?.checked_add(b.evaluate(value)?),
            Expr::Sub(a, b) => a.evaluate(value)?.checked_sub(b.evaluate(value)?),
            Expr::Mul(a, b) => a.evaluate(value)?.checked_mul(b.evaluate(value)?),
            Expr::Rem(a, b) => a.evaluate(value)?.checked_rem_euclid(b.evaluate(value)?),
        }
    }
}

/// Prints in the syntax of `--assume`.
impl std::fmt::Display for Expr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let factor = |e: &Expr| match e {
            Expr::Number(n) if *n >= 0 => e.to_string(),
            Expr::Name(_) => e.to_string(),
            _ => format!("({e})"),
        };
        match self {
            Expr::Number(n) => write!(f, "{n}"),
            Expr::Name(Name::Block(a)) => write!(f, "blockDim.{}", a.name()),
            Expr::Name(Name::Grid(a)) => write!(f, "gridDim.{}", a.name()),
            Expr::Name(Name::Param(name)) => f.write_str(name),
            Expr::Name(Name::Host(n)) => write!(f, "host{n}"),
            Expr::Name(Name::Part(part)) => write!(f, "arg{}[{}]", part.index, part.offset),
            Expr::Name(Name::Offset(n)) => write!(f, "offset(arg{n})"),
            Expr::Mul(a, b) if **a == Expr::Number(1) => write!(f, "{b}"),
            Expr::Add(a, b) if **b == Expr::Number(0) => write!(f, "{a}"),
            Expr::Add(a, b) => write!(f, "{a} + {}", factor(b)),
            Expr::Sub(a, b) => write!(f, "{a} - {}", factor(b)),
            Expr::Mul(a, b) => write!(f, "{} * {}", factor(a), factor(b)),
            Expr::Rem(a, b) => write!(f, "{} % {}", factor(a), factor(b)),
        }
    }
}

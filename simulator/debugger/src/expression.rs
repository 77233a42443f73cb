//! Expressions as in C: over registers, cells of memory, and the numbers of a thread.
//!
//! `%r1 + 1`, `s[threadIdx.x]`, `@0[2] == -1 && lane < 4`. Integers have 128 bits, so nothing
//! wraps; with a float, both sides are doubles.

use crate::error::DebuggerError;
use crate::values::{Number, Value};
use std::fmt;

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    root: Node,
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Number(Number),
    /// `%r1`.
    Register(String),
    /// A variable, or a number of the thread: `s`, `lane`, `threadIdx.x`.
    Name(String),
    /// The buffer of an argument: `@1`, `@1.16`.
    Buffer(String),
    Cell {
        of: Box<Node>,
        index: Box<Node>,
        /// The last of several: `s[2..5]`.
        last: Option<Box<Node>>,
    },
    /// `s[1].x`; and `p->x` as a member of what `p` points to.
    Member(Box<Node>, String),
    /// `*p`.
    Pointed(Box<Node>),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Minus,
    Not,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Left,
    Right,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// The binary operators, each before those that it begins, with how tightly they bind.
const OPERATORS: [(&str, Binary, u8); 18] = [
    ("||", Binary::Or, 1),
    ("&&", Binary::And, 2),
    ("==", Binary::Equal, 6),
    ("!=", Binary::NotEqual, 6),
    ("<<", Binary::Left, 8),
    (">>", Binary::Right, 8),
    ("<=", Binary::LessOrEqual, 7),
    (">=", Binary::GreaterOrEqual, 7),
    ("<", Binary::Less, 7),
    (">", Binary::Greater, 7),
    ("|", Binary::BitOr, 3),
    ("^", Binary::BitXor, 4),
    ("&", Binary::BitAnd, 5),
    ("+", Binary::Add, 9),
    ("-", Binary::Subtract, 9),
    ("*", Binary::Multiply, 10),
    ("/", Binary::Divide, 10),
    ("%", Binary::Remainder, 10),
];

/// The deepest nesting of an expression.
const DEEPEST: u32 = 64;

/// Where the leaves of an expression get their values.
pub(crate) trait Leaves {
    fn register(&self, name: &str) -> Result<Value, DebuggerError>;
    fn name(&self, name: &str) -> Result<Value, DebuggerError>;
    fn buffer(&self, place: &str) -> Result<Value, DebuggerError>;
    fn cell(&self, of: &Node, index: i128) -> Result<Value, DebuggerError>;
    /// A member of a structure, or what a pointer points to.
    fn place(&self, node: &Node) -> Result<Value, DebuggerError>;
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// [`DebuggerError::Syntax`].
    ///
    /// ```
    /// use warpsim_debugger::Expression;
    ///
    /// assert!(Expression::parse("s[threadIdx.x + 1] == %r4").is_ok());
    /// let error = Expression::parse("1 +").unwrap_err();
    /// assert_eq!(error.to_string(), "`1 +`: expected a value at character 4");
    /// ```
    pub fn parse(text: &str) -> Result<Expression, DebuggerError> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let root = parser.binary(0)?;
        parser.blanks();
        match parser.at < text.len() {
            true => Err(parser.expected("an operator or the end")),
            false => Ok(Expression { text: text.trim().to_owned(), root }),
        }
    }

    pub(crate) fn root(&self) -> &Node {
        &self.root
    }

    /// The value of the expression.
    pub(crate) fn value(&self, leaves: &impl Leaves) -> Result<Value, DebuggerError> {
        value(&self.root, leaves)
    }
}

pub(crate) fn value(node: &Node, leaves: &impl Leaves) -> Result<Value, DebuggerError> {
    Ok(match node {
        Node::Number(number) => (*number).into(),
        Node::Register(name) => leaves.register(name)?,
        Node::Name(name) => leaves.name(name)?,
        Node::Buffer(place) => leaves.buffer(place)?,
        Node::Cell { last: Some(_), .. } => {
            return Err(DebuggerError::NotAValue { text: "a range of cells".to_owned() });
        }
        Node::Cell { of, index, last: None } => leaves.cell(of, integer(index, leaves)?)?,
        Node::Member(..) | Node::Pointed(_) => leaves.place(node)?,
        Node::Unary(operator, of) => unary(*operator, value(of, leaves)?),
        Node::Binary(Binary::And, left, right) => {
            (value(left, leaves)?.holds() && value(right, leaves)?.holds()).into()
        }
        Node::Binary(Binary::Or, left, right) => {
            (value(left, leaves)?.holds() || value(right, leaves)?.holds()).into()
        }
        Node::Binary(operator, left, right) => {
            binary(*operator, value(left, leaves)?.number(), value(right, leaves)?.number())?
        }
    })
}

/// An index.
pub(crate) fn integer(node: &Node, leaves: &impl Leaves) -> Result<i128, DebuggerError> {
    match value(node, leaves)?.number() {
        Number::Integer(number) => Ok(number),
        Number::Float(number) => Ok(number as i128),
    }
}

fn unary(operator: Unary, of: Value) -> Value {
    match (operator, of.number()) {
        (Unary::Minus, Number::Integer(number)) => Value::Integer(number.wrapping_neg()),
        (Unary::Minus, Number::Float(number)) => Value::Float(-number),
        (Unary::Not, _) => (!of.holds()).into(),
        (Unary::Complement, Number::Integer(number)) => Value::Integer(!number),
        (Unary::Complement, Number::Float(number)) => Value::Integer(!(number as i128)),
    }
}

fn binary(operator: Binary, left: Number, right: Number) -> Result<Value, DebuggerError> {
    match (left, right) {
        (Number::Integer(left), Number::Integer(right)) => integers(operator, left, right),
        _ => floats(operator, left.float(), right.float()),
    }
}

fn integers(operator: Binary, left: i128, right: i128) -> Result<Value, DebuggerError> {
    let shift = || u32::try_from(right.clamp(0, 127)).unwrap_or(127);
    let divided = |by: Option<i128>| by.map(Value::Integer).ok_or(DebuggerError::DivisionByZero);
    Ok(match operator {
        Binary::Or => (left != 0 || right != 0).into(),
        Binary::And => (left != 0 && right != 0).into(),
        Binary::BitOr => Value::Integer(left | right),
        Binary::BitXor => Value::Integer(left ^ right),
        Binary::BitAnd => Value::Integer(left & right),
        Binary::Equal => (left == right).into(),
        Binary::NotEqual => (left != right).into(),
        Binary::Less => (left < right).into(),
        Binary::LessOrEqual => (left <= right).into(),
        Binary::Greater => (left > right).into(),
        Binary::GreaterOrEqual => (left >= right).into(),
        Binary::Left => Value::Integer(left.wrapping_shl(shift())),
        Binary::Right => Value::Integer(left.wrapping_shr(shift())),
        Binary::Add => Value::Integer(left.wrapping_add(right)),
        Binary::Subtract => Value::Integer(left.wrapping_sub(right)),
        Binary::Multiply => Value::Integer(left.wrapping_mul(right)),
        Binary::Divide => divided(left.checked_div(right))?,
        Binary::Remainder => divided(left.checked_rem(right))?,
    })
}

fn floats(operator: Binary, left: f64, right: f64) -> Result<Value, DebuggerError> {
    Ok(match operator {
        Binary::Or => (left != 0.0 || right != 0.0).into(),
        Binary::And => (left != 0.0 && right != 0.0).into(),
        Binary::Equal => (left == right).into(),
        Binary::NotEqual => (left != right).into(),
        Binary::Less => (left < right).into(),
        Binary::LessOrEqual => (left <= right).into(),
        Binary::Greater => (left > right).into(),
        Binary::GreaterOrEqual => (left >= right).into(),
        Binary::Add => Value::Float(left + right),
        Binary::Subtract => Value::Float(left - right),
        Binary::Multiply => Value::Float(left * right),
        Binary::Divide => Value::Float(left / right),
        Binary::Remainder => Value::Float(left % right),
        Binary::BitOr | Binary::BitXor | Binary::BitAnd | Binary::Left | Binary::Right => {
            integers(operator, left as i128, right as i128)?
        }
    })
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn expected(&self, expected: &'static str) -> DebuggerError {
        DebuggerError::Syntax { text: self.text.trim_end().to_owned(), expected, at: self.at }
    }

    /// Whether a word comes next; it is passed over.
    fn takes(&mut self, word: &str) -> bool {
        self.blanks();
        let is_next = self.rest().starts_with(word);
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    /// A run of characters, by the first ones and the others.
    fn word(&mut self, is_in: impl Fn(char) -> bool) -> String {
        // Two dots are between the first cell and the last.
        let rest = self.rest();
        let rest = &rest[..rest.find("..").unwrap_or(rest.len())];
        let word: String = rest.chars().take_while(|c| is_in(*c)).collect();
        self.at += word.len();
        word
    }

    fn binary(&mut self, least: u8) -> Result<Node, DebuggerError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.expected("less nesting"));
        }
        let mut left = self.unary()?;
        loop {
            self.blanks();
            let next = OPERATORS.iter().find(|(text, ..)| self.rest().starts_with(text));
            let Some((text, operator, binds)) = next.filter(|(.., binds)| *binds > least) else {
                break;
            };
            self.at += text.len();
            left = Node::Binary(*operator, Box::new(left), Box::new(self.binary(*binds)?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn unary(&mut self) -> Result<Node, DebuggerError> {
        let signs = [
            ("-", Some(Unary::Minus)),
            ("!", Some(Unary::Not)),
            ("~", Some(Unary::Complement)),
            ("*", None),
        ];
        for (text, operator) in signs {
            if self.takes(text) {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(self.expected("less nesting"));
                }
                let of = Box::new(self.unary()?);
                self.depth -= 1;
                return Ok(match operator {
                    Some(operator) => Node::Unary(operator, of),
                    None => Node::Pointed(of),
                });
            }
        }
        let mut node = self.primary()?;
        loop {
            if self.takes("[") {
                node = self.cell(node)?;
            } else if self.takes("->") {
                node = Node::Member(Box::new(Node::Pointed(Box::new(node))), self.member()?);
            } else if self.rest().starts_with('.') && !self.rest().starts_with("..") {
                self.at += 1;
                node = Node::Member(Box::new(node), self.member()?);
            } else {
                return Ok(node);
            }
        }
    }

    /// Parses the text behind `[`.
    fn cell(&mut self, of: Node) -> Result<Node, DebuggerError> {
        let index = Box::new(self.binary(0)?);
        let last = match self.takes("..") {
            true => Some(Box::new(self.binary(0)?)),
            false => None,
        };
        match self.takes("]") {
            true => Ok(Node::Cell { of: Box::new(of), index, last }),
            false => Err(self.expected("`]`")),
        }
    }

    /// The name of a member.
    fn member(&mut self) -> Result<String, DebuggerError> {
        let name = self.word(|c| c.is_alphanumeric() || c == '_');
        match name.is_empty() {
            true => Err(self.expected("the name of a member")),
            false => Ok(name),
        }
    }

    fn primary(&mut self) -> Result<Node, DebuggerError> {
        self.blanks();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':');
        let first = self.rest().chars().next();
        match first {
            Some('(') => {
                self.at += 1;
                let inner = self.binary(0)?;
                match self.takes(")") {
                    true => Ok(inner),
                    false => Err(self.expected("`)`")),
                }
            }
            Some('%') => {
                self.at += 1;
                let name = self.word(is_name);
                match name.is_empty() {
                    true => Err(self.expected("the name of a register")),
                    false => Ok(Node::Register(format!("%{name}"))),
                }
            }
            Some('@') => {
                self.at += 1;
                Ok(Node::Buffer(self.word(|c| c.is_ascii_digit() || c == '.')))
            }
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) if c.is_alphabetic() || matches!(c, '_' | '$') => {
                Ok(Node::Name(self.word(is_name)))
            }
            _ => Err(self.expected("a value")),
        }
    }

    fn number(&mut self) -> Result<Node, DebuggerError> {
        if self.takes("0x") {
            let digits = self.word(|c| c.is_ascii_hexdigit());
            let number = i128::from_str_radix(&digits, 16);
            return number
                .map(|number| Node::Number(Number::Integer(number)))
                .map_err(|_| self.expected("hexadecimal digits"));
        }
        let mut digits = self.word(|c| c.is_ascii_digit());
        let is_fraction = self.rest().starts_with('.') && !self.rest().starts_with("..");
        if is_fraction || self.rest().starts_with(['e', 'E']) {
            digits += &self.word(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E'));
            if digits.ends_with(['e', 'E']) && self.rest().starts_with(['-', '+']) {
                digits += &self.word(|c| c.is_ascii_digit() || matches!(c, '-' | '+'));
            }
            let number = digits.parse().map_err(|_| self.expected("a number"))?;
            return Ok(Node::Number(Number::Float(number)));
        }
        let number = digits.parse().map_err(|_| self.expected("a number of fewer digits"))?;
        Ok(Node::Number(Number::Integer(number)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known;

    impl Leaves for Known {
        fn register(&self, name: &str) -> Result<Value, DebuggerError> {
            Ok(Value::Integer(name.len() as i128))
        }
        fn name(&self, _: &str) -> Result<Value, DebuggerError> {
            Ok(Value::Float(0.5))
        }
        fn buffer(&self, place: &str) -> Result<Value, DebuggerError> {
            Err(DebuggerError::NotAValue { text: place.to_owned() })
        }
        fn cell(&self, _: &Node, index: i128) -> Result<Value, DebuggerError> {
            Ok(Value::Integer(index * 10))
        }
        fn place(&self, node: &Node) -> Result<Value, DebuggerError> {
            match node {
                Node::Member(of, name) => {
                    let inner = if matches!(**of, Node::Pointed(_)) { 1000 } else { 100 };
                    Ok(Value::Integer(inner + name.len() as i128))
                }
                _ => Ok(Value::Integer(7)),
            }
        }
    }

    fn of(text: &str) -> Result<Value, DebuggerError> {
        Expression::parse(text)?.value(&Known)
    }

    #[test]
    fn operators_bind_as_in_c() {
        for (text, value) in [
            ("1 + 2 * 3", 7),
            ("(1 + 2) * 3", 9),
            ("10 - 4 - 3", 3),
            ("1 << 2 + 1", 8),
            ("7 & 3 == 3", 1),
            ("1 | 2 ^ 3 & 1", 3),
            ("-3 % 2", -1),
            ("!0 + ~0", 0),
            ("1 < 2 == 1", 1),
            ("0 || 1 && 0", 0),
            ("s[2] + s[1 + 1]", 40),
            ("%rd12", 5),
            ("0xff", 255),
            ("8 >> 1 > 3", 1),
            ("%r1%2", 1),
            ("s[1].ab + 1", 103),
            ("p->abc", 1003),
            ("3 - p->abc", -1000),
            ("2 * *p", 14),
        ] {
            assert_eq!(of(text), Ok(Value::Integer(value)), "{text}");
        }
        assert_eq!(of("x * 3"), Ok(Value::Float(1.5)));
        assert_eq!(of("1e3 + 0.5"), Ok(Value::Float(1000.5)));
        assert_eq!(of("2.5e-1"), Ok(Value::Float(0.25)));
        assert_eq!(of("1 / 0"), Err(DebuggerError::DivisionByZero));
    }

    #[test]
    fn bad_expressions_are_errors_with_a_place() {
        for text in [
            "",
            "1 +",
            "(1",
            "s[",
            "s[1",
            "%",
            "1 2",
            "0x",
            "+",
            "1 = 2",
            "p->",
            "s[1].",
            "*",
            "\u{e9}\u{301}[",
        ] {
            assert!(matches!(of(text), Err(DebuggerError::Syntax { .. })), "{text}");
        }
        let deep = "(".repeat(100_000) + "1";
        assert!(of(&deep).is_err());
        let deep = "-".repeat(100_000) + "1";
        assert!(of(&deep).is_err());
        assert!(of("s[1..2]").is_err());
    }
}

//! Structs that are passed by value. Their fields are drawn, made smaller and reported like
//! arguments, each with its own number. The value that a launch passes is put together here.

use crate::host::ArgumentPlace;

/// Which of the things that are drawn are fields of structs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Structs(Vec<Struct>);

/// A struct.
#[derive(Clone, Debug, PartialEq)]
struct Struct {
    /// The number of its first field.
    first: usize,
    bytes: u64,
    /// Where its fields begin.
    offsets: Vec<u64>,
}

/// What a launch passes for a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Passed {
    /// What has this number.
    Whole(usize),
    /// A struct of this many bytes: the offset and the number of each field.
    Struct(u64, Vec<(u64, usize)>),
}

impl Structs {
    /// Adds a struct that begins with the field of this number.
    pub(crate) fn push(&mut self, first: usize, bytes: u64, offsets: Vec<u64>) {
        self.0.push(Struct { first, bytes, offsets });
    }

    /// The passed values, parameter by parameter, if so many things are drawn.
    pub(crate) fn passed(&self, drawn: usize) -> Vec<Passed> {
        let mut passed = Vec::new();
        let mut structs = self.0.iter().peekable();
        let mut number = 0;
        loop {
            if let Some(found) = structs.next_if(|s| s.first == number) {
                passed.push(Passed::Struct(
                    found.bytes,
                    found.offsets.iter().copied().zip(found.first..).collect(),
                ));
                number += found.offsets.len();
            } else if number < drawn {
                passed.push(Passed::Whole(number));
                number += 1;
            } else {
                return passed;
            }
        }
    }

    /// Where the thing of a number is passed.
    pub(crate) fn place(&self, number: usize) -> ArgumentPlace {
        let places = self.passed(number + 1);
        let at = |(argument, passed): (usize, &Passed)| match passed {
            Passed::Whole(other) => (*other == number).then(|| argument.into()),
            Passed::Struct(_, fields) => fields
                .iter()
                .find(|(_, other)| *other == number)
                .map(|(offset, _)| ArgumentPlace { argument, offset: Some(*offset) }),
        };
        places.iter().enumerate().find_map(at).unwrap_or(number.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_counted_and_parameters_too() {
        let mut structs = Structs::default();
        structs.push(1, 16, vec![0, 8]);
        structs.push(3, 4, vec![]);
        let fields = Passed::Struct(16, vec![(0, 1), (8, 2)]);
        let empty = Passed::Struct(4, vec![]);
        assert_eq!(structs.passed(4), [Passed::Whole(0), fields, empty, Passed::Whole(3)]);
        let places: Vec<String> = (0..4).map(|n| structs.place(n).to_string()).collect();
        assert_eq!(places, ["0", "1.0", "1.8", "3"]);
    }
}

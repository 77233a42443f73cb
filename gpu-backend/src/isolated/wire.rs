//! How values become bytes: little-endian numbers of fixed size, lengths as `u32`, an enumeration
//! as a tag byte and its fields.
//!
//! Both ends are the same program, or two of the same version (the first message says so), so there
//! is nothing to negotiate. What comes in is checked all the same: a process that is dying may
//! write anything. No length is believed before the bytes are there, so that what is allocated is
//! bounded by what was sent.

use std::sync::{Arc, Mutex, PoisonError};

/// The bytes are no value of the type that was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// The part of a message that has not been read yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unread<'a>(pub(super) &'a [u8]);

impl<'a> Unread<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.bytes(N)?.try_into().map_err(|_| Malformed)
    }

    /// A number of elements, each of which takes a byte at least.
    fn length(&mut self) -> Result<usize, Malformed> {
        let length = usize::try_from(u32::take(self)?).map_err(|_| Malformed)?;
        if length > self.0.len() { Err(Malformed) } else { Ok(length) }
    }
}

/// A value that goes over the wire.
pub(super) trait Wire: Sized {
    /// Appends its bytes.
    fn put(&self, to: &mut Vec<u8>);

    /// Reads it from the front.
    ///
    /// # Errors
    /// When the bytes are no such value.
    fn take(from: &mut Unread<'_>) -> Result<Self, Malformed>;
}

/// The bytes of a value.
pub(super) fn encode(value: &impl Wire) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.put(&mut bytes);
    bytes
}

/// The value that all of these bytes stand for.
///
/// # Errors
/// When they are no such value, or there are too many.
pub(super) fn decode<T: Wire>(bytes: &[u8]) -> Result<T, Malformed> {
    let mut unread = Unread(bytes);
    let value = T::take(&mut unread)?;
    if unread.0.is_empty() { Ok(value) } else { Err(Malformed) }
}

/// Numbers, as they lie in memory on a little-endian machine.
macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Wire for $number {
            fn put(&self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }

            fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
                Ok(<$number>::from_le_bytes(from.array()?))
            }
        }
    )*};
}

numbers!(u8, i8, u16, i16, u32, i32, u64, i64);

/// By its bits, so that a NaN stays the NaN it is.
impl Wire for f32 {
    fn put(&self, to: &mut Vec<u8>) {
        self.to_bits().put(to);
    }

    fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
        u32::take(from).map(f32::from_bits)
    }
}

impl Wire for f64 {
    fn put(&self, to: &mut Vec<u8>) {
        self.to_bits().put(to);
    }

    fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
        u64::take(from).map(f64::from_bits)
    }
}

impl Wire for usize {
    fn put(&self, to: &mut Vec<u8>) {
        // No supported machine has more than 64 bits.
        u64::try_from(*self).unwrap_or(u64::MAX).put(to);
    }

    fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
        usize::try_from(u64::take(from)?).map_err(|_| Malformed)
    }
}

impl Wire for bool {
    fn put(&self, to: &mut Vec<u8>) {
        u8::from(*self).put(to);
    }

    fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
        match u8::take(from)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed),
        }
    }
}

fn put_length(length: usize, to: &mut Vec<u8>) {
    // What is longer than 4 GiB does not fit into a frame either, which says so.
    u32::try_from(length).unwrap_or(u32::MAX).put(to);
}

impl Wire for String {
    fn put(&self, to: &mut Vec<u8>) {
        put_length(self.len(), to);
        to.extend_from_slice(self.as_bytes());
    }

    fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
        let length = from.length()?;
        let text = std::str::from_utf8(from.bytes(length)?).map_err(|_| Malformed)?;
        Ok(text.to_owned())
    }
}

impl Wire for Arc<str> {
    fn put(&self, to: &mut Vec<u8>) {
        put_length(self.len(), to);
        to.extend_from_slice(self.as_bytes());
    }

    fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
        String::take(from).map(Arc::from)
    }
}

/// Texts that live as long as the program, such as the names of the driver's functions. The other
/// end has them as constants, so there are few; what is new is kept for good, up to a bound.
impl Wire for &'static str {
    fn put(&self, to: &mut Vec<u8>) {
        (*self).to_owned().put(to);
    }

    fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
        static KNOWN: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
        const MOST: usize = 256;
        const LONGEST: usize = 128;

        let text = String::take(from)?;
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known.iter().find(|k| **k == text) {
            return Ok(same);
        }
        if text.len() > LONGEST || known.len() >= MOST {
            return Err(Malformed);
        }
        let kept: &'static str = text.leak();
        known.push(kept);
        Ok(kept)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, to: &mut Vec<u8>) {
        put_length(self.len(), to);
        self.iter().for_each(|element| element.put(to));
    }

    fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
        // Collecting through `Result` reserves nothing: memory grows with what is read.
        (0..from.length()?).map(|_| T::take(from)).collect()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, to: &mut Vec<u8>) {
        self.is_some().put(to);
        if let Some(value) = self {
            value.put(to);
        }
    }

    fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
        if bool::take(from)? { T::take(from).map(Some) } else { Ok(None) }
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, to: &mut Vec<u8>) {
        self.0.put(to);
        self.1.put(to);
    }

    fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
        Ok((A::take(from)?, B::take(from)?))
    }
}

impl<T: Wire, const N: usize> Wire for [T; N] {
    fn put(&self, to: &mut Vec<u8>) {
        self.iter().for_each(|element| element.put(to));
    }

    fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
        let elements: Vec<T> = (0..N).map(|_| T::take(from)).collect::<Result<_, _>>()?;
        elements.try_into().map_err(|_| Malformed)
    }
}

/// A structure: its fields, one after the other. Does not compile when one is left out.
macro_rules! wire_struct {
    ($name:path { $($field:ident),* $(,)? }) => {
        impl Wire for $name {
            fn put(&self, to: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($field.put(to);)*
            }

            fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
                $(let $field = Wire::take(from)?;)*
                Ok(Self { $($field),* })
            }
        }
    };
}

/// An enumeration: a tag, and the fields of the variant. Does not compile when a variant or a field
/// is left out.
macro_rules! wire_enum {
    ($name:path { $($tag:literal => $variant:ident
        $({ $($field:ident),* })? $(( $($place:ident),* ))?),* $(,)? }) => {
        impl Wire for $name {
            fn put(&self, to: &mut Vec<u8>) {
                match self {$(
                    Self::$variant $({ $($field),* })? $(( $($place),* ))? => {
                        u8::put(&$tag, to);
                        $($($field.put(to);)*)?
                        $($($place.put(to);)*)?
                    }
                )*}
            }

            fn take(from: &mut Unread<'_>) -> Result<Self, Malformed> {
                match u8::take(from)? {
                    $($tag => {
                        $($(let $field = Wire::take(from)?;)*)?
                        $($(let $place = Wire::take(from)?;)*)?
                        Ok(Self::$variant $({ $($field),* })? $(( $($place),* ))?)
                    })*
                    _ => Err(Malformed),
                }
            }
        }
    };
}

pub(super) use {wire_enum, wire_struct};

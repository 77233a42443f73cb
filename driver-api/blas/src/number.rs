//! The number types of computations: `f32`, `f64`, complex numbers of both, and `i32` for products
//! of small integers.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

use num_complex::Complex;

/// `cuComplex`.
pub type C32 = Complex<f32>;

/// `cuDoubleComplex`.
pub type C64 = Complex<f64>;

/// An element in memory, in little-endian bytes.
pub trait Element: Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// The bytes of one element.
    const BYTES: usize;

    /// The element in these bytes. If there are fewer, zeros follow them.
    fn read(bytes: &[u8]) -> Self;

    /// Writes it into these bytes.
    fn write(self, into: &mut [u8]);

    /// All elements in some bytes.
    fn all(bytes: &[u8]) -> Vec<Self> {
        bytes.chunks_exact(Self::BYTES).map(Self::read).collect()
    }

    /// The bytes of some elements.
    fn bytes(all: &[Self]) -> Vec<u8> {
        let mut bytes = vec![0; all.len() * Self::BYTES];
        for (value, into) in all.iter().zip(bytes.chunks_exact_mut(Self::BYTES)) {
            value.write(into);
        }
        bytes
    }
}

/// A number that can be added and multiplied.
pub trait Number:
    Element
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The type of its parts.
    type Real: Real;

    /// 0.
    const ZERO: Self;

    /// 1.
    const ONE: Self;

    /// The conjugated number; a real number itself.
    #[must_use]
    fn conj(self) -> Self;

    /// The real part.
    fn re(self) -> Self::Real;

    /// The imaginary part.
    fn im(self) -> Self::Real;

    /// A number without an imaginary part.
    fn from_real(re: Self::Real) -> Self;

    /// A number times a real one.
    #[must_use]
    fn scaled(self, by: Self::Real) -> Self;

    /// The modulus, without overflow on the way.
    fn modulus(self) -> Self::Real;

    /// `|re| + |im|`, which BLAS uses as the size of a complex number.
    fn size(self) -> Self::Real {
        self.re().modulus() + self.im().modulus()
    }

    /// The conjugated number if that is wanted.
    #[must_use]
    fn conj_if(self, is_wanted: bool) -> Self {
        if is_wanted { self.conj() } else { self }
    }
}

/// A number that is ordered.
pub trait Real: Number<Real = Self> + PartialOrd {
    /// The square root.
    #[must_use]
    fn root(self) -> Self;

    /// As `f64`.
    fn to_f64(self) -> f64;

    /// The nearest number.
    fn of_f64(value: f64) -> Self;
}

macro_rules! real {
    ($($ty:ident),*) => {$(
        impl Element for $ty {
            const BYTES: usize = size_of::<$ty>();

            fn read(bytes: &[u8]) -> $ty {
                let mut all = [0; size_of::<$ty>()];
                all.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                $ty::from_le_bytes(all)
            }

            fn write(self, into: &mut [u8]) {
                into.iter_mut().zip(self.to_le_bytes()).for_each(|(to, from)| *to = from);
            }
        }

        impl Number for $ty {
            type Real = $ty;
            const ZERO: $ty = 0.0;
            const ONE: $ty = 1.0;

            fn conj(self) -> $ty { self }
            fn re(self) -> $ty { self }
            fn im(self) -> $ty { 0.0 }
            fn from_real(re: $ty) -> $ty { re }
            fn scaled(self, by: $ty) -> $ty { self * by }
            fn modulus(self) -> $ty { self.abs() }
        }

        impl Real for $ty {
            fn root(self) -> $ty { self.sqrt() }
            fn to_f64(self) -> f64 { f64::from(self) }
            fn of_f64(value: f64) -> $ty { value as $ty }
        }

        impl Element for Complex<$ty> {
            const BYTES: usize = 2 * $ty::BYTES;

            fn read(bytes: &[u8]) -> Complex<$ty> {
                let (re, im) = bytes.split_at(bytes.len().min($ty::BYTES));
                Complex::new($ty::read(re), $ty::read(im))
            }

            fn write(self, into: &mut [u8]) {
                let (re, im) = into.split_at_mut(into.len().min($ty::BYTES));
                self.re.write(re);
                self.im.write(im);
            }
        }

        impl Number for Complex<$ty> {
            type Real = $ty;
            const ZERO: Complex<$ty> = Complex::new(0.0, 0.0);
            const ONE: Complex<$ty> = Complex::new(1.0, 0.0);

            fn conj(self) -> Self { Complex::new(self.re, -self.im) }
            fn re(self) -> $ty { self.re }
            fn im(self) -> $ty { self.im }
            fn from_real(re: $ty) -> Self { Complex::new(re, 0.0) }
            fn scaled(self, by: $ty) -> Self { Complex::new(self.re * by, self.im * by) }
            fn modulus(self) -> $ty { self.re.hypot(self.im) }
        }
    )*};
}

real!(f32, f64);

macro_rules! integer {
    ($($ty:ident),*) => {$(
        impl Element for $ty {
            const BYTES: usize = size_of::<$ty>();

            fn read(bytes: &[u8]) -> $ty {
                let mut all = [0; size_of::<$ty>()];
                all.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                $ty::from_le_bytes(all)
            }

            fn write(self, into: &mut [u8]) {
                into.iter_mut().zip(self.to_le_bytes()).for_each(|(to, from)| *to = from);
            }
        }
    )*};
}

integer!(i8, u8, i32, i64, u64);

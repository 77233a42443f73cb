//! Numbers as the device's memory has them, little-endian: what cuFFT and cuSPARSE read and write.
//! cuBLAS has more types of numbers, and its crate has them with their arithmetic.

use num_complex::Complex;

/// A number as memory has it.
pub(crate) trait Stored: Copy + Send + Sync + 'static {
    /// The number of its bytes.
    const BYTES: usize;

    /// The numbers in these bytes. Bytes at the end that make no whole number are left out.
    fn read_all(bytes: &[u8]) -> Vec<Self>;

    /// Appends its bytes.
    fn write(self, bytes: &mut Vec<u8>);
}

macro_rules! stored {
    ($($ty:ty),*) => {$(
        impl Stored for $ty {
            const BYTES: usize = size_of::<$ty>();

            fn read_all(bytes: &[u8]) -> Vec<$ty> {
                bytes.as_chunks().0.iter().map(|bytes| <$ty>::from_le_bytes(*bytes)).collect()
            }

            fn write(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        }
    )*};
}

stored!(f32, f64);

impl<T: Stored> Stored for Complex<T> {
    const BYTES: usize = 2 * T::BYTES;

    fn read_all(bytes: &[u8]) -> Vec<Complex<T>> {
        let parts = T::read_all(bytes);
        parts.as_chunks().0.iter().map(|[re, im]| Complex::new(*re, *im)).collect()
    }

    fn write(self, bytes: &mut Vec<u8>) {
        self.re.write(bytes);
        self.im.write(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_from_their_bytes_in_order() {
        let numbers = [Complex::new(1.5_f32, -2.0), Complex::new(0.25, f32::INFINITY)];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| number.write(&mut bytes));
        assert_eq!(bytes[..8], [0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0]);
        assert_eq!(Complex::<f32>::read_all(&bytes), numbers);
        assert_eq!(f32::read_all(&bytes[..15]), [1.5, -2.0, 0.25]);
        assert!(f64::read_all(&[0; 7]).is_empty());
    }
}

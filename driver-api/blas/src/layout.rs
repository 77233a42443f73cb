//! Where elements lie in memory: columns with leading dimensions, vectors with increments,
//! triangles, packed triangles and bands, all by columns (BLAS Technical Forum standard, chapter 2;
//! cuBLAS documentation, "Data Layout").
//!
//! A layout names exactly what a routine may read and write: memory between columns is never
//! touched.

use crate::Uplo;

/// A run of elements that follow each other in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// How many elements lie between the address and its first one.
    pub at: usize,
    /// The row of the first element.
    pub first_row: usize,
    /// The number of elements.
    pub count: usize,
}

/// The places of the elements of a matrix or of a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The rows of the whole matrix.
    pub rows: usize,
    /// The columns in order, each of one run. For a vector with an increment, its elements.
    pub columns: Vec<Run>,
    /// Whether the columns are in the opposite order, because the increment is negative.
    is_reversed: bool,
}

impl Layout {
    /// A matrix with `rows` rows and `columns` columns.
    pub fn general(rows: usize, columns: usize, leading: usize) -> Layout {
        let column = |j| Run { at: j * leading, first_row: 0, count: rows };
        Layout { rows, columns: (0..columns).map(column).collect(), is_reversed: false }
    }

    /// A vector: one run if the increment is 1, else runs of one element.
    pub fn vector(count: usize, increment: i64) -> Layout {
        if count == 0 || increment == 1 {
            return Layout::general(count, usize::from(count > 0), count);
        }
        let step = increment.unsigned_abs() as usize;
        let element = |i| Run { at: i * step, first_row: 0, count: 1 };
        let columns = (0..count).map(element).collect();
        Layout { rows: 1, columns, is_reversed: increment < 0 }
    }

    /// A triangle of a square matrix, with its diagonal.
    pub fn triangle(uplo: Uplo, order: usize, leading: usize) -> Layout {
        let column = |j: usize| match uplo {
            Uplo::Upper => Run { at: j * leading, first_row: 0, count: j + 1 },
            Uplo::Lower => Run { at: j * leading + j, first_row: j, count: order - j },
        };
        Layout { rows: order, columns: (0..order).map(column).collect(), is_reversed: false }
    }

    /// The same without gaps between columns.
    pub fn packed(uplo: Uplo, order: usize) -> Layout {
        let mut layout = Layout::triangle(uplo, order, order);
        let mut at = 0;
        for column in &mut layout.columns {
            column.at = at;
            at += column.count;
        }
        layout
    }

    /// A band: `below` diagonals under the main one, and `above` over it. Row `i` of column `j`
    /// lies in row `above + i - j` of the kept rows.
    pub fn band(rows: usize, columns: usize, [below, above]: [usize; 2], leading: usize) -> Layout {
        let column = |j: usize| {
            let first_row = j.saturating_sub(above).min(rows);
            let count = (j + below + 1).min(rows) - first_row.min((j + below + 1).min(rows));
            Run { at: j * leading + above + first_row - j.min(above + first_row), first_row, count }
        };
        Layout { rows, columns: (0..columns).map(column).collect(), is_reversed: false }
    }

    /// A triangle with `beside` diagonals beside the main one.
    pub fn triangular_band(uplo: Uplo, order: usize, beside: usize, leading: usize) -> Layout {
        match uplo {
            Uplo::Upper => Layout::band(order, order, [0, beside], leading),
            Uplo::Lower => Layout::band(order, order, [beside, 0], leading),
        }
    }

    /// How many elements there are.
    pub fn count(&self) -> usize {
        self.columns.iter().map(|run| run.count).sum()
    }

    /// The runs that have elements, in the order of the elements.
    pub fn runs(&self) -> impl Iterator<Item = Run> {
        let count = self.columns.len();
        let in_order = (0..count).map(move |i| if self.is_reversed { count - 1 - i } else { i });
        in_order.filter_map(|i| self.columns.get(i).copied()).filter(|run| run.count > 0)
    }

    /// The offsets and counts of the runs; runs that touch are one.
    pub fn spans(&self) -> Vec<(usize, usize)> {
        let mut spans: Vec<(usize, usize)> = Vec::new();
        for run in self.runs() {
            match spans.last_mut() {
                Some((at, count)) if *at + *count == run.at => *count += run.count,
                Some(_) | None => spans.push((run.at, run.count)),
            }
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(layout: &Layout) -> Vec<usize> {
        layout.runs().flat_map(|run| run.at..run.at + run.count).collect()
    }

    #[test]
    fn a_vector_with_a_negative_increment_ends_where_its_address_is() {
        assert_eq!(places(&Layout::vector(3, 1)), [0, 1, 2]);
        assert_eq!(places(&Layout::vector(3, 2)), [0, 2, 4]);
        // The standard: element i lies at (n - 1 - i) * |inc|.
        assert_eq!(places(&Layout::vector(3, -2)), [4, 2, 0]);
        assert_eq!(places(&Layout::vector(3, -1)), [2, 1, 0]);
        assert_eq!(places(&Layout::vector(0, 5)), []);
    }

    #[test]
    fn columns_lie_a_leading_dimension_apart_and_what_is_between_them_is_none_of_it() {
        assert_eq!(places(&Layout::general(2, 3, 4)), [0, 1, 4, 5, 8, 9]);
        assert_eq!(Layout::general(2, 3, 4).spans(), [(0, 2), (4, 2), (8, 2)]);
        assert_eq!(Layout::general(2, 3, 2).spans(), [(0, 6)]);
        assert_eq!(places(&Layout::triangle(Uplo::Upper, 3, 4)), [0, 4, 5, 8, 9, 10]);
        assert_eq!(places(&Layout::triangle(Uplo::Lower, 3, 4)), [0, 1, 2, 5, 6, 10]);
    }

    #[test]
    fn packed_triangles_have_the_indices_of_the_documentation() {
        // cuBLAS, "spmv": A(i,j) is AP[i + ((2*n-j+1)*j)/2 - j ...] for the lower,
        // AP[i+(j*(j+1))/2] for the upper triangle.
        let n = 5;
        let (upper, lower) = (Layout::packed(Uplo::Upper, n), Layout::packed(Uplo::Lower, n));
        for j in 0..n {
            assert_eq!(upper.columns[j].at, j * (j + 1) / 2);
            assert_eq!(lower.columns[j].at, j + ((2 * n - j - 1) * j) / 2);
        }
    }

    #[test]
    fn bands_lie_by_diagonals() {
        // LAPACK's users' guide, "Band Storage": a matrix of order 5 with two diagonals below and
        // one above.
        let layout = Layout::band(5, 5, [2, 1], 4);
        for (j, run) in layout.columns.iter().enumerate() {
            for row in run.first_row..run.first_row + run.count {
                assert!(row + 1 >= j && row <= j + 2);
                assert_eq!(run.at + row - run.first_row, j * 4 + 1 + row - j);
            }
        }
        assert_eq!(layout.count(), 5 + 4 + 4 + 3);
        // A wide one, whose last columns have nothing.
        assert_eq!(
            Layout::band(2, 5, [0, 1], 2).columns.iter().map(|c| c.count).collect::<Vec<_>>(),
            [1, 2, 1, 0, 0]
        );
    }
}

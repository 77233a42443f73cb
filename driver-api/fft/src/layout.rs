//! The places of a batch's elements ("Advanced Data Layout"). Elements of one transform lie at
//! strides inside a box that may be larger than the transform. Transforms lie at a distance.

/// How one side of a transform lies in memory, in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    /// The extents of the box, outermost first; the first of them changes no place.
    pub extents: Vec<usize>,
    /// From an element to its neighbour in the innermost dimension.
    pub stride: usize,
    /// From the first element of a transform to the first of the next.
    pub distance: usize,
}

/// One side of a batch: its layout, and how many elements it has in each dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Its layout.
    pub embedding: Embedding,
    /// Elements in each dimension, outermost first.
    pub counts: Vec<usize>,
}

impl Side {
    /// The side whose elements lie one behind the other.
    pub fn dense(counts: &[usize]) -> Side {
        let distance = counts.iter().product();
        let embedding = Embedding { extents: counts.to_vec(), stride: 1, distance };
        Side { embedding, counts: counts.to_vec() }
    }

    /// Elements of one transform.
    pub fn elements(&self) -> usize {
        self.counts.iter().product()
    }

    /// The place of each row of the innermost dimension of one transform, in order.
    pub fn rows(&self, transform: usize) -> Vec<usize> {
        let outer = &self.counts[..self.counts.len().saturating_sub(1)];
        let count: usize = outer.iter().product();
        (0..count).map(|row| self.row(transform, row, outer)).collect()
    }

    fn row(&self, transform: usize, row: usize, outer: &[usize]) -> usize {
        let Embedding { extents, stride, distance } = &self.embedding;
        let (mut rest, mut place, mut step) = (row, 0, *stride);
        // From the innermost of the outer dimensions outwards.
        for (dimension, count) in outer.iter().enumerate().rev() {
            step *= extents.get(dimension + 1).copied().unwrap_or(1);
            place += rest % count * step;
            rest /= count;
        }
        transform * distance + place
    }

    /// One past the last element that a batch touches.
    pub fn end(&self, batch: usize) -> usize {
        let width = self.counts.last().copied().unwrap_or(0);
        let last = self.rows(batch.saturating_sub(1)).into_iter().max();
        last.map_or(0, |row| row + (width.saturating_sub(1)) * self.embedding.stride + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_lie_where_the_formula_of_the_reference_says() {
        // input[b * idist + ((x * inembed[1] + y) * inembed[2] + z) * istride]
        let embedding = Embedding { extents: vec![9, 5, 7], stride: 2, distance: 1000 };
        let side = Side { embedding, counts: vec![2, 3, 4] };
        let mut wanted = Vec::new();
        for x in 0..2 {
            for y in 0..3 {
                wanted.push(1000 + ((x * 5 + y) * 7) * 2);
            }
        }
        assert_eq!(side.rows(1), wanted);
        assert_eq!(side.end(2), 1000 + ((5 + 2) * 7 + 3) * 2 + 1);
        assert_eq!(Side::dense(&[6]).rows(3), [18]);
    }
}

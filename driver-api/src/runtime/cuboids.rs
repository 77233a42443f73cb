//! Copies in three dimensions, in the runtime's form (`driver_types.h`).

use warpsim_driver_core::{Answer, Block, CudaError, Spot};

use crate::process::with;

/// `cudaMemcpy3DParms`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct RuntimeCopy3D {
    from_array: u64,
    from_at: [usize; 3],
    from: Pitched,
    to_array: u64,
    to_at: [usize; 3],
    to: Pitched,
    extent: [usize; 3],
    kind: u32,
}

/// `cudaPitchedPtr`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Pitched {
    pub(crate) address: u64,
    pub(crate) pitch: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl RuntimeCopy3D {
    /// A copy of the device's memory: an array or none, where in it, and rows, of what it goes to
    /// and of what it comes from.
    pub(crate) fn between(
        (to_array, to_at, to): (u64, [usize; 3], Pitched),
        (from_array, from_at, from): (u64, [usize; 3], Pitched),
        extent: [usize; 3],
    ) -> RuntimeCopy3D {
        RuntimeCopy3D { from_array, from_at, from, to_array, to_at, to, extent, kind: 3 }
    }

    /// An end in an array. The copy is given in texels of the array; the other is in bytes, except
    /// its width.
    fn block_of_arrays(&self) -> Answer<Block> {
        let texel = |array| with(|call| call.array(array)).map(|shape| shape.texel());
        let bytes = match (self.from_array, self.to_array) {
            (0, to) => texel(to)?,
            (from, _) => texel(from)?,
        };
        let [width, height, depth] = self.extent.map(|size| size as u64);
        let width = width.checked_mul(bytes).ok_or(CudaError::InvalidValue)?;
        let extent = [width, height, depth];
        let end = |array: u64, spot, all: &Pitched, at: [usize; 3]| {
            if array == 0 {
                return pitched(spot, all, at, height);
            }
            let [x, y, z] = at.map(|n| n as u64);
            let x = x.checked_mul(bytes).ok_or(CudaError::InvalidValue)?;
            with(|call| call.array_end(array, [x, y, z], extent))
        };
        let (to, from) = self.spots()?;
        let to = end(self.to_array, to, &self.to, self.to_at)?;
        let from = end(self.from_array, from, &self.from, self.from_at)?;
        Ok(Block { to, from, extent })
    }

    /// The same copy by addresses.
    pub(crate) fn of(block: &Block) -> RuntimeCopy3D {
        let extent = block.extent.map(|size| size as usize);
        let end = |(spot, pitch, slice): (Spot, u64, u64)| {
            let (Spot::Host(address) | Spot::Device(address) | Spot::Unified(address)) = spot;
            let height = slice
                .checked_div(pitch)
                .filter(|rows| *rows > 0)
                .map_or(extent[1], |rows| rows as usize);
            Pitched { address, pitch: pitch as usize, width: extent[0], height }
        };
        let kind = match (block.to.0, block.from.0) {
            (Spot::Unified(_), _) | (_, Spot::Unified(_)) => 4,
            (Spot::Host(_), Spot::Host(_)) => 0,
            (Spot::Device(_), Spot::Host(_)) => 1,
            (Spot::Host(_), Spot::Device(_)) => 2,
            (Spot::Device(_), Spot::Device(_)) => 3,
        };
        let (to, from) = (end(block.to), end(block.from));
        RuntimeCopy3D {
            to,
            from,
            kind,
            ..RuntimeCopy3D::between((0, [0; 3], to), (0, [0; 3], from), extent)
        }
    }

    fn spots(&self) -> Answer<(Spot, Spot)> {
        Ok(match self.kind {
            0 => (Spot::Host(self.to.address), Spot::Host(self.from.address)),
            1 => (Spot::Device(self.to.address), Spot::Host(self.from.address)),
            2 => (Spot::Host(self.to.address), Spot::Device(self.from.address)),
            3 => (Spot::Device(self.to.address), Spot::Device(self.from.address)),
            4 => (Spot::Unified(self.to.address), Spot::Unified(self.from.address)),
            5.. => return Err(CudaError::InvalidValue),
        })
    }

    /// The same in the core's words.
    pub(crate) fn block(&self) -> Answer<Block> {
        if self.from_array != 0 || self.to_array != 0 {
            return self.block_of_arrays();
        }
        let (to, from) = self.spots()?;
        let extent = self.extent.map(|size| size as u64);
        let to = pitched(to, &self.to, self.to_at, extent[1])?;
        let from = pitched(from, &self.from, self.from_at, extent[1])?;
        Ok(Block { to, from, extent })
    }
}

/// An end in rows, of this many in a slice where nothing is said.
fn pitched(spot: Spot, all: &Pitched, at: [usize; 3], height: u64) -> Answer<(Spot, u64, u64)> {
    let pitch = all.pitch as u64;
    let rows = if all.height == 0 { height } else { all.height as u64 };
    let slice = pitch.checked_mul(rows).ok_or(CudaError::InvalidValue)?;
    let start = crate::structures::moved(spot, crate::structures::offset(at, pitch, slice))?;
    Ok((start, pitch, slice))
}

const _: () = assert!(size_of::<RuntimeCopy3D>() == 160 && size_of::<Pitched>() == 32);

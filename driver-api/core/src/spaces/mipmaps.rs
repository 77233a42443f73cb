//! Mipmapped arrays (CUDA driver API, `cuMipmappedArrayCreate` and the functions after it).
//!
//! The levels lie one after the other in one piece of memory. Each is an array, too. Its handle is
//! the same whenever it is asked for, and ends when the levels are destroyed.

use std::collections::BTreeMap;

use warpsim::host::Texels;

use crate::spaces::arrays::{Array, ArrayShape};
use crate::state::{Call, Kind};
use crate::{Answer, CudaError, Handle};

/// An array of several levels.
#[derive(Debug)]
pub(crate) struct Mipmapped {
    /// All of them; its shape is the first one's.
    pub(crate) array: Array,
    levels: u32,
    /// The handles of levels that were asked for.
    handles: BTreeMap<u32, Handle>,
}

impl ArrayShape {
    /// The most levels that it can have: until the largest direction has one texel.
    fn most_levels(&self) -> u32 {
        let [width, height, depth] = self.extent;
        let depth = if self.is_in_slices() { 0 } else { depth };
        width.max(height).max(depth).checked_ilog2().unwrap_or(0) + 1
    }

    /// The shape of a level: half of the one before along each direction, and at least 1.
    fn level(&self, level: u32) -> ArrayShape {
        let halved = |size: u64| if size == 0 { 0 } else { (size >> level).max(1) };
        let [width, height, depth] = self.extent;
        let depth = if self.is_in_slices() { depth } else { halved(depth) };
        ArrayShape { extent: [halved(width), halved(height), depth], ..*self }
    }
}

impl Call<'_> {
    fn mipmapped(&self, handle: Handle) -> Answer<&Mipmapped> {
        self.state.arrays.mipmapped.get(&handle).ok_or(CudaError::InvalidHandle)
    }

    /// `cuMipmappedArrayCreate`. Too many levels become the most possible, and no levels become
    /// one.
    ///
    /// # Errors
    /// An array cannot have this shape, or there is not that much memory.
    pub fn create_mipmapped(&mut self, shape: ArrayShape, levels: u32) -> Answer<Handle> {
        let levels = levels.clamp(1, shape.most_levels());
        let texels = shape.texels()?.mipmapped(levels).map_err(|_| CudaError::InvalidValue)?;
        let array = self.new_array(shape, texels)?;
        let handle = self.state.handle(Kind::Array);
        let all = Mipmapped { array, levels, handles: BTreeMap::new() };
        self.state.arrays.mipmapped.insert(handle, all);
        Ok(handle)
    }

    /// `cuMipmappedArrayDestroy`: its levels go with it.
    ///
    /// # Errors
    /// There is no such mipmapped array.
    pub fn destroy_mipmapped(&mut self, handle: Handle) -> Answer<()> {
        if let Ok(all) = self.mipmapped(handle) {
            let base = all.array.base;
            self.gives_back(base);
        }
        self.context()?;
        let base = self.mipmapped(handle)?.array.base;
        self.state.arrays.mipmapped.remove(&handle);
        self.state.arrays.all.retain(|_, array| array.level_of != Some(handle));
        self.remove_allocation(base)
    }

    /// `cuMipmappedArrayGetLevel`: an array.
    ///
    /// # Errors
    /// There is no such mipmapped array, or it has no such level.
    pub fn mipmapped_level(&mut self, handle: Handle, level: u32) -> Answer<Handle> {
        self.context()?;
        let all = self.mipmapped(handle)?;
        if let Some(known) = all.handles.get(&level) {
            return Ok(*known);
        }
        let Array { shape, texels, base, context, .. } = &all.array;
        let place = texels.levels().get(level as usize).map(|place| place.offset);
        let base = base + place.ok_or(CudaError::InvalidValue)?;
        let (shape, context) = (shape.level(level), *context);
        let array = Array { shape, texels: shape.texels()?, base, context, level_of: Some(handle) };
        let own = self.state.handle(Kind::Array);
        self.state.arrays.all.insert(own, array);
        if let Some(all) = self.state.arrays.mipmapped.get_mut(&handle) {
            all.handles.insert(level, own);
        }
        Ok(own)
    }

    /// How many levels there are.
    ///
    /// # Errors
    /// There is no such mipmapped array.
    pub fn levels(&self, handle: Handle) -> Answer<u32> {
        Ok(self.mipmapped(handle)?.levels)
    }

    /// The shape of the first level.
    ///
    /// # Errors
    /// There is no such mipmapped array.
    pub fn mipmapped_shape(&self, handle: Handle) -> Answer<ArrayShape> {
        Ok(self.mipmapped(handle)?.array.shape)
    }

    /// The texels of the first levels, and where they are.
    pub(crate) fn mipmapped_texels(&self, handle: Handle, levels: u32) -> Answer<(Texels, u64)> {
        let Array { shape, base, .. } = &self.mipmapped(handle)?.array;
        let levels = levels.clamp(1, self.levels(handle)?);
        let texels = shape.texels()?.mipmapped(levels).map_err(|_| CudaError::InvalidValue)?;
        Ok((texels, *base))
    }
}

//! Pointers as C passes them. Each type has the layout of the pointer that it is, and can only come
//! from C. Its safe operations rest on the API's rule for callers: a pointer is null or good for
//! its purpose.

use std::ffi::{CStr, c_char, c_void};

use warpsim_driver_core::{Answer, CudaError, Handle};

/// `CUhostFn`. It may unwind the stack: by ending its thread.
pub(crate) type HostFunction = Option<extern "C-unwind" fn(*mut c_void)>;

/// `CUstreamCallback`.
pub(crate) type StreamCallback = Option<extern "C-unwind" fn(Handle, u32, *mut c_void)>;

/// Memory of the program at an address, as its functions take it.
pub(crate) fn data(address: usize) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address)
}

/// Where a result goes.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Out<T> {
        *self
    }
}

impl<T> Copy for Out<T> {}

impl<T> Out<T> {
    /// Where a function has no such argument.
    pub(crate) const NONE: Out<T> = Out(std::ptr::null_mut());

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Writes a result.
    ///
    /// # Errors
    /// The pointer is null.
    pub(crate) fn put(self, value: T) -> Answer<()> {
        if self.0.is_null() {
            return Err(CudaError::InvalidValue);
        }
        // SAFETY: it is not null, and so, by the API, good for a value of its type; nothing is said
        // of its alignment.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes the first bytes of a result, for callers that know a shorter structure.
    ///
    /// # Errors
    /// The pointer is null.
    pub(crate) fn put_beginning(self, value: &T, bytes: usize) -> Answer<()> {
        if self.0.is_null() {
            return Err(CudaError::InvalidValue);
        }
        let bytes = bytes.min(size_of::<T>());
        // SAFETY: it is not null, and so, by the API, good for as many bytes as the caller's
        // structure has; the value has at least as many, and does not overlap them.
        unsafe {
            std::ptr::copy_nonoverlapping(
                std::ptr::from_ref(value).cast::<u8>(),
                self.0.cast(),
                bytes,
            );
        }
        Ok(())
    }

    /// Writes a result where the caller wants it.
    pub(crate) fn put_if_wanted(self, value: T) {
        if !self.is_null() {
            let _ = self.put(value);
        }
    }

    /// Writes several, one behind the other; the caller has said that there is room.
    pub(crate) fn put_all(self, values: impl IntoIterator<Item = T>) -> Answer<()> {
        for (index, value) in values.into_iter().enumerate() {
            self.element(index).put(value)?;
        }
        Ok(())
    }
}

impl<T> Out<T> {
    /// The place of one of several; it is only looked at by what reads or writes there.
    pub(crate) fn element(self, index: usize) -> Out<T> {
        match self.is_null() {
            true => self,
            false => Out(self.0.wrapping_add(index)),
        }
    }
}

impl<T: Copy> Out<T> {
    /// The present value, for arguments that are read and written.
    ///
    /// # Errors
    /// The pointer is null.
    pub(crate) fn get(self) -> Answer<T> {
        In(self.0.cast_const()).get()
    }
}

impl<T> Out<T> {
    /// The place that many bytes behind it, of something else: a part of a structure whose kind
    /// says what it is.
    pub(crate) fn part<U>(self, bytes: usize) -> Out<U> {
        match self.is_null() {
            true => Out(std::ptr::null_mut()),
            false => Out(self.0.cast::<u8>().wrapping_add(bytes).cast()),
        }
    }
}

impl Out<c_void> {
    /// The same pointer to another type, for results whose type is said by another argument.
    pub(crate) fn of<T>(self) -> Out<T> {
        Out(self.0.cast())
    }
}

/// Where an argument is.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct In<T>(*const T);

impl<T> Clone for In<T> {
    fn clone(&self) -> In<T> {
        *self
    }
}

impl<T> Copy for In<T> {}

impl<T: Copy> In<T> {
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Reads it.
    ///
    /// # Errors
    /// The pointer is null.
    pub(crate) fn get(self) -> Answer<T> {
        if self.0.is_null() {
            return Err(CudaError::InvalidValue);
        }
        // SAFETY: it is not null, and so, by the API, good for a value of its type. The types that
        // are read are plain numbers, pointers and structures of those, for which all bits are
        // values.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// Reads one of several.
    ///
    /// # Errors
    /// The pointer is null.
    pub(crate) fn at(self, index: usize) -> Answer<T> {
        match self.is_null() {
            true => Err(CudaError::InvalidValue),
            // This only computes the address, and `get` reads.
            false => In(self.0.wrapping_add(index)).get(),
        }
    }
}

/// A text that ends in a zero.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Text(*const c_char);

impl Text {
    /// A text whose address is in a list of C's.
    pub(crate) fn at(address: *const c_char) -> Text {
        Text(address)
    }

    /// The text; `None` where the pointer is null.
    ///
    /// # Errors
    /// It is no UTF-8, in which all names of PTX are.
    pub(crate) fn get(self) -> Answer<Option<String>> {
        if self.0.is_null() {
            return Ok(None);
        }
        // SAFETY: it is not null, and so, by the API, a text that ends in a zero.
        let text = unsafe { CStr::from_ptr(self.0) };
        match text.to_str() {
            Ok(text) => Ok(Some(text.to_owned())),
            Err(_) => Err(CudaError::InvalidValue),
        }
    }

    /// The text that must be there.
    ///
    /// # Errors
    /// The pointer is null, or it is no UTF-8.
    pub(crate) fn needed(self) -> Answer<String> {
        self.get()?.ok_or(CudaError::InvalidValue)
    }
}

/// An image to be loaded, whose size only its contents say.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Image(*const c_void);

/// What `__fatBinC_Wrapper_t` of `fatbinary_section.h` is.
#[derive(Clone, Copy)]
#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    data: *const c_void,
    /// A name, or in version 2 the images that are still to be linked.
    name: *const c_void,
}

impl Image {
    /// Its address, to be kept.
    pub(crate) fn address(self) -> usize {
        self.0.expose_provenance()
    }

    /// The image whose address was kept. As with all that C passes, the program says that it is
    /// still there.
    pub(crate) fn kept(address: usize) -> Image {
        Image(std::ptr::with_exposed_provenance(address))
    }

    /// The image without its wrapper; of an object file its first bytes, which is all that is
    /// looked at.
    ///
    /// # Errors
    /// The pointer is null, or the sizes in it are none.
    pub(crate) fn bytes(self) -> Answer<Vec<u8>> {
        let magic: [u8; 4] = self.first()?;
        match u32::from_le_bytes(magic) {
            warpsim_driver_core::WRAPPER => {
                let wrapper = In(self.0.cast::<Wrapper>()).get()?;
                let inner = Image(wrapper.data);
                match u32::from_le_bytes(inner.first()?) {
                    warpsim_driver_core::FAT_BINARY => inner.bytes(),
                    _ => Err(CudaError::InvalidImage),
                }
            }
            warpsim_driver_core::FAT_BINARY => {
                let header: [u8; warpsim_driver_core::FAT_HEADER] = self.first()?;
                let bytes = warpsim_driver_core::bytes_of_fat_binary(header);
                let bytes = bytes.filter(|bytes| isize::try_from(*bytes).is_ok());
                self.sized(bytes.ok_or(CudaError::InvalidImage)?)
            }
            warpsim_driver_core::CONTAINER => {
                let header: [u8; warpsim_driver_core::CONTAINER_HEADER] = self.first()?;
                let bytes = warpsim_driver_core::bytes_of_container(header);
                self.sized(bytes.ok_or(CudaError::InvalidImage)?)
            }
            warpsim_driver_core::ELF => Ok(magic.to_vec()),
            _ => {
                // SAFETY: it is not null, and neither an object file nor a fat binary, and so, by
                // the API, a text that ends in a zero.
                Ok(unsafe { CStr::from_ptr(self.0.cast()) }.to_bytes().to_vec())
            }
        }
    }

    /// The images that a linker of device code has left to the driver to link: a wrapper of version
    /// 2 leads to them (`crt/link.stub`). There are none in other images.
    ///
    /// # Errors
    /// The pointer is null, or the sizes in one of them are none.
    pub(crate) fn parts(self) -> Answer<Vec<Vec<u8>>> {
        /// The version of wrappers that lead to parts.
        const LEADS_TO_PARTS: u32 = 2;
        if u32::from_le_bytes(self.first()?) != warpsim_driver_core::WRAPPER {
            return Ok(Vec::new());
        }
        let wrapper = In(self.0.cast::<Wrapper>()).get()?;
        let mut parts = Vec::new();
        if wrapper.version == LEADS_TO_PARTS && !wrapper.name.is_null() {
            let all = In(wrapper.name.cast::<*const c_void>());
            // A null pointer follows the last part.
            while let Some(part) = Some(all.at(parts.len())?).filter(|part| !part.is_null()) {
                parts.push(Image(part).bytes()?);
            }
        }
        Ok(parts)
    }

    /// This many bytes of it, as the caller says.
    ///
    /// # Errors
    /// The pointer is null.
    pub(crate) fn sized(self, bytes: usize) -> Answer<Vec<u8>> {
        if self.0.is_null() || isize::try_from(bytes).is_err() {
            return Err(CudaError::InvalidValue);
        }
        // SAFETY: it is not null, and this many bytes are there, as the caller or the image's own
        // header says.
        Ok(unsafe { std::slice::from_raw_parts(self.0.cast::<u8>(), bytes) }.to_vec())
    }

    /// Its first bytes, and zeros behind a zero among the first four: a text may end there.
    fn first<const N: usize>(self) -> Answer<[u8; N]> {
        let mut bytes = [0; N];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = In(self.0.cast::<u8>()).at(at)?;
            if at < 4 && *byte == 0 {
                break;
            }
        }
        Ok(bytes)
    }
}

/// The parameters of a launch: an array of pointers, one to each.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Parameters(*const *const c_void);

impl Parameters {
    /// Where a function has no such argument.
    pub(crate) const NONE: Parameters = Parameters(std::ptr::null());

    /// A list that is kept.
    pub(crate) fn of(each: &[usize]) -> Parameters {
        Parameters(each.as_ptr().cast())
    }

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The bytes of a parameter.
    ///
    /// # Errors
    /// A pointer is null.
    pub(crate) fn bytes(self, index: usize, size: usize) -> Answer<Vec<u8>> {
        Image(In(self.0).at(index)?).sized(size)
    }

    /// A word of a list that holds other things than parameters.
    pub(crate) fn word(self, index: usize) -> Answer<*const c_void> {
        In(self.0).at(index)
    }
}

/// A place that is kept as a number.
pub(crate) fn kept_at(address: *mut c_void) -> usize {
    address.expose_provenance()
}

/// The place that was kept. As with all that C passes, the program says that it is still there.
pub(crate) fn out_kept<T>(address: usize) -> Out<T> {
    Out(std::ptr::with_exposed_provenance_mut(address))
}

/// The function at an address that a program gave as one.
pub(crate) fn host_function(address: u64) -> HostFunction {
    // SAFETY: the address is 0, which is `None`, or it is the address of a function of this type.
    // It was made from such a function, and was kept as a number because it goes through the core.
    unsafe { std::mem::transmute::<usize, HostFunction>(address as usize) }
}

/// This many bytes from an address.
pub(crate) fn bytes_at(address: *const c_void, bytes: usize) -> Answer<Vec<u8>> {
    Image(address).sized(bytes)
}

/// A number at an address.
pub(crate) fn size_at(address: *const c_void) -> Answer<usize> {
    In(address.cast::<usize>()).get()
}

/// An address that C gave as a number of another kind.
pub(crate) fn out_at<T>(address: *mut c_void) -> Out<T> {
    Out(address.cast())
}

/// An array that a structure points to.
pub(crate) fn array_at<T>(address: *const T) -> In<T> {
    In(address)
}

/// How an argument is written in the log of calls.
pub(crate) trait Shown {
    fn shown(&self) -> String;
}

macro_rules! shown {
    ($($ty:ty),*) => {$(
        impl Shown for $ty {
            fn shown(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

shown!(i32, i64, u32, u8, u16, usize, f32, f64);

impl Shown for u64 {
    fn shown(&self) -> String {
        format!("{self:#x}")
    }
}

impl<T> Shown for Out<T> {
    fn shown(&self) -> String {
        format!("{:#x}", self.0.addr())
    }
}

impl<T> Shown for In<T> {
    fn shown(&self) -> String {
        format!("{:#x}", self.0.addr())
    }
}

impl Shown for Text {
    fn shown(&self) -> String {
        match self.get() {
            Ok(Some(text)) => text,
            Ok(None) => "null".to_owned(),
            Err(_) => "?".to_owned(),
        }
    }
}

impl Shown for Image {
    fn shown(&self) -> String {
        format!("{:#x}", self.0.addr())
    }
}

impl Shown for Parameters {
    fn shown(&self) -> String {
        format!("{:#x}", self.0.addr())
    }
}

impl<A, R> Shown for Option<extern "C" fn(A) -> R> {
    fn shown(&self) -> String {
        format!("{:#x}", self.map_or(0, |function| function as usize))
    }
}

impl Shown for HostFunction {
    fn shown(&self) -> String {
        format!("{:#x}", self.map_or(0, |function| function as usize))
    }
}

impl Shown for StreamCallback {
    fn shown(&self) -> String {
        format!("{:#x}", self.map_or(0, |function| function as usize))
    }
}

impl<T> Shown for *mut T {
    fn shown(&self) -> String {
        format!("{:#x}", self.addr())
    }
}

impl<T> Shown for *const T {
    fn shown(&self) -> String {
        format!("{:#x}", self.addr())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_pointers_are_errors_and_are_not_followed() {
        assert_eq!(Out::<u32>(std::ptr::null_mut()).put(1), Err(CudaError::InvalidValue));
        assert_eq!(In::<u32>(std::ptr::null()).get(), Err(CudaError::InvalidValue));
        assert_eq!(In::<u32>(std::ptr::null()).at(3), Err(CudaError::InvalidValue));
        assert_eq!(Image(std::ptr::null()).bytes(), Err(CudaError::InvalidValue));
        assert_eq!(Text(std::ptr::null()).get(), Ok(None));
        let mut value = 0;
        assert_eq!(Out(&raw mut value).put(7), Ok(()));
        assert_eq!(value, 7);
    }

    #[test]
    fn the_size_of_an_image_is_what_its_contents_say() {
        let text = c".version 8.0";
        assert_eq!(Image(text.as_ptr().cast()).bytes(), Ok(b".version 8.0".to_vec()));
        assert_eq!(Image(c"".as_ptr().cast()).bytes(), Ok(Vec::new()));
        let mut fat = warpsim_driver_core::FAT_BINARY.to_le_bytes().to_vec();
        fat.extend([1, 0, 16, 0, 4, 0, 0, 0, 0, 0, 0, 0, b'a', b'b', b'c', b'd', b'!']);
        let alone = Image(fat.as_ptr().cast()).bytes();
        assert_eq!(alone, Ok(fat[..20].to_vec()));
        let data = fat.as_ptr().cast();
        let wrapper = Wrapper {
            magic: warpsim_driver_core::WRAPPER,
            version: 1,
            data,
            name: std::ptr::null(),
        };
        assert_eq!(Image((&raw const wrapper).cast()).bytes(), alone);
        fat[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(Image(fat.as_ptr().cast()).bytes(), Err(CudaError::InvalidImage));
    }
}

//! The linker of the driver (CUDA driver API, "Module Management", `cuLinkCreate` and the functions
//! after it).
//!
//! PTX texts are joined to one PTX text. It takes the place of the machine code that a driver would
//! give, and loading a module accepts it.

use warpsim::ptx;

use crate::code::image;
use crate::code::modules::LoadError;
use crate::state::{Call, Kind};
use crate::{Answer, CudaError, Handle};

/// Texts to link, and the result.
#[derive(Debug, Default)]
pub(crate) struct Linker {
    texts: Vec<(String, Vec<u8>)>,
}

impl Call<'_> {
    /// `cuLinkCreate`.
    ///
    /// # Errors
    /// No context is current.
    pub fn create_linker(&mut self) -> Answer<Handle> {
        self.context()?;
        let handle = self.state.handle(Kind::Linker);
        self.state.linkers.insert(handle, Linker::default());
        Ok(handle)
    }

    /// `cuLinkAddData`: an image without its wrapper.
    ///
    /// # Errors
    /// There is no such linker, or no PTX in it.
    pub fn add_to_linker(
        &mut self,
        handle: Handle,
        image: &[u8],
        name: Option<&str>,
    ) -> Result<(), LoadError> {
        let device = self.architecture();
        let linker = self.state.linkers.get_mut(&handle).ok_or(CudaError::InvalidHandle)?;
        let name = match name {
            Some(name) => name.to_owned(),
            None => format!("input {}", linker.texts.len() + 1),
        };
        for text in image::texts_for(image, device)? {
            linker.texts.push((name.clone(), text));
        }
        Ok(())
    }

    /// `cuLinkComplete`: the text with a zero at its end. It can be loaded.
    ///
    /// # Errors
    /// There is no such linker, or the texts do not fit together.
    pub fn complete_linker(&mut self, handle: Handle) -> Result<Vec<u8>, LoadError> {
        let linker = self.state.linkers.get(&handle).ok_or(CudaError::InvalidHandle)?;
        let refused = |log| LoadError { error: CudaError::InvalidPtx, log };
        let mut text = match linker.texts.as_slice() {
            [(_, text)] => text.clone(),
            several => {
                let files: Vec<(&str, &[u8])> =
                    several.iter().map(|(name, text)| (name.as_str(), text.as_slice())).collect();
                let module = ptx::link(&files).map_err(|error| refused(error.to_string()))?;
                ptx::print(&module).into_bytes()
            }
        };
        text.push(0);
        Ok(text)
    }

    /// `cuLinkDestroy`.
    ///
    /// # Errors
    /// There is no such linker.
    pub fn destroy_linker(&mut self, handle: Handle) -> Answer<()> {
        self.state.linkers.remove(&handle).map(|_| ()).ok_or(CudaError::InvalidHandle)
    }
}

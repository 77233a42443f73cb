//! Copies and sets (CUDA driver API, "Memory Management"; "API synchronization behavior").
//!
//! | copy | what the host waits for |
//! |---|---|
//! | from the program's own memory, asynchronous | nothing; the bytes are taken when the program calls, whatever the stream waits for |
//! | from the program's own memory, otherwise | the copy; the bytes are taken when the work of the stream before it is done |
//! | to the program's own memory | the copy, and so all work of its stream before it, even if the copy is asynchronous |
//! | between memory of the device, or that is shared | nothing if the copy is asynchronous, or within the device |

use warpsim::host::{Device, Pointer, Stream};

use crate::graphs::{GraphTask, SetRequest};
use crate::orders::operate;
use crate::spaces::places::Place;
use crate::state::{Call, State, refusal};
use crate::told::spans::SpanTask;
use crate::{Answer, CudaError};

/// Bytes that a set writes at a time.
const SET: usize = 1 << 20;

/// An end of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// Declared as host memory.
    Host(u64),
    /// Declared as device memory.
    Device(u64),
    /// The address decides.
    Unified(u64),
}

impl Spot {
    fn offset(self, bytes: u64) -> Option<Spot> {
        Some(match self {
            Spot::Host(address) => Spot::Host(address.checked_add(bytes)?),
            Spot::Device(address) => Spot::Device(address.checked_add(bytes)?),
            Spot::Unified(address) => Spot::Unified(address.checked_add(bytes)?),
        })
    }
}

/// A copy in up to three dimensions. The extents are bytes, rows and slices. Each end has the bytes
/// from row to row and from slice to slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The destination.
    pub to: (Spot, u64, u64),
    /// The source.
    pub from: (Spot, u64, u64),
    /// Bytes of a row, rows, slices.
    pub extent: [u64; 3],
}

impl Block {
    /// Bytes that follow each other at both ends.
    pub fn of_bytes(to: Spot, from: Spot, bytes: u64) -> Block {
        Block { to: (to, 0, 0), from: (from, 0, 0), extent: [bytes, 1, 1] }
    }

    /// The same copy from the place where its bytes were put aside, row after row.
    #[must_use]
    pub fn staged_at(self, address: u64) -> Block {
        let [width, height, _] = self.extent;
        Block { from: (Spot::Host(address), width, width.saturating_mul(height)), ..self }
    }

    /// Where a row ends that is the last of all, so that no sum below runs over.
    fn check(&self) -> Option<()> {
        let [width, height, depth] = self.extent;
        for (spot, pitch, slice) in [self.to, self.from] {
            let rows = (height - 1).checked_mul(pitch)?;
            let slices = (depth - 1).checked_mul(slice)?;
            spot.offset(rows.checked_add(slices)?.checked_add(width)?)?;
        }
        Some(())
    }
}

impl Call<'_> {
    fn spot(&self, spot: Spot, bytes: u64) -> Answer<Place> {
        match spot {
            Spot::Host(address) => self.host_place(address, bytes),
            Spot::Device(address) => self.device_place(address, bytes).map(Place::Device),
            Spot::Unified(address) => self.place(address, bytes),
        }
    }

    /// Copies bytes in a stream. `is_waited_for` if the call is not asynchronous.
    ///
    /// # Errors
    /// An end is not where it is declared to be; or the error of a launch, if the host waits.
    pub fn copy(
        &mut self,
        to: Spot,
        from: Spot,
        bytes: u64,
        stream: Stream,
        is_waited_for: bool,
    ) -> Answer<()> {
        self.copy_block(&Block::of_bytes(to, from, bytes), stream, is_waited_for)
    }

    /// The bytes of an asynchronous copy from the program's own memory to the device, row after
    /// row, as they are when the program calls. `None` if they are read when the copy happens, or
    /// if the copy is refused anyway.
    pub fn stage(&mut self, block: &Block, stream: Stream) -> Option<Vec<u8>> {
        let is_issued = matches!(self.is_captured(stream), Ok(false));
        if !is_issued || block.extent.contains(&0) {
            return None;
        }
        block.check()?;
        let (rows, bytes) = self.rows(block).ok()?;
        let bytes = usize::try_from(bytes).ok()?;
        let mut staged = Vec::new();
        for row in rows {
            let from = match row {
                (Place::Device(_), Place::Host(from)) => from,
                (Place::Device(_) | Place::Host(_), Place::Device(_))
                | (Place::Host(_), Place::Host(_)) => return None,
            };
            self.host.read(from, bytes, &mut |bytes| staged.extend_from_slice(bytes));
        }
        Some(staged)
    }

    /// Copies rows and slices.
    ///
    /// # Errors
    /// The same as for [`Call::copy`]; or rows are longer than the distance between them.
    pub fn copy_block(&mut self, block: &Block, stream: Stream, is_waited_for: bool) -> Answer<()> {
        let context = self.context()?;
        let [width, height, depth] = block.extent;
        if width == 0 || height == 0 || depth == 0 {
            return Ok(());
        }
        block.check().ok_or(CudaError::InvalidValue)?;
        if is_waited_for {
            self.refuse_captured(stream)?;
        } else if self.capture(stream, || GraphTask::Copy(*block))? {
            return Ok(());
        }
        for (_, pitch, slice) in [block.to, block.from] {
            let is_too_short = (height > 1 && pitch < width) || (depth > 1 && slice < width);
            if is_too_short {
                return Err(CudaError::InvalidValue);
            }
        }
        // All ends are looked at before the first byte moves.
        let rows = self.rows(block).inspect_err(|_| self.because_of_an_end(block));
        let (rows, whole) = rows?;
        if self.is_over(context) {
            return match is_waited_for {
                true => self.waited(context),
                false => Ok(()),
            };
        }
        // If the order is not checked, an operation that does not touch shared memory leaves it
        // alone.
        let is_shared = self.state.options.check || touches_shared(self, block);
        if is_shared {
            self.share_in()?;
        }
        let task = || copy_task(&rows, width.saturating_mul(height).saturating_mul(depth));
        let task = self.state.options.timeline.then(task);
        let begun = self.begin_span();
        let waits = self.issuing(|call| {
            let mut waits = false;
            for (to, from) in rows {
                waits |= call.copy_pieces(to, from, whole, stream)?;
            }
            Ok(waits)
        })?;
        if let Some(task) = task {
            self.end_span(begun, (stream, context), || task);
        }
        if is_shared {
            self.share_out()?;
        }
        let is_within_device = !waits && is_device_alone(self, block);
        match waits || (is_waited_for && !is_within_device) {
            true => self.wait_for_stream(stream, context),
            false => self.issued_to(stream),
        }
    }

    /// The rows as places, and the bytes of each. Rows without a gap are one.
    fn rows(&self, block: &Block) -> Answer<(Vec<(Place, Place)>, u64)> {
        let [width, height, depth] = block.extent;
        let is_whole = |(_, pitch, slice): (Spot, u64, u64)| {
            (height == 1 || pitch == width) && (depth == 1 || slice == width * height)
        };
        let all = width.checked_mul(height).and_then(|bytes| bytes.checked_mul(depth));
        if let Some(all) = all.filter(|_| is_whole(block.to) && is_whole(block.from)) {
            return Ok((vec![(self.spot(block.to.0, all)?, self.spot(block.from.0, all)?)], all));
        }
        let mut rows = Vec::new();
        for slice in 0..depth {
            for row in 0..height {
                let at = |(spot, pitch, slices): (Spot, u64, u64)| {
                    spot.offset(row * pitch + slice * slices).ok_or(CudaError::InvalidValue)
                };
                let (to, from) = (at(block.to)?, at(block.from)?);
                rows.push((self.spot(to, width)?, self.spot(from, width)?));
            }
        }
        Ok((rows, width))
    }

    /// Copies a row, in as many pieces as there are pieces of memory on either side. Whether the
    /// host has to wait for it.
    pub(crate) fn copy_pieces(
        &mut self,
        to: Place,
        from: Place,
        bytes: u64,
        stream: Stream,
    ) -> Answer<bool> {
        let piece = |call: &Call<'_>, place: Place, bytes| match place {
            Place::Device(pointer) => call.in_one_piece(pointer.0, bytes),
            Place::Host(_) => bytes,
        };
        let (mut done, mut waits) = (0, false);
        while done < bytes {
            let (to, from) = (to.offset(done), from.offset(done));
            let bytes = piece(self, from, piece(self, to, bytes - done));
            waits |= self.copy_row(to, from, bytes, stream)?;
            done += bytes;
        }
        Ok(waits)
    }

    /// Whether the host has to wait for it.
    fn copy_row(&mut self, to: Place, from: Place, bytes: u64, stream: Stream) -> Answer<bool> {
        let size = usize::try_from(bytes).map_err(|_| CudaError::InvalidValue)?;
        // If the order of operations is not checked, everything issued has happened: the bytes go
        // straight, without a copy on their way.
        let is_watched = self.state.options.check;
        let State { device, orders, .. } = &mut *self.state;
        let orders = orders.as_mut();
        match (to, from) {
            (Place::Device(to), Place::Device(from)) => {
                let copied = operate(device, orders, |on| on.copy_async(stream, to, from, bytes));
                copied.map_err(|error| refusal(self, &error))?;
                Ok(false)
            }
            (Place::Device(to), Place::Host(from)) => {
                let mut copied = Ok(());
                operate(device, orders, |device| {
                    self.host.read(from, size, &mut |bytes| {
                        copied = match is_watched {
                            true => device.upload_async(stream, to, bytes),
                            false => device.upload(to, bytes),
                        };
                    });
                });
                copied.map_err(|error| refusal(self, &error))?;
                Ok(false)
            }
            (Place::Host(to), Place::Device(from)) if !is_watched => {
                let mut copied = Ok(());
                self.host.write(to, size, &mut |into| copied = device.download(from, into));
                copied.map_err(|error| refusal(self, &error))?;
                Ok(true)
            }
            (Place::Host(to), Place::Device(from)) => {
                let download = operate(device, orders, |on| on.download_async(stream, from, size));
                let download = download.map_err(|error| refusal(self, &error))?;
                let ended = self.state.device.synchronise_stream(stream);
                let ended = ended.map_err(|error| refusal(self, &error))?;
                self.collect(ended);
                let bytes = self.state.device.fetch(download);
                let bytes = bytes.map_err(|error| refusal(self, &error))?;
                // A download has the requested number of bytes, and so has the buffer that `write`
                // passes on.
                self.host.write(to, size, &mut |into| into.copy_from_slice(&bytes));
                Ok(true)
            }
            (Place::Host(to), Place::Host(from)) => {
                // Both hand on as many bytes as they are asked for.
                let mut copy = Vec::new();
                self.host.read(from, size, &mut |bytes| copy = bytes.to_vec());
                self.host.write(to, size, &mut |into| into.copy_from_slice(&copy));
                Ok(true)
            }
        }
    }

    /// `cuMemset*`: sets values of 1, 2 or 4 bytes, in rows.
    ///
    /// # Errors
    /// They are not in one piece of memory, or not at a multiple of their size.
    pub fn set(
        &mut self,
        to: u64,
        value: &[u8],
        [count, rows]: [u64; 2],
        pitch: u64,
        stream: Stream,
    ) -> Answer<()> {
        let context = self.context()?;
        let width = count.checked_mul(value.len() as u64).ok_or(CudaError::InvalidValue)?;
        if width == 0 || rows == 0 {
            return Ok(());
        }
        let is_odd = !to.is_multiple_of(value.len() as u64) || (rows > 1 && pitch < width);
        let last = (rows - 1).checked_mul(pitch).and_then(|bytes| bytes.checked_add(width));
        let last = last.filter(|_| !is_odd).ok_or(CudaError::InvalidValue)?;
        let as_task = || {
            let shape = [count, rows];
            GraphTask::Set(SetRequest { to, value: value.to_vec(), shape, pitch })
        };
        if self.capture(stream, as_task)? {
            return Ok(());
        }
        let end = (Spot::Device(to), 0, 0);
        let whole = Block { to: end, from: end, extent: [last, 1, 1] };
        let start = self.device_place(to, last).inspect_err(|_| self.because_of_an_end(&whole));
        let start = start?;
        if self.is_over(context) {
            return Ok(());
        }
        self.share_in()?;
        let begun = self.begin_span();
        self.issuing(|call| call.set_rows((start, value), [width, rows], pitch, stream))?;
        let bytes = width.saturating_mul(rows);
        self.end_span(begun, (stream, context), || SpanTask::Set { bytes });
        self.share_out()?;
        self.issued_to(stream)
    }

    /// Sets rows of this many bytes each, in as many pieces as there are pieces of memory.
    fn set_rows(
        &mut self,
        (start, value): (Pointer, &[u8]),
        [width, rows]: [u64; 2],
        pitch: u64,
        stream: Stream,
    ) -> Answer<()> {
        // A value has 1, 2 or 4 bytes: `set` does nothing for one that has none.
        let count = width / value.len() as u64;
        let chunk = value.repeat((SET / value.len()).min(count.try_into().unwrap_or(SET)));
        for row in 0..rows {
            let mut offset = 0;
            while offset < width {
                let at = start.offset(row * pitch + offset);
                let most = (width - offset).min(chunk.len() as u64);
                let bytes = self.in_one_piece(at.0, most);
                offset += bytes;
                let bytes = chunk.get(..bytes as usize).ok_or(CudaError::Unknown)?;
                let written = self.state.operate(|on| on.upload_async(stream, at, bytes));
                written.map_err(|error| refusal(self, &error))?;
            }
        }
        Ok(())
    }
}

/// A copy on the timeline: all rows go the same way.
fn copy_task(rows: &[(Place, Place)], bytes: u64) -> SpanTask {
    let is_host = |place: Place| match place {
        Place::Host(_) => true,
        Place::Device(_) => false,
    };
    let (to, from) =
        rows.first().map_or((false, false), |(to, from)| (is_host(*to), is_host(*from)));
    SpanTask::Copy { from_host: from, to_host: to, bytes }
}

/// Whether one of the ends is memory that the host has, too.
fn touches_shared(call: &Call<'_>, block: &Block) -> bool {
    [block.to.0, block.from.0].iter().any(|spot| {
        let (Spot::Host(address) | Spot::Device(address) | Spot::Unified(address)) = *spot;
        call.around(address).is_some_and(|(_, allocation)| allocation.host.is_some())
    })
}

/// Whether both ends are memory that the device alone has: the host does not wait for copies within
/// it.
fn is_device_alone(call: &Call<'_>, block: &Block) -> bool {
    [block.to.0, block.from.0].iter().all(|spot| {
        let (Spot::Host(address) | Spot::Device(address) | Spot::Unified(address)) = *spot;
        call.around(address).is_some_and(|(_, allocation)| allocation.host.is_none())
    })
}

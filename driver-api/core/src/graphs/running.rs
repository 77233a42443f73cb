//! Launching graphs (CUDA driver API, `cuGraphLaunch`).
//!
//! The steps are issued in their order. Where launches are checked each lane is a stream of its own, and events say what
//! the edges say: two steps without a path between them are unordered. A launch comes after what its stream holds and
//! after the last launch of the same instance. Where nobody looks at the order all steps go to the launch's stream.
//!
//! A function of the program is not called here, because it may do anything but call this API: [`Call::go_on`] stops
//! before it and gives it to its caller. What comes behind it is issued when it has returned.

use std::sync::Arc;

use warpsim::host::{Device, Event, Stream, StreamKind};

use super::instances::Step;
use super::{GraphTask, HostCall};
use crate::state::{Call, refusal};
use crate::{Answer, CudaError, DefaultStream, Handle};

/// The streams and events of an instance.
#[derive(Clone, Debug)]
pub(crate) struct Lanes {
    streams: Vec<Stream>,
    /// One of each step.
    events: Vec<Event>,
    start: Event,
    /// What the last launch stands for.
    end: Event,
    is_launched: bool,
}

/// A launch of a graph, as far as it got.
#[derive(Debug)]
pub struct GraphRun {
    steps: Arc<Vec<Step>>,
    /// Where nobody looks at the order there are none.
    lanes: Option<Lanes>,
    stream: Stream,
    next: usize,
    is_over: bool,
}

impl Call<'_> {
    fn lanes(&mut self, instance: Handle) -> Answer<Lanes> {
        let known = self.instance(instance)?;
        if let Some(lanes) = &known.lanes {
            return Ok(lanes.clone());
        }
        let steps = Arc::clone(&known.steps);
        let count = steps.iter().map(|step| step.lane + 1).max().unwrap_or(0);
        let mut streams = Vec::new();
        for _ in 0..count {
            let stream = self.state.device.stream(StreamKind::NonBlocking);
            streams.push(stream.map_err(|error| refusal(self, &error))?);
        }
        let mut events = Vec::new();
        for _ in 0..steps.len() + 2 {
            let event = self.state.device.event();
            events.push(event.map_err(|error| refusal(self, &error))?);
        }
        let (end, start) = (events.pop(), events.pop());
        let (end, start) = (end.ok_or(CudaError::Unknown)?, start.ok_or(CudaError::Unknown)?);
        Ok(Lanes { streams, events, start, end, is_launched: false })
    }

    /// `cuGraphLaunch` into a stream; [`Call::go_on`] issues the steps. A stream that is captured gets a child graph.
    ///
    /// # Errors
    /// There is no such instance or stream.
    pub fn launch_graph(
        &mut self,
        instance: Handle,
        stream: Handle,
        default: DefaultStream,
    ) -> Answer<GraphRun> {
        let stream = self.stream(stream, default)?;
        let known = self.instance(instance)?;
        let (steps, original) = (Arc::clone(&known.steps), known.original);
        let is_freed = known.frees_first;
        if self.is_captured(stream)? {
            self.capture(stream, || GraphTask::Child(original))?;
            return Ok(GraphRun { steps, lanes: None, stream, next: 0, is_over: true });
        }
        let lanes = match self.state.options.check {
            true => Some(self.lanes(instance)?),
            false => None,
        };
        if let Some(lanes) = lanes.as_ref().filter(|lanes| lanes.is_launched) {
            self.follow(stream, lanes.end)?;
        }
        // It is behind the launch before, and before all steps.
        self.clear_graph_memory(&steps, is_freed, stream)?;
        if let Some(lanes) = &lanes {
            self.mark(lanes.start, stream)?;
        }
        if let Some(known) = self.state.graphs.instances.get_mut(&instance) {
            known.lanes = lanes.clone().map(|lanes| Lanes { is_launched: true, ..lanes });
        }
        Ok(GraphRun { steps, lanes, stream, next: 0, is_over: false })
    }

    fn follow(&mut self, stream: Stream, event: Event) -> Answer<()> {
        let waited = self.state.device.wait(stream, event);
        waited.map_err(|error| refusal(self, &error))
    }

    fn mark(&mut self, event: Event, stream: Stream) -> Answer<()> {
        let recorded = self.state.device.record(event, stream);
        recorded.map_err(|error| refusal(self, &error))
    }

    /// Issues the steps of a launch up to a function of the program, which is to be called before the next call; `None`
    /// when there are no more.
    ///
    /// # Errors
    /// What a step is refused for; no other is issued then.
    pub fn go_on(&mut self, run: &mut GraphRun) -> Answer<Option<HostCall>> {
        let steps = Arc::clone(&run.steps);
        while let (false, Some(step)) = (run.is_over, steps.get(run.next)) {
            let stream = match &run.lanes {
                None => run.stream,
                Some(lanes) => self.enter_lane(lanes, step)?,
            };
            let called = match step.is_enabled {
                true => self.perform_step(&step.task, stream),
                false => Ok(None),
            };
            run.is_over = called.is_err();
            let called = called?;
            if let Some(lanes) = &run.lanes {
                self.mark(*lanes.events.get(run.next).ok_or(CudaError::Unknown)?, stream)?;
            }
            run.next += 1;
            if called.is_some() {
                return Ok(called);
            }
        }
        if let (false, Some(lanes)) = (run.is_over, run.lanes.take()) {
            for event in lanes.events {
                self.follow(run.stream, event)?;
            }
            self.mark(lanes.end, run.stream)?;
        }
        run.is_over = true;
        Ok(None)
    }

    /// The stream of a step's lane, which waits for what is before the step.
    fn enter_lane(&mut self, lanes: &Lanes, step: &Step) -> Answer<Stream> {
        let stream = *lanes.streams.get(step.lane).ok_or(CudaError::Unknown)?;
        if step.after.is_empty() {
            self.follow(stream, lanes.start)?;
        }
        for before in &step.after {
            self.follow(stream, *lanes.events.get(*before).ok_or(CudaError::Unknown)?)?;
        }
        Ok(stream)
    }

    fn perform_step(&mut self, task: &GraphTask, stream: Stream) -> Answer<Option<HostCall>> {
        match task {
            GraphTask::Kernel(request) => self.launch(request, stream)?,
            GraphTask::Copy(block) => self.copy_block(block, stream, false)?,
            GraphTask::Set(set) => self.set(set.to, &set.value, set.shape, set.pitch, stream)?,
            GraphTask::Host(call) => {
                self.call_function_in(stream)?;
                return Ok(Some(*call));
            }
            // A child graph's steps stand between two that are empty.
            GraphTask::Child(_) | GraphTask::Empty => {}
            GraphTask::Wait(event) => self.wait_in(stream, *event)?,
            GraphTask::Record(event) => self.record_in(*event, stream)?,
            GraphTask::Allocate(memory) => self.allocate_in_graph(*memory, stream)?,
            GraphTask::Free(address) => self.free_in_graph(*address, stream)?,
            GraphTask::Library(task) => self.perform_library_task(task, stream)?,
        }
        Ok(None)
    }
}

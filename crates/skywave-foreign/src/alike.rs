//! Parts of both libraries' ends, which have one origin, that differ in nothing but the library's name.

/// Writes what an end does: its address and settings, how it connects, answers datagrams, reads and writes, and how a packet
/// that it sends is marked. `$host` has the fields named here, a method `leaves` that sees each datagram that it sends,
/// and beside it a function `taken` that gives a stream a piece and tells how many bytes of it the stream has taken.
macro_rules! end {
    ($library:ident, $host:ident) => {
        fn address(last: u8) -> std::net::SocketAddr {
            (std::net::Ipv4Addr::new(10, 0, 0, last), 4433).into()
        }

        fn transport() -> $library::TransportConfig {
            let window = $library::VarInt::from_u32(WINDOW);
            let mut transport = $library::TransportConfig::default();
            transport
                .stream_receive_window(window)
                .receive_window(window)
                .send_window(u64::from(WINDOW))
                .max_idle_timeout(std::time::Duration::from_secs(IDLE_S).try_into().ok());
            transport
        }

        /// Reads what is here, in any order: noq keeps few pieces that wait for an earlier one. The bytes.
        fn read(connection: &mut $library::Connection, stream: Option<$library::StreamId>) -> u64 {
            let Some(id) = stream else {
                return 0;
            };
            let mut bytes = 0;
            if let Ok(mut chunks) = connection.recv_stream(id).read(false) {
                while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
                    bytes += chunk.bytes.len() as u64;
                }
                let _ = chunks.finalize();
            }
            bytes
        }

        fn mark(transmit: &$library::Transmit) -> skywave_core::packet::Ecn {
            use skywave_core::packet::Ecn;
            use $library::EcnCodepoint;
            match transmit.ecn {
                None => Ecn::NotEct,
                Some(EcnCodepoint::Ect0) => Ecn::Ect0,
                Some(EcnCodepoint::Ect1) => Ecn::Ect1,
                Some(EcnCodepoint::Ce) => Ecn::Ce,
            }
        }

        /// Writes what the application has and the stream takes; the stream is forgotten when it is finished.
        fn write(
            connection: &mut $library::Connection,
            stream: &mut Option<$library::StreamId>,
            supply: &mut Supply,
        ) {
            while let Some(id) = *stream {
                let mut end = connection.send_stream(id);
                let Some(piece) = supply.piece() else {
                    // It can only fail if the peer has stopped the stream, which no receiver here does.
                    let _ = end.finish();
                    *stream = None;
                    return;
                };
                match taken(&mut end, piece) {
                    0 => return,
                    bytes => supply.written(bytes),
                }
            }
        }

        impl $host {
            /// Connects when it is time to.
            fn connect(&mut self, now: Time) {
                if self.supply.is_some_and(|supply| supply.start <= now)
                    && let Some(config) = self.plan.take()
                {
                    let at = self.clock.instant(now);
                    match self.endpoint.connect(at, config, address(2), "receiver") {
                        Ok(connection) => self.connection = Some(connection),
                        Err(error) => self.ended = Some(error.to_string()),
                    }
                }
            }

            /// The address of the other end.
            fn peer(&self) -> std::net::SocketAddr {
                address(if self.supply.is_some() { 2 } else { 1 })
            }

            /// Does what a datagram asks for, by what the endpoint has said of it; `answer` has the endpoint's own one.
            fn answer(
                &mut self,
                at: Instant,
                event: Option<$library::DatagramEvent>,
                mut answer: Vec<u8>,
            ) {
                use $library::DatagramEvent;
                match event {
                    Some(DatagramEvent::NewConnection(incoming)) if self.connection.is_none() => {
                        match self.endpoint.accept(incoming, at, &mut answer, None) {
                            Ok(connection) => self.connection = Some(connection),
                            Err(error) => self.ended = Some(error.cause.to_string()),
                        }
                    }
                    Some(DatagramEvent::NewConnection(incoming)) => self.endpoint.ignore(incoming),
                    Some(DatagramEvent::ConnectionEvent(_, event)) => {
                        if let Some((_, connection)) = &mut self.connection {
                            connection.handle_event(event);
                        }
                    }
                    Some(DatagramEvent::Response(transmit)) => self.put(at, &transmit, &answer),
                    None => {}
                }
            }

            /// Does what is due by timers, and hears what has happened to the connection.
            fn happen(&mut self, now: Time, at: Instant) -> Option<()> {
                use $library::{Dir, Event, StreamEvent};
                let (handle, connection) = self.connection.as_mut()?;
                if connection.poll_timeout().is_some_and(|due| due <= at) {
                    connection.handle_timeout(at);
                }
                while let Some(event) = connection.poll_endpoint_events() {
                    if let Some(event) = self.endpoint.handle_event(*handle, event) {
                        connection.handle_event(event);
                    }
                }
                while let Some(event) = connection.poll() {
                    match event {
                        Event::Connected if self.supply.is_some() => {
                            self.told.connected = Some(now);
                            self.stream = connection.streams().open(Dir::Uni);
                        }
                        Event::Stream(StreamEvent::Opened { dir }) => {
                            self.stream = connection.streams().accept(dir);
                        }
                        Event::Stream(StreamEvent::Finished { .. }) => {
                            self.told.finished = Some(now);
                        }
                        Event::ConnectionLost { reason } => self.ended = Some(reason.to_string()),
                        _ => {}
                    }
                }
                Some(())
            }

            /// Does what the application wants, and puts what the connection sends then into the outbox.
            fn apply(&mut self, now: Time, at: Instant) -> Option<()> {
                let (_, connection) = self.connection.as_mut()?;
                match &mut self.supply {
                    Some(Supply { stop, .. }) if stop.is_some_and(|stop| stop <= now) => {
                        *stop = None;
                        connection.close(at, $library::VarInt::from_u32(0), Bytes::new());
                    }
                    Some(supply) => write(connection, &mut self.stream, supply),
                    None => self.read += read(connection, self.stream),
                }
                let mut buffer = std::mem::take(&mut self.buffer);
                while let Some((_, connection)) = &mut self.connection
                    && let Some(transmit) = connection.poll_transmit(at, BATCH.into(), &mut buffer)
                {
                    self.put(at, &transmit, &buffer);
                    buffer.clear();
                }
                self.buffer = buffer;
                Some(())
            }

            fn put(&mut self, at: Instant, transmit: &$library::Transmit, bytes: &[u8]) {
                let size = transmit.segment_size.unwrap_or(transmit.size).max(1);
                for datagram in bytes[..transmit.size].chunks(size) {
                    self.leaves(at, datagram);
                    self.outbox.push_back(Datagram {
                        bytes: datagram.to_vec(),
                        ecn: mark(transmit),
                    });
                }
            }
        }
    };
}
pub(crate) use end;

/// Writes the factory of the module's `Watched`.
macro_rules! factory {
    () => {
        /// Makes laws that are watched.
        pub(super) struct WatchedFactory {
            pub(super) laws: Arc<dyn ControllerFactory + Send + Sync>,
            pub(super) tally: Shared,
        }

        impl ControllerFactory for WatchedFactory {
            fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
                let law = Arc::clone(&self.laws).build(now, mtu);
                self.tally.with(|tally| tally.window(now, law.window()));
                let tally = self.tally.clone();
                Box::new(Watched { law, tally })
            }
        }
    };
}
pub(crate) use factory;

/// Writes those methods of `Watched` as a controller that both libraries have with the same parameters.
macro_rules! methods {
    () => {
        fn on_sent(&mut self, now: Instant, bytes: u64, largest: u64) {
            self.law.on_sent(now, bytes, largest);
        }

        fn on_end_acks(
            &mut self,
            now: Instant,
            flight: u64,
            app_limited: bool,
            largest: Option<u64>,
        ) {
            self.law.on_end_acks(now, flight, app_limited, largest);
            let window = self.law.window();
            self.tally.with(|tally| {
                tally.end_of_ack(now);
                tally.window(now, window);
            });
        }

        fn on_mtu_update(&mut self, mtu: u16) {
            self.law.on_mtu_update(mtu);
        }

        fn window(&self) -> u64 {
            self.law.window()
        }

        fn metrics(&self) -> ControllerMetrics {
            self.law.metrics()
        }

        fn clone_box(&self) -> Box<dyn Controller> {
            Box::new(Self {
                law: self.law.clone_box(),
                tally: self.tally.clone(),
            })
        }

        fn initial_window(&self) -> u64 {
            self.law.initial_window()
        }

        fn into_any(self: Box<Self>) -> Box<dyn Any> {
            self.law.into_any()
        }
    };
}
pub(crate) use methods;

//! Parts of both libraries' ends, which have one origin, that differ in nothing but the library's name.

/// Writes functions of an end: its address and settings, what it reads, and how a packet that it sends is marked.
macro_rules! end {
    ($library:ident) => {
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

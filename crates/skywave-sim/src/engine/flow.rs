//! The two ends of a flow and the application behind them.

use skywave_core::packet::{Body, Datagram, Packet};
use skywave_core::tcp::{Receiver, Sender, SenderCounters, TcpConfig};
use skywave_core::{Duration, Time};

use crate::measure::{FlowMeter, Recorder};
use crate::outcome::FlowOutcome;
use crate::spec::{FlowSpec, Spec, Transport};
use crate::traffic::{Action, Source};

/// Series of a TCP flow, in the order of `Recorder::record`'s index.
pub(crate) const SERIES: [&str; 6] = ["cwnd", "ssthresh", "rtt", "srtt", "rto", "acked"];

/// A flow as the engine drives it.
pub(crate) struct Flow {
    index: u32,
    start: Time,
    pub(crate) stop: Option<Time>,
    pub(crate) ends: Ends,
    pub(crate) source: Source,
    pub(crate) meter: FlowMeter,
    pub(crate) recorder: Option<Recorder>,
    /// The timer event of each end that counts: an earlier one leaves later ones behind.
    pub(crate) sender_event: Option<Time>,
    pub(crate) receiver_event: Option<Time>,
    /// The application has stopped.
    stopped: bool,
    /// Time from the start until everything was acknowledged, once it is.
    completion: Option<Duration>,
    /// The sender's counters at the bounds of the measured window.
    at_open: Option<SenderCounters>,
    at_close: Option<SenderCounters>,
}

/// The machines of a flow's transport.
pub(crate) enum Ends {
    Tcp(Box<Tcp>),
    Udp { header: u32, sent: u64 },
}

/// Both ends of a TCP connection.
pub(crate) struct Tcp {
    config: TcpConfig,
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
}

impl Flow {
    pub(crate) fn new(index: usize, spec: &FlowSpec, run: &Spec) -> Self {
        let ends = match &spec.transport {
            Transport::Tcp(config) => Ends::Tcp(Box::new(Tcp {
                config: (**config).clone(),
                sender: Sender::new((**config).clone()),
                receiver: Receiver::new((**config).clone()),
            })),
            Transport::Udp { header } => Ends::Udp {
                header: *header,
                sent: 0,
            },
        };
        Self {
            index: index as u32,
            start: spec.start,
            stop: spec.stop,
            source: Source::new(spec, run.seed),
            meter: FlowMeter::new(run.measure),
            recorder: run.series.then(|| Recorder::new(&spec.name, &SERIES)),
            sender_event: None,
            receiver_event: None,
            stopped: false,
            completion: None,
            at_open: None,
            at_close: None,
            ends,
        }
    }

    /// The application's turn: what it asks to be called at, if at all, and a datagram to send.
    pub(crate) fn application(&mut self, now: Time) -> (Option<Time>, Option<Packet>) {
        if self.stopped || self.stop.is_some_and(|at| at <= now) {
            return (None, None);
        }
        let (action, next) = self.source.on_time(now);
        let packet = match (&mut self.ends, action) {
            (Ends::Tcp(tcp), Action::Write(bytes)) => {
                tcp.sender.open();
                tcp.sender.write(bytes);
                self.meter.set_cwnd(now, tcp.sender.window().cwnd.0);
                None
            }
            (Ends::Tcp(tcp), Action::Close) => {
                tcp.sender.close();
                None
            }
            (Ends::Udp { header, sent }, Action::Write(bytes)) => {
                let len = bytes.min(u64::from(u16::MAX)) as u32;
                let datagram = Datagram {
                    number: *sent,
                    sent_at: now,
                    len,
                };
                *sent += 1;
                self.meter.sent_datagram(now);
                Some(Packet::new(self.index, len + *header, Body::Udp(datagram)))
            }
            (Ends::Udp { .. }, Action::Close) => None,
        };
        (next, packet)
    }

    /// The application stops: no more data.
    pub(crate) fn stop(&mut self) {
        self.stopped = true;
        if let Ends::Tcp(tcp) = &mut self.ends {
            tcp.sender.close();
        }
    }

    /// A packet of this flow reached its host.
    pub(crate) fn on_packet(&mut self, now: Time, packet: &Packet) {
        match (&mut self.ends, &packet.body) {
            (Ends::Tcp(tcp), Body::TcpData(segment)) => {
                self.meter.arrived(now, packet.size);
                let (before, bytes) = (tcp.receiver.next(), tcp.receiver.delivered());
                tcp.receiver.on_segment(now, segment);
                self.meter.delivered(now, tcp.receiver.delivered() - bytes);
                // The sender has not heard of it yet, so it still knows when each was first sent.
                // SYN and FIN carry nothing for the application.
                let mut position = before.max(tcp.config.handshake.span());
                let data_end = tcp.receiver.next() - u64::from(tcp.receiver.is_finished());
                while position < data_end
                    && let Some(sent) = tcp.sender.flight().at(position)
                {
                    self.meter.delay(now, sent.first_sent);
                    position = sent.end;
                }
            }
            (Ends::Tcp(tcp), Body::TcpAck(segment)) => {
                tcp.sender.on_segment(now, segment);
                self.after_sender(now);
            }
            (Ends::Udp { .. }, Body::Udp(datagram)) => {
                self.meter.arrived(now, packet.size);
                if !packet.copy {
                    self.meter.delivered(now, u64::from(datagram.len));
                    self.meter.delay(now, datagram.sent_at);
                }
            }
            // A flow's packets carry its own transport.
            (Ends::Tcp(_), Body::Udp(_)) | (Ends::Udp { .. }, _) => {}
        }
    }

    /// A timer of the sender is due.
    pub(crate) fn on_sender_timer(&mut self, now: Time) {
        if let Ends::Tcp(tcp) = &mut self.ends {
            tcp.sender.on_timer(now);
            self.after_sender(now);
        }
    }

    /// A timer of the receiver is due.
    pub(crate) fn on_receiver_timer(&mut self, now: Time) {
        if let Ends::Tcp(tcp) = &mut self.ends {
            tcp.receiver.on_timer(now);
        }
    }

    /// Measures after every input to the sender.
    fn after_sender(&mut self, now: Time) {
        let Ends::Tcp(tcp) = &mut self.ends else {
            return;
        };
        let window = tcp.sender.window();
        self.meter.set_cwnd(now, window.cwnd.0);
        let rtt = tcp.sender.poll_rtt();
        if let Some(rtt) = rtt {
            self.meter.rtt(now, rtt);
        }
        if let Some(recorder) = &mut self.recorder {
            let estimator = tcp.sender.rto();
            let seconds = |d: Duration| d.as_secs_f64();
            recorder.record(0, now, window.cwnd.0);
            recorder.record(1, now, window.ssthresh.0);
            if let Some(rtt) = rtt {
                recorder.record(2, now, seconds(rtt));
            }
            if let Some(srtt) = estimator.srtt() {
                recorder.record(3, now, seconds(srtt));
            }
            recorder.record(4, now, seconds(estimator.rto()));
            recorder.record(5, now, tcp.sender.flight().una() as f64);
        }
    }

    /// Everything handed over was acknowledged and the source waits to hear so.
    pub(crate) fn drained(&mut self, now: Time) -> Option<Time> {
        let Ends::Tcp(tcp) = &self.ends else {
            // UDP hears nothing back: the transfer ends when it is sent.
            return self.source.on_drained(now);
        };
        let waits = self.source.waits_for_drain();
        if waits && tcp.sender.unsent() == 0 && tcp.sender.flight().is_empty() {
            return self.source.on_drained(now);
        }
        None
    }

    /// Notes the completion time once the connection is done.
    pub(crate) fn note_completion(&mut self, now: Time) {
        if self.completion.is_none()
            && let Ends::Tcp(tcp) = &self.ends
            && tcp.sender.is_done()
        {
            self.completion = Some(now.since(self.start));
        }
    }

    /// The measured window opens.
    pub(crate) fn open_window(&mut self) {
        self.at_open = self.counters();
    }

    /// The measured window closes.
    pub(crate) fn close_window(&mut self) {
        self.at_close = self.counters();
    }

    /// What was measured, at the end of the run.
    pub(crate) fn outcome(&mut self, name: &str, now: Time) -> FlowOutcome {
        let done = self
            .at_close
            .zip(self.at_open)
            .map(|(end, start)| end - start);
        FlowOutcome {
            completion_s: self.completion.map(Duration::as_secs_f64),
            ..self.meter.outcome(name, now, done)
        }
    }

    fn counters(&self) -> Option<SenderCounters> {
        match &self.ends {
            Ends::Tcp(tcp) => Some(*tcp.sender.counters()),
            Ends::Udp { .. } => None,
        }
    }

    /// The next data packet that the sender has for the wire.
    pub(crate) fn poll_sender(&mut self, now: Time) -> Option<Packet> {
        let Ends::Tcp(tcp) = &mut self.ends else {
            return None;
        };
        let segment = tcp.sender.poll_transmit(now)?;
        Some(Packet::new(
            self.index,
            tcp.config.wire_size(&segment),
            Body::TcpData(segment),
        ))
    }

    /// The next ACK that the receiver has for the wire.
    pub(crate) fn poll_receiver(&mut self, now: Time) -> Option<Packet> {
        let Ends::Tcp(tcp) = &mut self.ends else {
            return None;
        };
        let segment = tcp.receiver.poll_transmit(now)?;
        Some(Packet::new(
            self.index,
            tcp.config.wire_size(&segment),
            Body::TcpAck(segment),
        ))
    }
}

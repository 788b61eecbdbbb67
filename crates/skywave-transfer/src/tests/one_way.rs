//! The law of the side that gives files hears when its packets come.

use skywave_core::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use skywave_core::tcp::{CongestionConfig, CongestionControl, CustomCongestion};
use skywave_core::{Offset, Segments};
use skywave_quic::Law;

use super::*;

/// One-way delays that a law heard.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<Offset>>>);

/// A law whose window stays as it is.
struct Listener(Heard);

const WINDOW: Segments = Segments(64.0);

impl CongestionControl for Listener {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        window.cwnd = WINDOW;
        self.0
            .0
            .lock()
            .unwrap()
            .extend(ack.one_way.map(|delays| delays.least));
    }

    fn on_loss(&mut self, _: &LossEvent, _: &Window) -> Response {
        Response::cut_to(WINDOW)
    }

    fn on_timeout(&mut self, _: &TimeoutEvent, _: &Window) -> Response {
        Response::restart(WINDOW)
    }
}

impl Heard {
    /// How files are sent by this law, slowly enough for some reports.
    fn sending(&self) -> Sending {
        let heard = self.clone();
        let law = CustomCongestion::new("listener", move |_| Listener(heard.clone()));
        Sending {
            control: Some(Control::Law(Box::new(
                Law::new(CongestionConfig::Custom(law)).unwrap(),
            ))),
            limit: Some(6_000_000),
            logs: None,
        }
    }

    /// Many, which differ by less than the transfer may take.
    fn check(&self) {
        let heard = self.0.lock().unwrap();
        let ns = || heard.iter().map(|delay| delay.as_nanos());
        assert!(heard.len() >= 10, "{}", heard.len());
        let spread = ns().max().unwrap() - ns().min().unwrap();
        assert!(spread < 10_000_000_000, "{spread}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_connects_and_sends_hears() {
    let (bench, heard) = (Bench::of(1).await, Heard::default());
    let host = Host {
        sending: heard.sending(),
        ..Told::default().host(SENDER)
    };
    let sent = give(host, to(bench.at), items(&bench.file("film", 6_000_000)));
    assert_eq!(soon(sent).await.unwrap().done, 1);
    heard.check();
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_listens_and_offers_hears() {
    let (from, inbox) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = from.path().join("film");
    fs::write(&path, bytes(6_000_000)).unwrap();
    let (told, heard) = (Told::default(), Heard::default());
    let host = Host {
        sending: heard.sending(),
        ..told.host(SENDER)
    };
    let listen = Listen {
        allowed: keys(&[RECEIVER.public()]),
        ..listen(Some(1))
    };
    let offering = tokio::spawn(async move { offer(&host, &listen, items(&path)).await });
    let from = dial_of(told.address().await, Proof::Key(SENDER.public()));
    let into = Target::Folder(inbox.path().to_owned(), Taking::default());
    let host = Told::default().host(RECEIVER);
    let got = soon(get(&host, &from, Vec::new(), into)).await.unwrap();
    assert_eq!(got.done, 1);
    heard.check();
    assert_eq!(soon(offering).await.unwrap().unwrap().done, 1);
}

/// A receiver of before: it takes the same messages and does not tell.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_does_not_tell_gets_its_files() {
    use crate::Allowed;
    use crate::network;
    use crate::wire::frame;
    use crate::wire::message::{Hello, Ready, Request};

    let peers = Allowed::Keys([SENDER.public()].into());
    let server = network::server(&RECEIVER, peers, Box::new(drop), &Sending::default()).unwrap();
    let listening = network::listening(([127, 0, 0, 1], 0).into(), &RECEIVER, server).unwrap();
    let at = listening.endpoint.local_addr().unwrap();
    let heard = Heard::default();
    let (config, one_way) = network::client(
        &SENDER,
        Allowed::Keys([RECEIVER.public()].into()),
        &heard.sending(),
        true,
    )
    .unwrap();
    let network::OneWay::Hear(ear) = one_way else {
        panic!("it gives files");
    };
    let near = network::endpoint(([127, 0, 0, 1], 0).into()).unwrap();
    let sending = async {
        let connection = near.endpoint.connect_with(config, at, "x").unwrap();
        let connection = connection.await.unwrap();
        let work = async {
            let (mut sender, mut stream) = connection.open_bi().await.unwrap();
            frame::send(&mut sender, &Hello::Key).await.unwrap();
            frame::send(&mut sender, &Request::Push(Totals::default()))
                .await
                .unwrap();
            let Ready { items, .. } = frame::read(&mut stream).await.unwrap();
            let (mut sender, mut stream) = connection.open_bi().await.unwrap();
            sender.write_all(&bytes(1_000_000)).await.unwrap();
            sender.finish().unwrap();
            assert_eq!(stream.read_to_end(2).await.unwrap(), b"ok");
            items
        };
        tokio::select! {
            items = work => items,
            never = near.watch.hear(&connection, &ear) => match never {},
        }
    };
    let receiving = async {
        let incoming = listening.endpoint.accept().await.unwrap();
        let connection = incoming.accept().unwrap().await.unwrap();
        // As today's receivers would, if they could.
        let tell = listening.watch.tell(&connection);
        let work = async {
            let (mut sender, mut stream) = connection.accept_bi().await.unwrap();
            let _: (Hello, Request) = (
                frame::read(&mut stream).await.unwrap(),
                frame::read(&mut stream).await.unwrap(),
            );
            frame::send(
                &mut sender,
                &Ready {
                    items: 3,
                    ..Ready::default()
                },
            )
            .await
            .unwrap();
            let (mut sender, mut stream) = connection.accept_bi().await.unwrap();
            let came = stream.read_to_end(2_000_000).await.unwrap();
            sender.write_all(b"ok").await.unwrap();
            sender.finish().unwrap();
            connection.closed().await;
            came.len()
        };
        tokio::select! { came = work => came, never = tell => match never {} }
    };
    let sending = async {
        let items = sending.await;
        near.endpoint.close(0_u32.into(), b"");
        items
    };
    let (items, came) = soon(async { tokio::join!(sending, receiving) }).await;
    assert_eq!((items, came), (3, 1_000_000));
    assert!(heard.0.lock().unwrap().is_empty());
}

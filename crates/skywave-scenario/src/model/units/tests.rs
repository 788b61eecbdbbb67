use super::*;
use crate::model::quantity::{Quantity, UNITS};
use crate::read::de::from_node;
use crate::read::tree::{Node, Value};

fn read<T: for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
    from_node(&Node {
        span: 0..0,
        value: Value::Text(text.into()),
    })
    .ok()
}

#[test]
fn every_unit_has_its_size() {
    let si = |text: &str| Quantity::parse(text).map(|q| (q.value, q.unit));
    for (text, value, unit) in [
        ("1bps", 1.0, "bit/s"),
        ("128 kbps", 128e3, "bit/s"),
        ("2Mbps", 2e6, "bit/s"),
        ("0.1 Gbps", 1e8, "bit/s"),
        ("7bit/s", 7.0, "bit/s"),
        ("3kbit/s", 3e3, "bit/s"),
        ("3Mbit/s", 3e6, "bit/s"),
        ("3Gbit/s", 3e9, "bit/s"),
        ("1B/s", 8.0, "bit/s"),
        ("1kB/s", 8e3, "bit/s"),
        ("1MB/s", 8e6, "bit/s"),
        ("5ns", 5e-9, "s"),
        ("5us", 5e-6, "s"),
        ("5µs", 5e-6, "s"),
        ("5ms", 5e-3, "s"),
        ("1e-3s", 1e-3, "s"),
        ("2min", 120.0, "s"),
        ("1h", 3600.0, "s"),
        ("9B", 9.0, "B"),
        ("1 byte", 1.0, "B"),
        ("2 bytes", 2.0, "B"),
        ("64kB", 64e3, "B"),
        ("1MB", 1e6, "B"),
        ("1GB", 1e9, "B"),
        ("64KiB", 65536.0, "B"),
        ("1MiB", 1_048_576.0, "B"),
        ("1GiB", 1_073_741_824.0, "B"),
        ("1 packet", 1.0, "packets"),
        ("17.5 packets", 17.5, "packets"),
        ("1 segment", 1.0, "segments"),
        ("270 segments", 270.0, "segments"),
        ("1_000 packets", 1000.0, "packets"),
        ("-200m", -200.0, "m"),
        ("1.5km", 1500.0, "m"),
        ("10m/s", 10.0, "m/s"),
        ("36km/h", 10.0, "m/s"),
        ("-3dB", -3.0, "dB"),
        ("-82dBm", -82.0, "dBm"),
    ] {
        assert_eq!(si(text), Some((value, unit)), "{text}");
    }
    assert!(UNITS.iter().all(|u| si(&format!("1{}", u.0)).is_some()));
}

#[test]
fn what_is_no_quantity_is_none() {
    for text in [
        "", "reno", "2", "2 mbps", "-1s", "1..2s", "1e999s", "ms", "5 ms ms", "--",
    ] {
        assert_eq!(Quantity::parse(text), None, "{text:?}");
    }
}

#[test]
fn decimal_fractions_are_exact() {
    let nanos = |text| read::<Duration>(text).map(|d| d.0.as_nanos());
    assert_eq!(nanos("0.1ms"), Some(100_000));
    assert_eq!(nanos("0.3s"), Some(300_000_000));
    assert_eq!(nanos("1.0000000014s"), Some(1_000_000_001));
    let bps = |text| read::<Rate>(text).map(|r| r.0.as_bps());
    assert_eq!(bps("0.128Mbps"), Some(128_000));
    assert_eq!(bps("1.1Gbps"), Some(1_100_000_000));
}

#[test]
fn nothing_is_refused_where_nothing_makes_no_sense() {
    assert!(read::<Rate>("0bps").is_none());
    assert!(read::<Period>("0s").is_none());
    assert!(read::<Duration>("0s").is_some());
    assert!(read::<Duration>("-1s").is_none());
    let ahead = |text| read::<SignedTime>(text).map(|time| time.0.as_nanos());
    assert_eq!(ahead("-1.5ms"), Some(-1_500_000));
    assert_eq!((ahead("+2us"), ahead("0s")), (Some(2000), Some(0)));
    assert_eq!((ahead("--1s"), ahead("-")), (None, None));
    assert!(read::<Size>("0B").is_none());
    assert!(read::<Limit>("0 packets").is_none());
    assert!(read::<Limit>("1.5 packets").is_none());
    assert!(read::<Window>("0 segments").is_none());
    assert!(read::<Metres>("-1m").is_some());
    assert!(read::<Distance>("0m").is_none());
    assert!(read::<Distance>("-1m").is_none());
    assert!(read::<Speed>("0m/s").is_none());
    assert!(read::<Bytes>("65495B").is_some());
    assert!(read::<Bytes>("65496B").is_none());
}

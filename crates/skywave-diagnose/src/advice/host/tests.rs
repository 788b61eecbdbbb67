use super::*;
use crate::advice::senders;

fn ids(host: &Host) -> Vec<&'static str> {
    senders::on(host).iter().map(|sender| sender.id).collect()
}

#[test]
fn a_list_of_laws_leaves_out_the_others() {
    let host = Host::parse("linux:cubic,bbr").unwrap();
    assert_eq!(ids(&host), ["cubic", "bbr", "skywave-send"]);
    let host = Host::parse("linux:reno,westwood,dctcp").unwrap();
    assert_eq!(ids(&host), ["reno", "westwood", "skywave-send"]);
}

#[test]
fn each_kernel_s_law_that_is_simulated_may_be_listed() {
    for sender in SENDERS.iter().filter(|sender| sender.is_tcp()) {
        let host = Host::parse(&format!("linux:{}", sender.id)).unwrap();
        assert_eq!(ids(&host), [sender.id, "skywave-send"]);
    }
}

#[test]
fn a_host_of_which_nothing_is_known_has_what_is_common() {
    let expected = [
        "cubic",
        "reno",
        "bbr",
        "skywave-send",
        "quic-cubic",
        "quic-bbr",
    ];
    assert_eq!(ids(&Host::any()), expected);
    assert_eq!(ids(&Host::parse("linux").unwrap()), expected[..4]);
}

#[test]
fn a_library_has_its_own_laws() {
    let host = Host::parse("quic:quiche").unwrap();
    assert_eq!(ids(&host), ["quic-cubic", "quic-newreno", "quic-bbr3"]);
    let host = Host::parse("quic:noq").unwrap();
    assert!(ids(&host).contains(&"quic-skywave"));
}

#[test]
fn what_is_no_host_is_refused_with_what_was_expected() {
    let error = |text: &str| Host::parse(text).unwrap_err().to_string();
    assert!(error("windows").contains("`any`, `linux`"));
    assert!(error("linux:").contains("`linux:cubic,bbr`"));
    assert!(error("quic:foo").contains("noq, quinn"));
}

#[test]
fn a_host_is_read_without_changing_it() {
    let root = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put(
        "proc/sys/net/ipv4/tcp_available_congestion_control",
        "reno cubic\n",
    );
    put("proc/sys/net/ipv4/tcp_allowed_congestion_control", "reno\n");
    put("proc/sys/net/ipv4/tcp_congestion_control", "cubic\n");
    put("proc/sys/kernel/osrelease", "6.12.0\n");
    let before = Host::read(root.path());
    assert_eq!(before.queues, None);
    assert!(!before.laws.unwrap().has("bbr"));
    put(
        "lib/modules/6.12.0/modules.dep",
        "kernel/net/ipv4/tcp_bbr.ko.zst:\nkernel/net/sched/sch_fq.ko.zst: kernel/a.ko\n",
    );
    put(
        "lib/modules/6.12.0/modules.builtin",
        "kernel/net/sched/sch_fq_codel.ko\n",
    );
    let host = Host::read(root.path());
    let laws = host.laws.as_ref().unwrap();
    assert!(laws.must_load("bbr") && !laws.must_load("cubic"));
    assert!(laws.allows("reno") && !laws.allows("cubic"));
    assert!(!host.lacks_queue("fq") && !host.lacks_queue("fq_codel") && host.lacks_queue("cake"));
    assert_eq!(ids(&host), ["cubic", "reno", "bbr", "skywave-send"]);
    assert_eq!(host.default_law(), "cubic");
}

#[test]
fn a_host_without_anything_to_read_is_a_linux_of_which_nothing_is_known() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(Host::read(root.path()), Host::parse("linux").unwrap());
}

#[test]
fn todays_sender_is_named_or_refused() {
    let host = Host::named("linux:cubic", Some("bbr")).unwrap();
    assert_eq!(host.default_law(), "bbr");
    assert_eq!(host.or_today("reno", "a record").default_law(), "bbr");
    let error = Host::named("any", Some("warp")).unwrap_err().to_string();
    assert!(
        error.starts_with("`warp` is no sender that can be simulated: expected one of cubic"),
        "{error}"
    );
}

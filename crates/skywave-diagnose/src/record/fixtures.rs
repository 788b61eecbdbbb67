//! Small records, made up after the forms that the tools print.

/// `ping -D -O`: an answer after `no answer yet`, a duplicate, one unreachable, one lost, the last one cut by Ctrl-C.
pub(super) const IPUTILS: &str = "\
PING example.net (192.0.2.7) 56(84) bytes of data.
[1700000000.060400] 64 bytes from 192.0.2.7: icmp_seq=1 ttl=57 time=60.4 ms
no answer yet for icmp_seq=2
[1700000000.512000] 64 bytes from 192.0.2.7: icmp_seq=2 ttl=57 time=312 ms
[1700000000.462000] 64 bytes from 192.0.2.7: icmp_seq=3 ttl=57 time=62.0 ms
[1700000000.462900] 64 bytes from 192.0.2.7: icmp_seq=3 ttl=57 time=62.9 ms (DUP!)
From 192.0.2.1 icmp_seq=4 Destination Host Unreachable
no answer yet for icmp_seq=5
[1700000001.009125] 64 bytes from 192.0.2.7: icmp_seq=6 ttl=57 time=9.12 ms
no answer yet for icmp_seq=7
^C
--- example.net ping statistics ---
8 packets transmitted, 4 received, +1 duplicates, +1 errors, 50% packet loss, time 1405ms
rtt min/avg/max/mdev = 9.120/110.855/312.000/118.2 ms, pipe 2
";

pub(super) const BUSYBOX: &str = "\
PING 192.0.2.7 (192.0.2.7): 56 data bytes
64 bytes from 192.0.2.7: seq=1 ttl=55 time=21.393 ms
64 bytes from 192.0.2.7: seq=3 ttl=55 time=0.250 ms

--- 192.0.2.7 ping statistics ---
4 packets transmitted, 2 packets received, 50% packet loss
round-trip min/avg/max = 0.250/10.821/21.393 ms
";

/// macOS with `--apple-time`, over midnight.
pub(super) const MACOS: &str = "\
PING example.net (192.0.2.7): 56 data bytes
23:59:58.110123 64 bytes from 192.0.2.7: icmp_seq=0 ttl=117 time=10.123 ms
Request timeout for icmp_seq 1
00:00:00.112000 64 bytes from 192.0.2.7: icmp_seq=2 ttl=117 time=12.000 ms
00:00:01.111000 64 bytes from 192.0.2.7: icmp_seq=3 ttl=117 time=11.000 ms

--- example.net ping statistics ---
4 packets transmitted, 3 packets received, 25.0% packet loss
round-trip min/avg/max/stddev = 10.123/11.041/12.000/0.767 ms
";

pub(super) const WINDOWS: &str = "\r
Pinging example.net [192.0.2.7] with 32 bytes of data:\r
Reply from 192.0.2.7: bytes=32 time=12ms TTL=57\r
Request timed out.\r
Reply from 192.0.2.1: Destination host unreachable.\r
Reply from 192.0.2.7: bytes=32 time<1ms TTL=57\r
\r
Ping statistics for 192.0.2.7:\r
    Packets: Sent = 4, Received = 2, Lost = 2 (50% loss),\r
Approximate round trip times in milli-seconds:\r
    Minimum = 0ms, Maximum = 12ms, Average = 6ms\r
";

pub(super) const WINDOWS_GERMAN: &str = "
Ping wird ausgeführt für example.net [192.0.2.7] mit 32 Bytes Daten:
Antwort von 192.0.2.7: Bytes=32 Zeit=12ms TTL=57
Zeitüberschreitung der Anforderung.
Antwort von 192.0.2.7: Bytes=32 Zeit<1ms TTL=57

Ping-Statistik für 192.0.2.7:
    Pakete: Gesendet = 3, Empfangen = 2, Verloren = 1
    (33% Verlust),
Ca. Zeitangaben in Millisek.:
    Minimum = 0ms, Maximum = 12ms, Mittelwert = 6ms
";

pub(super) const WINDOWS_FRENCH: &str = "
Envoi d'une requête 'ping' sur example.net [192.0.2.7] avec 32 octets de données :
Réponse de 192.0.2.7 : octets=32 temps=12 ms TTL=57
Délai d'attente de la demande dépassé.
Réponse de 192.0.2.7 : octets=32 temps<1ms TTL=57

Statistiques Ping pour 192.0.2.7:
    Paquets : envoyés = 3, reçus = 2, perdus = 1 (perte 33%),
Durée approximative des boucles en millisecondes :
    Minimum = 0ms, Maximum = 12ms, Moyenne = 6ms
";

pub(super) const WINDOWS_SPANISH: &str = "
Haciendo ping a example.net [192.0.2.7] con 32 bytes de datos:
Respuesta desde 192.0.2.7: bytes=32 tiempo=12ms TTL=57
Tiempo de espera agotado para esta solicitud.
Respuesta desde 192.0.2.7: bytes=32 tiempo<1ms TTL=57

Estadísticas de ping para 192.0.2.7:
    Paquetes: enviados = 3, recibidos = 2, perdidos = 1
    (33% perdidos),
Tiempos aproximados de ida y vuelta en milisegundos:
    Mínimo = 0ms, Máximo = 12ms, Media = 6ms
";

pub(super) const IRTT: &str = r#"{
  "version": {"irtt": "0.9.0", "protocol": 1, "json_format": 1},
  "config": {"params": {"interval": 20000000, "length": 60}, "ip_version": "IPv4"},
  "stats": {"packets_sent": 4},
  "round_trips": [
    {"seqno": 0, "lost": "false",
     "timestamps": {"client": {"receive": {"wall": 1700000000040000000, "monotonic": 45000000},
                               "send": {"wall": 1700000000000000000, "monotonic": 5000000}},
                    "server": {"receive": {"wall": 1700000000030000000}, "send": {"wall": 1700000000030000000}}},
     "delay": {"receive": 10000000, "rtt": 40000000, "send": 30000000}, "ipdv": {}},
    {"seqno": 1, "lost": "true_up",
     "timestamps": {"client": {"receive": {}, "send": {"wall": 1700000000020100000, "monotonic": 25100000}},
                    "server": {"receive": {}, "send": {}}}, "delay": {}, "ipdv": {}},
    {"seqno": 2, "lost": "true_down",
     "timestamps": {"client": {"receive": {}, "send": {"wall": 1700000000040000000, "monotonic": 45000000}},
                    "server": {"receive": {}, "send": {}}}, "delay": {}, "ipdv": {}},
    {"seqno": 3, "lost": "true",
     "timestamps": {"client": {"receive": {}, "send": {}}, "server": {"receive": {}, "send": {}}},
     "delay": {}, "ipdv": {}}
  ]
}
"#;

pub(super) const IPERF_TCP: &str = r#"{
  "start": {"version": "iperf 3.12", "connecting_to": {"host": "192.0.2.7", "port": 5201}, "tcp_mss_default": 1448,
    "test_start": {"protocol": "TCP", "num_streams": 2, "omit": 1, "duration": 2, "reverse": 0, "bidir": 0}},
  "intervals": [
    {"streams": [{"socket": 5, "start": 0, "end": 1, "bytes": 900, "omitted": true, "sender": true}]},
    {"streams": [
      {"socket": 5, "start": 0, "end": 1.0002, "bytes": 1000, "retransmits": 2, "snd_cwnd": 14480, "rtt": 50000,
       "rttvar": 900, "omitted": false, "sender": true},
      {"socket": 7, "start": 0, "end": 1.0001, "bytes": 3000, "retransmits": 1, "snd_cwnd": 28960, "rtt": 70000,
       "rttvar": 900, "omitted": false, "sender": true}], "sum": {}},
    {"streams": [
      {"socket": 5, "start": 1.0002, "end": 2, "bytes": 0, "retransmits": 0, "snd_cwnd": 14480, "rtt": 50000,
       "omitted": false, "sender": true},
      {"socket": 7, "start": 1.0002, "end": 2, "bytes": 500, "retransmits": 0, "snd_cwnd": 28960, "rtt": 50000,
       "omitted": false, "sender": true}], "sum": {}},
    {"streams": [{"socket": 5, "start": 2, "end": 2, "bytes": 0, "omitted": false, "sender": true}]}
  ],
  "end": {"sum_sent": {"bytes": 4500}, "cpu_utilization_percent": {"host_total": -nan},
    "sender_tcp_congestion": "cubic"}
}
iperf3: error - control socket has closed unexpectedly
"#;

/// A server's log: a client that went away, then one of UDP.
pub(super) const IPERF_SERVER: &str = r#"{
  "start": {"accepted_connection": {"host": "192.0.2.9"}},
  "intervals": [], "end": {}, "error": "error - the client has terminated"
}
{
  "start": {"accepted_connection": {"host": "192.0.2.9"}, "test_start": {"protocol": "UDP", "reverse": 0}},
  "intervals": [
    {"streams": [{"start": 0, "end": 1, "bytes": 12000, "jitter_ms": 0.2, "lost_packets": 2, "packets": 12,
                  "omitted": false, "sender": false}]},
    {"streams": [{"start": 1, "end": 2, "bytes": 14000, "jitter_ms": 0.2, "lost_packets": -1, "packets": 13,
                  "omitted": false, "sender": false}]}],
  "end": {"sum": {"lost_packets": 1, "packets": 25}}
}
"#;

pub(super) const IPERF_BIDIR: &str = r#"{
  "start": {"connecting_to": {}, "test_start": {"protocol": "TCP", "reverse": 0, "bidir": 1}},
  "intervals": [{"streams": [
    {"start": 0, "end": 1, "bytes": 1000, "retransmits": 0, "snd_cwnd": 14480, "rtt": 50000, "sender": true},
    {"start": 0, "end": 1.1, "bytes": 7000, "sender": false}]}],
  "end": {"sender_tcp_congestion": "bbr"}
}"#;

pub(super) const IPERF_STREAM: &str = r#"{"event":"start","data":{"test_start":{"protocol":"TCP","reverse":1}}}
{"event":"interval","data":{"streams":[{"start":0,"end":1,"bytes":1000,"omitted":false,"sender":false}],"sum":{}}}
{"event":"interval","data":{"streams":[{"start":1,"end":2,"bytes":2000,"omitted":false,"sender":false}],"sum":{}}}
{"event":"end","data":{"sender_tcp_congestion":"bbr"}}
"#;

pub(super) const MAHIMAHI: &str = "# a comment\r\n0\r\n500\r\n\r\n500.0\r\n1500\r\n3000\r\n";

pub(super) const PENSIEVE: &str = "10.0\t5.0\n11.5\t1.25\n13.5\t0\n";

pub(super) const LOG_3G: &str = "\
1289406399 549982 53.4 10.3 25000 1000
1289406400 550982 53.4 10.3 50000 1000
";

/// The columns of the 4G and 5G traces of University College Cork.
pub(super) const CORK: &str = "\
Timestamp,Longitude,Latitude,Speed,Operatorname,RSRP,DL_bitrate,UL_bitrate,State,PINGAVG
2019.12.31_23.59.59,-8.4,51.8,13,B,-85,1200,17,D,-
2020.01.01_00.00.00,-8.4,51.8,13,B,-85,-,17,D,-
2020.01.01_00.00.01,-8.4,51.8,13,B,-85,600,17,D,-
";

pub(super) const TABLE: &str = "\
time_ms;rtt (ms);throughput [Mbit/s]
0;60,5;1,5
200;-;2
400;61;
";

pub(super) const QLOG_03: &str = "\u{1e}{\"qlog_version\":\"0.3\",\"qlog_format\":\"JSON-SEQ\",\"trace\":{\"common_fields\":{\"time_format\":\"relative\"}}}
\u{1e}{\"time\":5.0,\"name\":\"transport:packet_sent\",\"data\":{\"header\":{\"packet_type\":\"initial\",\"packet_number\":0},\"raw\":{\"length\":1200}}}
\u{1e}{\"time\":45.5,\"name\":\"recovery:metrics_updated\",\"data\":{\"latest_rtt\":40.5,\"min_rtt\":40.5,\"smoothed_rtt\":41,\"congestion_window\":12000,\"bytes_in_flight\":0}}
\u{1e}{\"time\":45.6,\"name\":\"transport:packet_sent\",\"data\":{\"header\":{\"packet_type\":\"1RTT\",\"packet_number\":0},\"raw\":{\"length\":1300}}}
\u{1e}{\"time\":95.6,\"name\":\"recovery:packet_lost\",\"data\":{\"header\":{\"packet_type\":\"1RTT\",\"packet_number\":0}}}
\u{1e}{\"time\":96,\"name\":\"recovery:metrics_updated\",\"data\":{\"pto_count\":1}}
\u{1e}{\"time\":99,\"name\":\"trans";

pub(super) const QLOG_14: &str = r#"{"file_schema":"urn:ietf:params:qlog:file:contained","serialization_format":"application/qlog+json",
 "traces":[{"common_fields":{"time_format":"relative_to_previous_event"},"event_schemas":[],"events":[
  {"time":5,"name":"quic:packet_sent","data":{"header":{"packet_type":"1RTT","packet_number":7},"raw":{"length":1200}}},
  {"time":10,"name":"quic:packet_sent","data":{"header":{"packet_type":"1RTT","packet_number":8,"length":1200}}},
  {"time":10,"name":"quic:recovery_metrics_updated","data":{"smoothed_rtt":30.25,"congestion_window":24000}}]}]}"#;

pub(super) const QLOG_01: &str = r#"{"qlog_version":"draft-01","traces":[{"configuration":{"time_units":"us"},
 "event_fields":["relative_time","CATEGORY","EVENT_TYPE","TRIGGER","DATA"],"events":[
  [1000,"TRANSPORT","PACKET_SENT","LINE",{"packet_type":"1RTT","header":{"packet_number":"3","packet_size":1280}}],
  ["41000","RECOVERY","METRIC_UPDATE","DEFAULT",{"latest_rtt":40000,"cwnd":14600,"bytes_in_flight":1280}],
  [91000,"RECOVERY","PACKET_LOST","UNKNOWN",{"type":"1RTT","packet_number":"3"}],
  []]}]}"#;

/// Every record by its name.
pub(super) const ALL: [(&str, &str); 20] = [
    ("iputils", IPUTILS),
    ("busybox", BUSYBOX),
    ("macos", MACOS),
    ("windows", WINDOWS),
    ("windows, german", WINDOWS_GERMAN),
    ("windows, french", WINDOWS_FRENCH),
    ("windows, spanish", WINDOWS_SPANISH),
    ("irtt", IRTT),
    ("iperf3, tcp", IPERF_TCP),
    ("iperf3, server", IPERF_SERVER),
    ("iperf3, both ways", IPERF_BIDIR),
    ("iperf3, stream", IPERF_STREAM),
    ("mahimahi", MAHIMAHI),
    ("pensieve", PENSIEVE),
    ("3g log", LOG_3G),
    ("cork", CORK),
    ("table", TABLE),
    ("qlog 0.3", QLOG_03),
    ("qlog, late drafts", QLOG_14),
    ("qlog, early drafts", QLOG_01),
];

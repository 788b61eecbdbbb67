"""NewReno over a chain of 802.11g stations in ns-3: goodput, and what became of frames and routes.

The scenario of `../sets/wifi/reference.csv`: data at 24 Mb/s, control frames at 6 Mb/s, slots of
20 µs. `ns2` is two-ray ground, stations 200 m apart, received to 250 m and sensed to 550 m;
`default` is ns-3's own log-distance loss, 30 m apart. Prints a line of JSON. Stations count from 0;
`looks` are samples of the ends' route tables, every 10 ms.

    pip install ns3==3.44.post0
    python3 bench/peers/ns3/chain.py --hops 3 --model ns2
    python3 bench/peers/ns3/chain.py --hops 3 --model default --errors Nist --routing static
    python3 bench/peers/ns3/chain.py --set ns3::aodv::RoutingProtocol::EnableHello=false
"""

from __future__ import annotations

import argparse
import json

from ns import ns

# Callbacks into Python are slow, so the counting is in C++.
COUNTING = r"""
#include <cstdio>
#include <map>
#include <sstream>
#include "ns3/aodv-module.h"
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

namespace chain {
using namespace ns3;

std::map<std::string, uint64_t> counts;
uint64_t delivered = 0;
bool verbose = false;

void Count(const std::string& what, uint32_t node) {
  counts[what]++;
  if (verbose) {
    std::fprintf(stderr, "%.6f %u %s\n", Simulator::Now().GetSeconds(), node, what.c_str());
  }
}

// What an IP packet carries, its own header taken off.
std::string Kind(Ptr<const Packet> packet, uint8_t protocol, bool to_all) {
  auto copy = packet->Copy();
  if (protocol == TcpL4Protocol::PROT_NUMBER) {
    TcpHeader tcp;
    copy->RemoveHeader(tcp);
    return copy->GetSize() > 0 ? "data" : "ack";
  }
  if (protocol != UdpL4Protocol::PROT_NUMBER) return "other";
  UdpHeader udp;
  copy->RemoveHeader(udp);
  aodv::TypeHeader type;
  copy->RemoveHeader(type);
  switch (type.Get()) {
    case aodv::AODVTYPE_RREQ: return "rreq";
    case aodv::AODVTYPE_RREP: return to_all ? "hello" : "rrep";
    case aodv::AODVTYPE_RERR: return "rerr";
    default: return "rrep_ack";
  }
}

void Sent(uint32_t node, Ptr<const Packet> packet, Ptr<Ipv4>, uint32_t interface) {
  if (interface == 0) return;
  auto copy = packet->Copy();
  Ipv4Header ip;
  copy->RemoveHeader(ip);
  auto to_all = ip.GetDestination().IsSubnetDirectedBroadcast(Ipv4Mask("255.255.255.0"));
  auto kind = Kind(copy, ip.GetProtocol(), to_all);
  if (kind == "data" || kind == "ack") {
    counts["sent_" + kind]++;
  } else {
    Count("sent_" + kind, node);
  }
}

void DroppedByIp(uint32_t node, const Ipv4Header& ip, Ptr<const Packet> packet,
                 Ipv4L3Protocol::DropReason reason, Ptr<Ipv4>, uint32_t) {
  auto kind = Kind(packet, ip.GetProtocol(), false);
  Count("ip_dropped_" + std::to_string(reason) + "_" + kind, node);
}

void DroppedByMac(uint32_t node, WifiMacDropReason reason, Ptr<const WifiMpdu> mpdu) {
  auto packet = mpdu->GetPacket()->Copy();
  LlcSnapHeader llc;
  packet->RemoveHeader(llc);
  std::string kind = "arp";
  if (llc.GetType() == Ipv4L3Protocol::PROT_NUMBER) {
    Ipv4Header ip;
    packet->RemoveHeader(ip);
    kind = Kind(packet, ip.GetProtocol(), mpdu->GetHeader().GetAddr1().IsGroup());
  }
  auto given_up = reason == WIFI_MAC_DROP_REACHED_RETRY_LIMIT;
  Count((given_up ? "given_up_" : "mac_dropped_") + kind, node);
}

void DataFailed(uint32_t node, Mac48Address) { counts["failed_data_" + std::to_string(node)]++; }
void RtsFailed(uint32_t node, Mac48Address) { counts["failed_rts_" + std::to_string(node)]++; }

void Attach(Ptr<Node> node) {
  auto id = node->GetId();
  auto ip = node->GetObject<Ipv4L3Protocol>();
  ip->TraceConnectWithoutContext("Tx", MakeBoundCallback(&Sent, id));
  ip->TraceConnectWithoutContext("Drop", MakeBoundCallback(&DroppedByIp, id));
  auto device = DynamicCast<WifiNetDevice>(node->GetDevice(0));
  auto mac = device->GetMac();
  mac->TraceConnectWithoutContext("DroppedMpdu", MakeBoundCallback(&DroppedByMac, id));
  auto manager = device->GetRemoteStationManager();
  manager->TraceConnectWithoutContext("MacTxDataFailed", MakeBoundCallback(&DataFailed, id));
  manager->TraceConnectWithoutContext("MacTxRtsFailed", MakeBoundCallback(&RtsFailed, id));
}

Ptr<Node> source, sink;

// The table as text: a request for a route would keep it alive.
bool HasRoute(Ptr<Node> from, Ptr<Node> to) {
  std::ostringstream table, wanted;
  auto stream = Create<OutputStreamWrapper>(&table);
  from->GetObject<Ipv4L3Protocol>()->GetRoutingProtocol()->PrintRoutingTable(stream, Time::S);
  wanted << to->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal();
  std::istringstream lines(table.str());
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string destination, gateway, interface, flag;
    words >> destination >> gateway >> interface >> flag;
    if (destination == wanted.str()) return flag == "UP";
  }
  return false;
}

void Look(Time every) {
  counts["looks"]++;
  if (!HasRoute(source, sink)) counts["looks_without_route"]++;
  if (!HasRoute(sink, source)) counts["looks_without_route_back"]++;
  Simulator::Schedule(every, &Look, every);
}

void Watch(Ptr<Node> from, Ptr<Node> to, Time start, Time every) {
  source = from;
  sink = to;
  Simulator::Schedule(start, &Look, every);
}

void State(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now) {
  if (now == TcpSocketState::CA_LOSS) Count("tcp_timeouts", 0);
  if (now == TcpSocketState::CA_RECOVERY) Count("tcp_recoveries", 0);
}

void AttachTcp(Ptr<Application> sender) {
  auto socket = DynamicCast<BulkSendApplication>(sender)->GetSocket();
  socket->TraceConnectWithoutContext("CongState", MakeCallback(&State));
}

void Received(Ptr<const Packet> packet, const Address&) { delivered += packet->GetSize(); }

// A bulk sender has no socket before it has started.
void AttachEnds(Ptr<Application> sender, Ptr<Application> receiver, Time started) {
  receiver->TraceConnectWithoutContext("Rx", MakeCallback(&Received));
  Simulator::Schedule(started, &AttachTcp, sender);
}

void AddRoute(Ptr<Node> node, Ipv4Address to, Ipv4Address next_hop) {
  auto routing = Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<Ipv4>());
  routing->AddHostRouteTo(to, next_hop, 1);
}

void SetSlot(Ptr<NetDevice> device, Time slot) {
  DynamicCast<WifiNetDevice>(device)->GetPhy()->SetSlot(slot);
}
}  // namespace chain
"""

START = 0.5


def radios(arguments: argparse.Namespace, nodes: object) -> object:
    channel = ns.YansWifiChannelHelper()
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel")
    phy = ns.YansWifiPhyHelper()
    if arguments.errors:
        phy.SetErrorRateModel(f"ns3::{arguments.errors}ErrorRateModel")
    if arguments.model == "ns2":
        frequency = ("Frequency", ns.DoubleValue(914e6))
        height = ("HeightAboveZ", ns.DoubleValue(1.5))
        channel.AddPropagationLoss("ns3::TwoRayGroundPropagationLossModel", *frequency, *height)
        for power in ("TxPowerStart", "TxPowerEnd"):
            phy.Set(power, ns.DoubleValue(24.5))
        # What comes from 550 m is sensed; only what comes from 250 m begins to be received.
        for sensed in ("RxSensitivity", "CcaEdThreshold"):
            phy.Set(sensed, ns.DoubleValue(-78.0715))
        received = ("MinimumRssi", ns.DoubleValue(-64.3751))
        phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel", *received)
    else:
        channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel")
    phy.SetChannel(channel.Create())
    mac = ns.WifiMacHelper()
    mac.SetType("ns3::AdhocWifiMac")
    wifi = ns.WifiHelper()
    wifi.SetStandard(ns.WIFI_STANDARD_80211g)
    modes = {"DataMode": 24, "ControlMode": 6, "NonUnicastMode": 6}
    rates = [x for k, v in modes.items() for x in (k, ns.StringValue(f"ErpOfdmRate{v}Mbps"))]
    rts = ("RtsCtsThreshold", ns.UintegerValue(0 if arguments.rts else 999_999))
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", *rates, *rts)
    devices = wifi.Install(phy, mac, nodes)
    for at in range(devices.GetN()):
        ns.cppyy.gbl.chain.SetSlot(devices.Get(at), ns.MicroSeconds(arguments.slot_us))
    return devices


def place(arguments: argparse.Namespace, nodes: object) -> None:
    mobility = ns.MobilityHelper()
    step = ("DeltaX", ns.DoubleValue(200.0 if arguments.model == "ns2" else 30.0))
    width = ("GridWidth", ns.UintegerValue(arguments.hops + 1))
    mobility.SetPositionAllocator("ns3::GridPositionAllocator", *step, *width)
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel")
    mobility.Install(nodes)


def network(arguments: argparse.Namespace, nodes: object, devices: object) -> object:
    internet = ns.InternetStackHelper()
    if arguments.routing == "aodv":
        aodv = ns.AodvHelper()
        internet.SetRoutingHelper(aodv)
    internet.Install(nodes)
    addresses = ns.Ipv4AddressHelper()
    addresses.SetBase(ns.Ipv4Address("10.0.0.0"), ns.Ipv4Mask("255.255.255.0"))
    interfaces = addresses.Assign(devices)
    if arguments.routing == "static":
        for at in range(nodes.GetN()):
            for to in range(nodes.GetN()):
                if abs(to - at) > 1:
                    by = interfaces.GetAddress(at + 1 if to > at else at - 1)
                    ns.cppyy.gbl.chain.AddRoute(nodes.Get(at), interfaces.GetAddress(to), by)
    return interfaces


def flow(arguments: argparse.Namespace, nodes: object, interfaces: object) -> None:
    tcp, port = "ns3::TcpSocketFactory", 5001
    here = ns.InetSocketAddress(ns.Ipv4Address.GetAny(), port).ConvertTo()
    sinks = ns.PacketSinkHelper(tcp, here).Install(nodes.Get(arguments.hops))
    sinks.Start(ns.Seconds(0))
    there = ns.InetSocketAddress(interfaces.GetAddress(arguments.hops), port).ConvertTo()
    bulk = ns.BulkSendHelper(tcp, there)
    bulk.SetAttribute("MaxBytes", ns.UintegerValue(0))
    bulk.SetAttribute("SendSize", ns.UintegerValue(arguments.mss))
    senders = bulk.Install(nodes.Get(0))
    senders.Start(ns.Seconds(START))
    ns.cppyy.gbl.chain.AttachEnds(senders.Get(0), sinks.Get(0), ns.Seconds(START + 0.01))


def run(arguments: argparse.Namespace) -> dict[str, float]:
    for assignment in arguments.set:
        name, _, value = assignment.partition("=")
        ns.Config.SetDefault(name, ns.StringValue(value))
    ns.RngSeedManager.SetRun(arguments.seed)
    ns.Config.SetDefault("ns3::TcpSocket::SegmentSize", ns.UintegerValue(arguments.mss))
    ns.Config.SetDefault("ns3::TcpSocket::DelAckCount", ns.UintegerValue(1))
    ns.Config.SetDefault("ns3::TcpL4Protocol::SocketType", ns.StringValue("ns3::TcpNewReno"))
    nodes = ns.NodeContainer()
    nodes.Create(arguments.hops + 1)
    devices = radios(arguments, nodes)
    place(arguments, nodes)
    interfaces = network(arguments, nodes, devices)
    flow(arguments, nodes, interfaces)
    counting = ns.cppyy.gbl.chain
    counting.verbose = arguments.verbose
    for at in range(nodes.GetN()):
        counting.Attach(nodes.Get(at))
    if arguments.routing == "aodv":
        ends = (nodes.Get(0), nodes.Get(arguments.hops))
        counting.Watch(*ends, ns.Seconds(START), ns.MilliSeconds(10))
    ns.Simulator.Stop(ns.Seconds(START + arguments.seconds))
    ns.Simulator.Run()
    goodput = counting.delivered * 8 / arguments.seconds / 1e6
    counts = {str(name): int(count) for name, count in counting.counts}
    ns.Simulator.Destroy()
    return {"goodput_mbps": round(goodput, 4), **counts}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--hops", type=int, default=3)
    parser.add_argument("--model", choices=["ns2", "default"], default="ns2")
    parser.add_argument("--routing", choices=["aodv", "static"], default="aodv")
    parser.add_argument("--rts", action="store_true")
    parser.add_argument("--errors", choices=["Nist", "Yans", "TableBased"], help="(TableBased)")
    parser.add_argument("--mss", type=int, default=1460)
    parser.add_argument("--slot-us", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="ATTRIBUTE=VALUE")
    parser.add_argument("--verbose", action="store_true", help="each event as it happens")
    arguments = parser.parse_args()
    ns.cppyy.cppdef(COUNTING)
    print(json.dumps(run(arguments)))


if __name__ == "__main__":
    main()

// SPDX-License-Identifier: MIT OR Apache-2.0
//
// TCP CERL for ns-2: H. El-Ocla, "TCP CERL: congestion control enhancement over wireless networks",
// Wireless Networks 2008. README.md names the section behind each rule, and how we read it.

#include "tcp.h"

class CerlTcpAgent : public RenoTcpAgent {
public:
    CerlTcpAgent();
    virtual void reset();
    virtual void dupack_action();

protected:
    virtual void rtt_update(double rtt);

private:
    void forget();

    double fraction_; // A: the share of the longest queue from which on a loss is congestive
    int once_;        // one cut a window; without it the sender is the paper's CERL2
    int syn_sample_;  // the round trip of the handshake counts as a sample too
    int acted_;       // losses for which the window stayed as it was

    bool sampled_;
    double shortest_; // T, s
    double queue_;    // l, s: the paper sets the bottleneck's rate to one
    double longest_;  // l_max, s
    int last_decrease_;
};

static class CerlTcpClass : public TclClass {
public:
    CerlTcpClass() : TclClass("Agent/TCP/Reno/CERL") {}
    TclObject* create(int, const char* const*) { return new CerlTcpAgent(); }
} class_cerl;

CerlTcpAgent::CerlTcpAgent()
{
    bind("fraction_", &fraction_);
    bind_bool("once_", &once_);
    bind_bool("syn_sample_", &syn_sample_);
    bind("acted_", &acted_);
    forget();
}

void CerlTcpAgent::forget()
{
    sampled_ = false;
    shortest_ = queue_ = longest_ = 0;
    last_decrease_ = -1;
    acted_ = 0;
}

void CerlTcpAgent::reset()
{
    RenoTcpAgent::reset();
    forget();
}

// Section 3.1, equation 1. ns-2 times one segment at a time and never one that was sent twice.
void CerlTcpAgent::rtt_update(double rtt)
{
    RenoTcpAgent::rtt_update(rtt);
    if (rtt_seq_ == 0 && !syn_sample_)
        return;
    if (!sampled_ || rtt < shortest_)
        shortest_ = rtt;
    sampled_ = true;
    queue_ = rtt - shortest_;
    if (queue_ > longest_)
        longest_ = queue_;
}

// Section 3.4, first and second change. The inflation is Reno's dupwnd_, kept apart from cwnd_: when it
// ends, cwnd_ is what the paper calls oldcwnd, or ssthresh after a cut.
void CerlTcpAgent::dupack_action()
{
    bool congested = queue_ >= fraction_ * longest_;
    if (congested && highest_ack_ > last_decrease_) {
        slowdown(CLOSE_SSTHRESH_HALF | CLOSE_CWND_HALF);
        if (once_)
            last_decrease_ = maxseq_;
    } else {
        ++acted_;
    }
    recover_ = maxseq_;
    last_cwnd_action_ = CWND_ACTION_DUPACK;
    reset_rtx_timer(1, 0);
    output(last_ack_ + 1, TCP_REASON_DUPACK);
    dupwnd_ = numdupacks_;
}

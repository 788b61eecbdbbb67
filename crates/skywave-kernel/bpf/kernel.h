/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * Declarations of what the program uses of the kernel: fields are found by their names when it is loaded, so that no
 * header of one kernel is needed. Numbers are those of the system call bpf(2) and of TCP's hooks, which do not change.
 */
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;
typedef _Bool bool;

#define SEC(name) __attribute__((section(name), used))
#define NULL ((void *)0)

/* How maps are described to the loader. */
#define KIND(name, value) int (*name)[value]
#define OF(name, type) type *name

enum {
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_QUEUE = 22,
	BPF_MAP_TYPE_SK_STORAGE = 24,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_F_NO_PREALLOC = 1,
	BPF_F_MMAPABLE = 1 << 10,
	BPF_SK_STORAGE_GET_F_CREATE = 1,
	BPF_RB_NO_WAKEUP = 1,
};

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static long (*const bpf_setsockopt)(void *socket, int level, int name, void *value, int length) = (void *)49;
static long (*const bpf_map_push_elem)(void *map, const void *value, u64 flags) = (void *)87;
static long (*const bpf_map_pop_elem)(void *map, void *value) = (void *)88;
static void *(*const bpf_sk_storage_get)(void *map, void *socket, void *value, u64 flags) = (void *)107;
static void *(*const bpf_ringbuf_reserve)(void *map, u64 size, u64 flags) = (void *)131;
static void (*const bpf_ringbuf_submit)(void *data, u64 flags) = (void *)132;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sock {
	unsigned long sk_pacing_rate;
	unsigned long sk_max_pacing_rate;
	u32 sk_pacing_status;
};

struct inet_sock {
	struct sock sk;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	u8 icsk_ca_state : 5;
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u32 snd_una;
	u32 snd_nxt;
	u32 snd_wnd;
	u32 high_seq;
	u32 mss_cache;
	u32 srtt_us;
	u32 rttvar_us;
	u32 packets_out;
	u32 sacked_out;
	u32 lost_out;
	u32 retrans_out;
	u32 snd_cwnd;
	u32 snd_ssthresh;
	u32 snd_cwnd_clamp;
	u32 prior_cwnd;
	u32 prr_out;
	u32 max_packets_out;
	u32 delivered;
	u32 delivered_ce;
	u32 lost;
	bool is_cwnd_limited : 1;
};

struct rate_sample {
	u32 prior_delivered;
	s32 delivered;
	long interval_us;
	long rtt_us;
	u32 acked_sacked;
	u32 prior_in_flight;
	bool is_app_limited;
};

struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *sk);
	void (*set_state)(struct sock *sk, u8 state);
	void (*cwnd_event)(struct sock *sk, u32 event);
	void (*cong_control)(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs);
	u32 (*undo_cwnd)(struct sock *sk);
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	u32 flags;
	char name[16];
};

#pragma clang attribute pop

struct bpf_sock_ops {
	u32 op;
};

/* Reads a bit field, wherever this kernel has it. */
#define BITS(record, field)                                                                                      \
	({                                                                                                       \
		const void *at = (const void *)(record) + __builtin_preserve_field_info((record)->field, 0);     \
		u64 value;                                                                                       \
		switch (__builtin_preserve_field_info((record)->field, 1)) {                                     \
		case 1: value = *(const u8 *)at; break;                                                          \
		case 2: value = *(const u16 *)at; break;                                                         \
		case 4: value = *(const u32 *)at; break;                                                         \
		default: value = *(const u64 *)at; break;                                                        \
		}                                                                                                \
		value <<= __builtin_preserve_field_info((record)->field, 4);                                     \
		value >> __builtin_preserve_field_info((record)->field, 5);                                      \
	})

/* icsk_ca_state (enum tcp_ca_state). */
enum { OPEN, DISORDER, CWR, RECOVERY, LOSS };
/* Events of cwnd_event (enum tcp_ca_event). */
enum { TX_START };
/* sk_pacing_status (enum sk_pacing). */
enum { PACING_NONE, PACING_NEEDED, PACING_FQ };
/* Any process may choose the algorithm. Without it a refused choice in a network namespace keeps a reference for ever
 * (Linux 6.18). */
enum { TCP_CONG_NON_RESTRICTED = 1 };
/* Flags of an ACK as cong_control has them. */
enum { FLAG_ECE = 0x40 };
/* Operations of bpf_sock_ops, and options of a socket. */
enum { ACTIVE_ESTABLISHED = 4, PASSIVE_ESTABLISHED = 5, IPPROTO_TCP = 6, TCP_CONGESTION = 13 };

/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/* What the program and the process tell each other. `src/message.rs` and `src/answer.rs` have the same in Rust. */
#pragma once

/* Connections that can have the law at once. */
#define SLOTS 4096

enum kind { KIND_OPEN, KIND_ACK, KIND_STATE, KIND_UNDO, KIND_IDLE, KIND_CLOSE };

/* Flags of a message. */
enum {
	APP_LIMITED = 1,
	CWND_LIMITED = 2,
	BY_RENO = 4, /* the program's own rule is in force */
	ECHO = 8,
};

/* What an event told. Counts are totals of the connection, in packets, so that a lost message loses nothing else. */
struct message {
	u64 at;     /* ns */
	u64 id;     /* of the connection, from 1 */
	u64 number; /* of the event, from 1 */
	u32 kind;
	u32 slot;
	u32 state;
	u32 flags;
	u32 mss;
	u32 una;
	u32 nxt;
	u32 high;
	u32 rwnd;
	u32 cwnd;
	u32 delivered;
	u32 marked;
	u32 lost;
	u32 in_flight;
	u32 srtt; /* µs × 8 */
	u32 rttvar;
	/* The sample of an ACK's rate; for an idle time its length, µs. */
	s32 rtt;
	s32 interval;
	u32 rate_delivered;
	u32 prior_delivered;
	u32 prior_in_flight;
	u32 pace; /* in force, kB/s */
};

/* What a law wants. Written without a lock: `check` tells a whole one. */
struct answer {
	u64 id;
	u64 number; /* of the latest event that it answers */
	u64 at;     /* of that event */
	u64 pace;   /* bytes a second; 0: as Linux paces a window */
	u32 cwnd;
	u32 ssthresh;
	u64 check;
	u64 unused[2];
};

#define CHECK_ID 0x9e3779b97f4a7c15ULL
#define CHECK_NUMBER 0xbf58476d1ce4e5b9ULL
#define CHECK_AT 0x94d049bb133111ebULL
#define CHECK_PACE 0xff51afd7ed558ccdULL
#define CHECK_WINDOW 0xc4ceb9fe1a85ec53ULL

/* Settings and counters, one of them. */
struct control {
	u64 opened;  /* connections so far */
	u64 dropped; /* messages for which there was no room */
	u64 torn;    /* answers that were read while they were written */
	u64 fell;    /* times that a connection went over to the program's rule */
	u64 refused; /* connections for which there was no slot */
	u32 owns_window;
	u32 paced;
	u32 quiet; /* the process looks by itself: no wakeups */
	char name[16];
	u32 unused;
};

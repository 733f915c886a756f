/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netlink.h - the kernel module's rulesets, for programs: generic netlink, family "xt2", version 1
 *
 * A table is an image (<xt2/format.h>) with this table and no other.  All messages are flat: a
 * header, then attributes, each at most once.  What is longer than a message comes as pieces, in
 * order.  Numbers have the machine's byte order, which is little-endian.  All requests need
 * CAP_NET_ADMIN in the user namespace of the socket's network namespace, whose tables are meant.
 *
 * Each commit makes a generation of the namespace, whoever it is from: iptables' own programs
 * commit by socket options.
 *
 * A transaction belongs to the socket that began it, and there is one in a namespace at a time:
 *
 *	BEGIN  [GENERATION]
 *	TABLE  FAMILY NAME SIZE [RULES]		a table to come, or that takes the place of one
 *	PIECE  OFFSET DATA			... its image
 *	KEEP   OFFSET DATA			... and which of its rules go on counting
 *	TABLE  FAMILY NAME			a table that goes: without it all packets pass there
 *	SPLICE FAMILY NAME [SIZE]		a table that is edited in its place
 *	PIECE  OFFSET DATA			... an image with the rules that come
 *	EDIT   EDIT CHAIN ...			... what is done, in order
 *	COMMIT					or ABORT
 *
 * COMMIT changes all of the tables, or nothing, which is no generation if nothing was to change: images are checked, the kernel's matches and targets
 * are asked about their rules, and counters that go on miss no packet.  It is answered with COMMITTED.
 *
 * An edit costs what it changes, and rules that it does not name go on counting.  Its image is one of this
 * table, with all base chains.  Each rule that comes is the next one of the chain there that has the
 * edited chain's name; chains that it leads to are known by name, and are in the image as well.  EDIT is one of
 *
 *	RULES  CHAIN [AT|FIND] [DELETE] [INSERT]	rules go, from a position (0 is the first, none: after the last) or
 *							from the first one that says the same as the image's next one, which
 *							is used up by that; then so many come there
 *	NEW    CHAIN			GONE  CHAIN	a user chain comes, goes
 *	NAME   CHAIN TO					it is named anew
 *	POLICY CHAIN					policy and its counters become those of the image
 *
 * COMMIT answers -EXFULL where the kernel's extensions would have to check rules that stay: send TABLE.
 *
 * Where a request fails, ERROR comes before the acknowledgement and says why in words.  After a
 * failed COMMIT the transaction is over; it is, too, when its socket is closed.
 *
 * TABLES and DUMP are answered by a dump of one generation: TABLE with FAMILY, NAME, GENERATION, SIZE, FAULTS and
 * UNCOUNTED for each table, the oldest first, and of DUMP the PIECEs of its image, with its counters.  A dump of
 * no tables has one TABLE with the GENERATION alone.  -EBUSY: too many of a namespace are under way.
 */
#ifndef XT2_NETLINK_H
#define XT2_NETLINK_H

#define XT2_NL_FAMILY  "xt2"
#define XT2_NL_VERSION 1
#define XT2_NL_GROUP   "commits" /* multicast: COMMITTED of each commit */
#define XT2_NL_PIECE   32768 /* bytes of DATA, at most */

enum xt2_nl_command {
	XT2_CMD_UNSPEC,
	XT2_CMD_IDENTIFY, /* answer: FORMAT, GENERATION, SOCKOPTS */
	XT2_CMD_TABLES,
	XT2_CMD_DUMP,
	XT2_CMD_BEGIN, /* -EBUSY: another transaction; -ESTALE: another generation is there */
	XT2_CMD_TABLE, /* -ENOENT: the family has no such table; -EEXIST: it was named already */
	XT2_CMD_PIECE,
	XT2_CMD_KEEP,
	XT2_CMD_COMMIT, /* -ESTALE; -EINVAL: an image or a rule is wrong; -EXFULL; and what the kernel's checks say */
	XT2_CMD_ABORT,
	XT2_CMD_COMMITTED, /* GENERATION, and PORT of a socket, or 0 */
	XT2_CMD_ERROR, /* ERRNO, TEXT */
	XT2_CMD_SPLICE, /* as TABLE */
	XT2_CMD_EDIT,
	XT2_CMDS
};

enum xt2_nl_attribute {
	XT2_A_UNSPEC,
	XT2_A_PAD,
	XT2_A_FORMAT, /* u32: XT2_VERSION of images */
	XT2_A_SOCKOPTS, /* u8: 1: the module has iptables' socket options; 0: ip_tables has */
	XT2_A_GENERATION, /* u64; of BEGIN: the one that was read, and none may have come since */
	XT2_A_FAMILY, /* u8: enum xt2_family */
	XT2_A_NAME, /* string */
	XT2_A_SIZE, /* u64: bytes of the image */
	XT2_A_RULES, /* u32: rules of the image, if there is KEEP for each */
	XT2_A_OFFSET, /* u64: bytes in pieces before this one */
	/*
	 * Of PIECE bytes of the image.  Of KEEP u32: for each rule of the image, in the order of chains
	 * and with their tails, 1 more than the number of the rule of the table as it is
	 * whose counters go on; 0: it starts with what the image has.
	 */
	XT2_A_DATA,
	XT2_A_FAULTS, /* u64: packets that were dropped since they could not be evaluated */
	XT2_A_UNCOUNTED, /* u64: that rules have not counted for lack of memory */
	XT2_A_PORT, /* u32 */
	XT2_A_ERRNO, /* u32 */
	XT2_A_TEXT, /* string */
	XT2_A_EDIT, /* u8: enum xt2_nl_edit */
	XT2_A_CHAIN, /* string */
	XT2_A_TO, /* string */
	XT2_A_AT, /* u32 */
	XT2_A_FIND, /* flag */
	XT2_A_DELETE, /* u32: rules */
	XT2_A_INSERT, /* u32: rules */
	XT2_AS
};

enum xt2_nl_edit {
	XT2_EDIT_RULES,
	XT2_EDIT_NEW,
	XT2_EDIT_GONE,
	XT2_EDIT_NAME,
	XT2_EDIT_POLICY,
	XT2_EDITS
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables-help.c - what -h prints: commands, options, and those of the extensions asked for */
#include "config.h"
#include <stdio.h>
#include "tables-main.h"
#include "where.h"

static const char commands[] =
	"Commands:\n"
	"  -A, --append CHAIN RULE        add a rule at the end of a chain\n"
	"  -I, --insert CHAIN [N] RULE    insert a rule as number N, else as the first\n"
	"  -R, --replace CHAIN N RULE     put a rule in the place of another\n"
	"  -D, --delete CHAIN {N | RULE}  delete a rule\n"
	"  -F, --flush [CHAIN]            delete all rules of a chain, or of the table\n"
	"  -Z, --zero [CHAIN [N]]         set counters to 0\n"
	"  -N, --new-chain CHAIN          make a chain\n"
	"  -X, --delete-chain [CHAIN]     delete an empty chain, or all of the table\n"
	"  -E, --rename-chain OLD NEW     give a chain another name\n"
	"  -P, --policy CHAIN TARGET      what becomes of packets that no rule decides\n"
	"  -L, --list [CHAIN [N]]         list rules\n"
	"  -h, --help                     print this, and the options of matches and targets\n"
	"                                 that are named before it\n"
	"  -V, --version                  print the version\n";

static const char ip_commands[] = "  -C, --check CHAIN RULE         is there such a rule?\n"
				  "  -S, --list-rules [CHAIN [N]]   print rules as commands\n";

static const char rules[] =
	"\nRules; \"!\" before an option inverts it:\n"
	"  -i, --in-interface NAME[+]     interface a packet came in on\n"
	"  -o, --out-interface NAME[+]    interface it goes out on\n"
	"  -j, --jump TARGET              what to do with it: a verdict, a target or a chain\n";

static const char ip_rules[] =
	"  -p, --protocol PROTOCOL        by name or number\n"
	"  -s, --source ADDRESS[/MASK],...\n"
	"  -d, --destination ADDRESS[/MASK],...\n"
	"                                 a rule for each address\n"
	"  -m, --match NAME               an extension; its options follow\n"
	"  -g, --goto CHAIN               continue in a chain, and do not return\n";

static const char arp_rules[] = "  -s, --source-ip ADDRESS[/MASK]\n"
				"  -d, --destination-ip ADDRESS[/MASK]\n"
				"      --source-mac, --destination-mac ADDRESS[/MASK]\n"
				"  -l, --h-length N[/MASK]        length of hardware addresses\n"
				"      --opcode, --h-type, --proto-type N[/MASK]\n";

static const char options[] =
	"\nOptions:\n"
	"  -t, --table NAME   table; filter if there is none\n"
	"  -v, --verbose      list counters and interfaces; tell what is being done\n"
	"  -n, --numeric      no names of hosts, services and protocols in lists\n"
	"      --line-numbers number the rules of lists\n"
	"  -c, --set-counters PACKETS BYTES\n"
	"  -w, --wait [SECONDS]\n"
	"                     wait for another program\n"
	"  -M, --modprobe     accepted and not needed\n";

static const char ip_options[] = "  -x, --exact        no units for counters\n"
				 "  -W, --wait-interval\n"
				 "                     accepted and not needed\n"
				 "  -4, -6             the family that the program is for\n";

void xt2_tables_help(const struct xt2_tables *program, const struct xt2_ext *ext)
{
	const bool arp = program->family == XT2_ARP;

	printf("%s v%s\n\nUsage: %s [-t TABLE] COMMAND [RULE] [OPTIONS]\n"
	       "       %s -h (print this help information)\n\n",
	       program->legacy, program->version, program->name, program->name);
	fputs(commands, stdout);
	if (!arp)
		fputs(ip_commands, stdout);
	fputs(rules, stdout);
	fputs(arp ? arp_rules : ip_rules, stdout);
	if (program->family == XT2_IPV4)
		puts("  -f, --fragment                 fragments but for the first");
	fputs(options, stdout);
	if (!arp)
		fputs(ip_options, stdout);
	fputs(XT2_WHERE_HELP "      --resolve      look host names up (DNS)\n", stdout);
	xt2_libxt_help(ext);
}

EXTRA_DIST += \
	examples/controller.c \
	examples/embed.c \
	examples/make-capture \
	examples/mistake.rules \
	examples/server.pcap \
	examples/server.rules \
	examples/server6.rules

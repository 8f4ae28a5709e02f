/* SPDX-License-Identifier: GPL-2.0-or-later */
/* context_switch: two tasks hand a token to and fro, and every hand-over is a sleep and a wakeup.
 *
 * The leader (first CPU) sends, waits for the answer and reads the clock, once a round trip; that one
 * reading serves the interval, the end of the run and the histogram, so there is no timer, no third
 * thread and no allocation in the loop. The peer (second CPU) only answers. Static, without locale:
 * the program goes into an initramfs. */
#include <errno.h>
#include <getopt.h>
#include <linux/futex.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runners/bench/context_switch/histogram.h"

enum { FORMAT_VERSION = 1 };
enum { EXIT_USAGE = 2 };
enum { CACHE_LINE = 128 }; /* the largest in use (POWER), and what x86 prefetches in pairs */

/* What is handed over; 0 means nothing is there. */
enum token { TOKEN_NONE, TOKEN_GO, TOKEN_STOP };

/* A word in memory that both sides see, alone on its cache line. */
struct mailbox {
	_Alignas(CACHE_LINE) atomic_uint token;
};

/* What both sides share, also when they are two processes. */
struct shared {
	struct mailbox box[2]; /* box[i] is what side i receives */
	_Alignas(CACHE_LINE) atomic_int peer_tid;
};

struct transport;

/* One side of the ping-pong with everything it touches in a turn. */
struct side {
	const struct transport *transport;
	int in, out;
	atomic_uint *box_in, *box_out;
	int futex_flag; /* FUTEX_PRIVATE_FLAG within one address space */
	uint64_t work_ns;
	bool fpu;
	unsigned char *memory;
	size_t memory_len;
};

struct transport {
	const char *name;
	const char *help;
	int (*open)(struct side side[2]);
	void (*send)(const struct side *side, enum token token);
	enum token (*receive)(const struct side *side);
};

struct settings {
	const struct transport *transport;
	bool processes;
	int cpu[2]; /* -1: not bound */
	double timeout, interval, warmup;
	uint64_t work_ns;
	size_t touch;
	bool fpu;
};

/* Set by the leader before it lets the peer end; read by the SIGCHLD handler, which has no context. */
static volatile sig_atomic_t peer_may_end;

/* --- errors ----------------------------------------------------------------------------------- */

static void fail(int status, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

static void fail(int status, const char *fmt, ...)
{
	va_list ap;

	fputs("context_switch: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	_exit(status); /* also from the peer: stdout holds whole lines only, nothing is lost */
}

static void fail_errno(const char *what) __attribute__((noreturn));

static void fail_errno(const char *what)
{
	fail(EXIT_FAILURE, "%s: %s", what, strerror(errno));
}

/* --- clock -------------------------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* --- ways to hand over -------------------------------------------------------------------------- */

static int open_pipe(struct side side[2])
{
	int there[2], back[2];

	if (pipe(there) || pipe(back))
		return -1;
	side[0].out = there[1];
	side[1].in = there[0];
	side[1].out = back[1];
	side[0].in = back[0];
	return 0;
}

static int open_unix(struct side side[2])
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		return -1;
	side[0].in = side[0].out = fd[0];
	side[1].in = side[1].out = fd[1];
	return 0;
}

static int no_delay(int fd)
{
	int on = 1;

	return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static int open_tcp(struct side side[2])
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t len = sizeof(addr);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int a = socket(AF_INET, SOCK_STREAM, 0), b;

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (listener < 0 || a < 0 || bind(listener, (struct sockaddr *)&addr, len) ||
		listen(listener, 1) || getsockname(listener, (struct sockaddr *)&addr, &len) ||
		connect(a, (struct sockaddr *)&addr, len))
		return -1;
	b = accept(listener, NULL, NULL);
	close(listener);
	if (b < 0 || no_delay(a) || no_delay(b))
		return -1;
	side[0].in = side[0].out = a;
	side[1].in = side[1].out = b;
	return 0;
}

static void send_byte(const struct side *side, enum token token)
{
	char byte = (char)token;

	if (write(side->out, &byte, 1) != 1)
		fail_errno("cannot send to the other side");
}

static enum token receive_byte(const struct side *side)
{
	char byte = 0;
	ssize_t n = read(side->in, &byte, 1);

	if (n < 0)
		fail_errno("cannot receive from the other side");
	if (!n)
		fail(EXIT_FAILURE, "the other side is gone");
	return (enum token)byte;
}

static int open_eventfd(struct side side[2])
{
	side[0].out = side[1].in = eventfd(0, 0);
	side[1].out = side[0].in = eventfd(0, 0);
	return side[0].out < 0 || side[0].in < 0 ? -1 : 0;
}

static void send_eventfd(const struct side *side, enum token token)
{
	uint64_t count = token;

	if (write(side->out, &count, sizeof(count)) != sizeof(count))
		fail_errno("cannot write to the eventfd");
}

static enum token receive_eventfd(const struct side *side)
{
	uint64_t count = 0;

	if (read(side->in, &count, sizeof(count)) != sizeof(count))
		fail_errno("cannot read from the eventfd");
	return (enum token)count;
}

static int open_memory(struct side side[2])
{
	(void)side; /* the mailboxes are there */
	return 0;
}

static void send_futex(const struct side *side, enum token token)
{
	atomic_store(side->box_out, token);
	if (syscall(SYS_futex, side->box_out, FUTEX_WAKE | side->futex_flag, 1, NULL, NULL, 0) < 0)
		fail_errno("cannot wake on the futex");
}

static enum token receive_futex(const struct side *side)
{
	unsigned int token;

	while (!(token = atomic_exchange(side->box_in, TOKEN_NONE))) {
		if (syscall(SYS_futex, side->box_in, FUTEX_WAIT | side->futex_flag, TOKEN_NONE,
			    NULL, NULL, 0) < 0 &&
			errno != EAGAIN && errno != EINTR)
			fail_errno("cannot wait on the futex");
	}
	return token;
}

static void send_yield(const struct side *side, enum token token)
{
	atomic_store(side->box_out, token);
}

static enum token receive_yield(const struct side *side)
{
	unsigned int token;

	while (!(token = atomic_exchange(side->box_in, TOKEN_NONE)))
		sched_yield();
	return token;
}

static const struct transport transports[] = {
	{ "pipe", "a byte through each of two pipes", open_pipe, send_byte, receive_byte },
	{ "eventfd", "two event counters", open_eventfd, send_eventfd, receive_eventfd },
	{ "futex", "two words in memory, futex wait and wake", open_memory, send_futex,
		receive_futex },
	{ "unix", "a byte through a pair of unix stream sockets", open_unix, send_byte,
		receive_byte },
	{ "tcp", "a byte through a loopback TCP connection (lo has to be up)", open_tcp, send_byte,
		receive_byte },
	{ "yield", "two words in memory, sched_yield() until it is there; on one CPU", open_memory,
		send_yield, receive_yield },
};

enum { N_TRANSPORTS = sizeof(transports) / sizeof(transports[0]) };

static const struct transport *transport_find(const char *name)
{
	size_t i;

	for (i = 0; i < N_TRANSPORTS; i++)
		if (!strcmp(transports[i].name, name))
			return &transports[i];
	return NULL;
}

/* --- the work of a turn --------------------------------------------------------------------------- */

/* Put live values into floating-point and vector registers, so that the kernel has them to save. */
static void use_fpu(void)
{
	typedef double vector __attribute__((vector_size(16)));
	vector v = { 1.5, 2.5 };

	__asm__ volatile("" : "+m"(v));
	v = v * v + v;
	__asm__ volatile("" : "+m"(v));
}

static void turn_work(const struct side *side)
{
	uint64_t start;
	size_t i;

	for (i = 0; i < side->memory_len; i += 64)
		((volatile unsigned char *)side->memory)[i]++;
	if (side->fpu)
		use_fpu();
	if (!side->work_ns)
		return;
	start = now_ns();
	while (now_ns() - start < side->work_ns)
		;
}

static void *peer_loop(void *arg)
{
	const struct side *side = arg;
	const struct transport *transport = side->transport;

	while (transport->receive(side) == TOKEN_GO) {
		turn_work(side);
		transport->send(side, TOKEN_GO);
	}
	return NULL;
}

/* Round trips for a time; Return: switches in a second, two a round trip. */
static double leader_loop(const struct side *side, uint64_t length_ns, struct histogram *h)
{
	const struct transport *transport = side->transport;
	uint64_t start = now_ns(), last = start, now, n = 0;

	do {
		turn_work(side);
		transport->send(side, TOKEN_GO);
		transport->receive(side);
		now = now_ns();
		hist_add(h, now - last);
		last = now;
		n++;
	} while (now - start < length_ns);
	return 2e9 * (double)n / (double)(now - start);
}

/* --- CPUs ------------------------------------------------------------------------------------------ */

static void bind_to(int cpu)
{
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);

	if (!set)
		fail_errno("cannot allocate a CPU mask");
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	if (sched_setaffinity(0, size, set))
		fail(EXIT_FAILURE,
			"cannot bind to CPU %d: %s; it has to exist, be online and be among the "
			"CPUs "
			"of this cgroup",
			cpu, strerror(errno));
	CPU_FREE(set);
}

/* A CPU that goes offline throws its tasks out, and the kernel widens their mask: seen here. */
static bool still_bound(pid_t tid, int cpu)
{
	enum { MAX_CPUS = 65536 };
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
	bool bound;

	if (!set)
		fail_errno("cannot allocate a CPU mask");
	CPU_ZERO_S(size, set);
	bound = !sched_getaffinity(tid, size, set) && CPU_COUNT_S(size, set) == 1 &&
		CPU_ISSET_S(cpu, size, set);
	CPU_FREE(set);
	return bound;
}

/* --- the peer, a thread or a process --------------------------------------------------------------- */

struct peer {
	const struct settings *settings;
	struct side *side;
	struct shared *shared;
	pthread_t thread;
	pid_t pid;
};

static void on_child(int sig)
{
	static const char text[] = "context_switch: the other process died\n";

	(void)sig;
	if (peer_may_end)
		return;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EXIT_FAILURE);
	_exit(EXIT_FAILURE);
}

static void *peer_main(void *arg)
{
	struct peer *peer = arg;

	atomic_store(&peer->shared->peer_tid, (int)syscall(SYS_gettid));
	return peer_loop(peer->side);
}

static void close_side(const struct side *side)
{
	if (side->in >= 0)
		close(side->in);
	if (side->out >= 0 && side->out != side->in)
		close(side->out);
}

/* The peer process keeps its own ends only, and never outlives the leader. */
static void start_process(struct peer *peer, const struct side side[2])
{
	struct sigaction action = { .sa_handler = on_child, .sa_flags = SA_RESTART | SA_NOCLDSTOP };
	bool ends_differ = side[0].in != side[1].out; /* an eventfd is one descriptor for both */
	pid_t leader = getpid();

	sigaction(SIGCHLD, &action, NULL);
	peer->pid = fork();
	if (peer->pid < 0)
		fail_errno("cannot start the second process");
	if (!peer->pid) {
		signal(SIGCHLD, SIG_DFL);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != leader)
			_exit(EXIT_FAILURE);
		if (ends_differ)
			close_side(&side[0]);
		peer_main(peer);
		_exit(EXIT_SUCCESS);
	}
	if (ends_differ)
		close_side(&side[1]);
}

/* Bind first, then make the peer: it inherits its CPU, and all that can fail fails before a number
 * is printed. */
static void peer_start(struct peer *peer, const struct side side[2])
{
	const struct settings *settings = peer->settings;

	if (settings->cpu[1] >= 0)
		bind_to(settings->cpu[1]);
	if (settings->processes) {
		start_process(peer, side);
	} else {
		errno = pthread_create(&peer->thread, NULL, peer_main, peer);
		if (errno)
			fail_errno("cannot start the second thread");
	}
	if (settings->cpu[0] >= 0)
		bind_to(settings->cpu[0]);
}

static void peer_stop(struct peer *peer, const struct side *leader)
{
	int status = 0;

	peer_may_end = 1;
	leader->transport->send(leader, TOKEN_STOP);
	if (!peer->settings->processes) {
		errno = pthread_join(peer->thread, NULL);
		if (errno)
			fail_errno("cannot end the second thread");
		return;
	}
	if (waitpid(peer->pid, &status, 0) != peer->pid || status)
		fail(EXIT_FAILURE, "the other process failed");
}

/* --- one run ---------------------------------------------------------------------------------------- */

static void side_init(struct side side[2], const struct settings *settings, struct shared *shared)
{
	int i;

	for (i = 0; i < 2; i++) {
		side[i] = (struct side){
			.transport = settings->transport,
			.in = -1,
			.out = -1,
			.box_in = &shared->box[i].token,
			.box_out = &shared->box[!i].token,
			.futex_flag = settings->processes ? 0 : FUTEX_PRIVATE_FLAG,
			.work_ns = settings->work_ns,
			.fpu = settings->fpu,
			.memory_len = settings->touch,
		};
		side[i].memory = calloc(1, settings->touch ? settings->touch : 1);
		if (!side[i].memory)
			fail_errno("cannot allocate the memory to touch");
	}
	if (settings->transport->open(side))
		fail(EXIT_FAILURE, "cannot open %s: %s%s", settings->transport->name,
			strerror(errno),
			!strcmp(settings->transport->name, "tcp") ? "; is the device lo up?" : "");
}

/* What one reading of the clock costs each round trip: the median of many. */
static uint64_t clock_cost_ns(void)
{
	struct histogram *h = calloc(1, sizeof(*h));
	uint64_t last = now_ns(), now, cost;
	int i;

	if (!h)
		fail_errno("cannot allocate the histogram");
	for (i = 0; i < 1001; i++) {
		now = now_ns();
		hist_add(h, now - last);
		last = now;
	}
	cost = (uint64_t)llround(hist_percentile(h, 50));
	free(h);
	return cost;
}

static void print_header(const struct settings *settings, double interval)
{
	printf("context_switch %d test=%s mode=%s ", FORMAT_VERSION, settings->transport->name,
		settings->processes ? "processes" : "threads");
	if (settings->cpu[0] < 0)
		printf("cpus=any ");
	else
		printf("cpus=%d,%d ", settings->cpu[0], settings->cpu[1]);
	printf("timeout=%g interval=%g warmup=%g work=%llu touch=%zu fpu=%d clock_read_ns=%llu\n",
		settings->timeout, interval, settings->warmup,
		(unsigned long long)settings->work_ns, settings->touch, settings->fpu,
		(unsigned long long)clock_cost_ns());
}

static void check_bound(const struct settings *settings, pid_t peer_tid)
{
	if (settings->cpu[0] < 0)
		return;
	if (!still_bound(0, settings->cpu[0]))
		fail(EXIT_FAILURE, "CPU %d was taken away during the run", settings->cpu[0]);
	if (!still_bound(peer_tid, settings->cpu[1]))
		fail(EXIT_FAILURE, "CPU %d was taken away during the run", settings->cpu[1]);
}

/* The run is cut into equal intervals of about the length asked for; time spent printing is in none
 * of them. */
static void measure(const struct settings *settings, struct peer *peer, const struct side *leader,
	struct histogram *h)
{
	long n = lround(settings->timeout / settings->interval), i;
	double length, rate;

	if (n < 1)
		n = 1;
	length = settings->timeout / (double)n;
	print_header(settings, length);
	if (settings->warmup > 0)
		leader_loop(leader, (uint64_t)(settings->warmup * 1e9), h);
	memset(h, 0, sizeof(*h));
	for (i = 1; i <= n; i++) {
		rate = leader_loop(leader, (uint64_t)(length * 1e9), h);
		printf("interval %ld switches_per_second %.1f\n", i, rate);
	}
	check_bound(settings, atomic_load(&peer->shared->peer_tid));
}

static void run(const struct settings *settings)
{
	struct shared *shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct histogram *h = calloc(1, sizeof(*h));
	struct side side[2];
	struct peer peer = { .settings = settings, .side = &side[1], .shared = shared };

	if (shared == MAP_FAILED || !h)
		fail_errno("cannot allocate memory");
	memset(h, 1, sizeof(*h)); /* real pages, before the loop */
	side_init(side, settings, shared);
	peer_start(&peer, side);
	measure(settings, &peer, &side[0], h);
	peer_stop(&peer, &side[0]);
	printf("round_trip_ns p50=%.0f p90=%.0f p99=%.0f max=%llu n=%llu\n", hist_percentile(h, 50),
		hist_percentile(h, 90), hist_percentile(h, 99), (unsigned long long)h->max,
		(unsigned long long)h->n);
	puts("end");
	if (fflush(stdout) || ferror(stdout))
		fail(EXIT_FAILURE, "cannot write the result");
	free(h);
	free(side[0].memory);
	free(side[1].memory);
	munmap(shared, sizeof(*shared));
}

/* --- command line ------------------------------------------------------------------------------------- */

static void print_help(void)
{
	size_t i;

	puts("Usage: context_switch [OPTION]... [CPU CPU]\n"
	     "Two tasks hand a token to and fro: each waits until the other has woken it.\n"
	     "\n"
	     "CPU CPU        bind the first task to the first CPU, the second to the second;\n"
	     "               the same CPU twice is fine; without CPUs the scheduler places them\n"
	     "--test=NAME    how the token is handed over:");
	for (i = 0; i < N_TRANSPORTS; i++)
		printf("                 %-8s %s\n", transports[i].name, transports[i].help);
	puts("--mode=MODE    threads (default): one address space; processes: two\n"
	     "--timeout=S    seconds to measure, fractions allowed (5)\n"
	     "--interval=S   length of an interval (1); the time is cut into equal intervals\n"
	     "               of about this length, at least one\n"
	     "--warmup=S     seconds to run before the measured time (0.1)\n"
	     "Work of each task in each turn, between receiving and sending:\n"
	     "--work=NS      spin for so many nanoseconds by the clock (0)\n"
	     "--touch=BYTES  read and write one byte in each 64 of so much private memory (0)\n"
	     "--fpu          use floating-point and vector registers, so that the kernel has\n"
	     "               them to switch\n"
	     "--help, --version\n"
	     "\n"
	     "Output, a line at a time:\n"
	     "  context_switch 1 test=pipe mode=threads cpus=0,1 ...\n"
	     "  interval 1 switches_per_second 31234.0\n"
	     "  round_trip_ns p50=31400 p90=40100 p99=60500 max=912345 n=15617\n"
	     "  end\n"
	     "A round trip counts as two switches, also where the tasks run on two CPUs and\n"
	     "each switches with the idle task. It lasts from one answer to the next, the work\n"
	     "of both included. Percentiles are the middle of a bucket, at most 0.4 % off.\n"
	     "Measuring costs one reading of the clock a round trip (clock_read_ns in the\n"
	     "first line; tens of ns, or a system call where the clock source needs one).\n"
	     "Output without its last line 'end' is no result.\n"
	     "\n"
	     "What it can show: --test=pipe 0 1 against 0 0: the price of a wakeup across\n"
	     "CPUs (IPI, idle exit) against one on the same CPU; pipe against futex: the price\n"
	     "of the file system layer; --mode=processes 0 0 against threads: switching the\n"
	     "address space; --touch: refilling the caches; --work: idle states entered while\n"
	     "the other works.\n"
	     "\n"
	     "Exit status: 0 done, 1 failed (a CPU that is offline, no loopback, ...), 2 usage;\n"
	     "a signal ends it at once, without the last two lines.");
}

static void usage(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void usage(const char *fmt, ...)
{
	va_list ap;

	fputs("context_switch: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs("; 'context_switch --help' explains\n", stderr);
	exit(EXIT_USAGE);
}

static double parse_number(const char *option, const char *text, double min, double max)
{
	char *end;
	double value;

	errno = 0;
	value = strtod(text, &end);
	if (end == text || *end || !isfinite(value) || value < min || value > max)
		usage("%s is '%s', but has to be a number from %g to %g", option, text, min, max);
	return value;
}

static long parse_whole(const char *option, const char *text, long max)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (end == text || *end || errno || value < 0 || value > max)
		usage("%s is '%s', but has to be a whole number from 0 to %ld", option, text, max);
	return value;
}

static void parse_test(struct settings *settings, const char *name)
{
	settings->transport = transport_find(name);
	if (!settings->transport)
		usage("there is no test '%s', only pipe, eventfd, futex, unix, tcp and yield",
			name);
}

static void parse_mode(struct settings *settings, const char *name)
{
	settings->processes = !strcmp(name, "processes");
	if (!settings->processes && strcmp(name, "threads"))
		usage("there is no mode '%s', only threads and processes", name);
}

static void parse_cpus(struct settings *settings, char **args, int n)
{
	int i;

	if (n && n != 2)
		usage("give two CPUs or none, not %d", n);
	for (i = 0; i < 2; i++)
		settings->cpu[i] = n ? (int)parse_whole("CPU", args[i], 65535) : -1;
	if (!strcmp(settings->transport->name, "yield") &&
		(!n || settings->cpu[0] != settings->cpu[1]))
		usage("--test=yield needs both tasks on one CPU: give the same CPU twice");
}

static void parse_option(struct settings *settings, int option, const char *text)
{
	switch (option) {
	case 't':
		parse_test(settings, text);
		break;
	case 'm':
		parse_mode(settings, text);
		break;
	case 's':
		settings->timeout = parse_number("--timeout", text, 0.001, 1e6);
		break;
	case 'i':
		settings->interval = parse_number("--interval", text, 0.001, 1e6);
		break;
	case 'w':
		settings->warmup = parse_number("--warmup", text, 0, 1e6);
		break;
	case 'k':
		settings->work_ns = (uint64_t)parse_whole("--work", text, 1000000000);
		break;
	case 'b':
		settings->touch = (size_t)parse_whole("--touch", text, 1 << 30);
		break;
	case 'f':
		settings->fpu = true;
		break;
	case 'h':
		print_help();
		exit(EXIT_SUCCESS);
	case 'v':
		printf("context_switch format %d, harnessd %s\n", FORMAT_VERSION, HARNESS_VERSION);
		exit(EXIT_SUCCESS);
	default:
		fputs("context_switch: 'context_switch --help' explains the options\n", stderr);
		exit(EXIT_USAGE);
	}
}

static void parse_args(struct settings *settings, int argc, char **argv)
{
	static const struct option options[] = {
		{ "test", required_argument, NULL, 't' },
		{ "mode", required_argument, NULL, 'm' },
		{ "timeout", required_argument, NULL, 's' },
		{ "interval", required_argument, NULL, 'i' },
		{ "warmup", required_argument, NULL, 'w' },
		{ "work", required_argument, NULL, 'k' },
		{ "touch", required_argument, NULL, 'b' },
		{ "fpu", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'v' },
		{ 0 },
	};
	int option;

	*settings = (struct settings){
		.transport = &transports[0],
		.timeout = 5,
		.interval = 1,
		.warmup = 0.1,
	};
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		parse_option(settings, option, optarg);
	parse_cpus(settings, argv + optind, argc - optind);
}

int main(int argc, char **argv)
{
	struct settings settings;

	/* A parent may have left these ignored; being stopped must always work, and never look like
	 * a finished run: the default action does both. */
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	parse_args(&settings, argc, argv);
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	run(&settings);
	return EXIT_SUCCESS;
}

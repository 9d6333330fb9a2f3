/* SPDX-License-Identifier: BSD-3-Clause */
/* A switch of TAP devices in the network namespaces of several processes, with two networks:
 * quick0 (10.99.0.x) as fast as this process, slow0 (10.99.1.x) with a delay and a rate for each
 * direction of each port. switch CONTROL DELAY_US RATE_MBIT PROCESS:X...
 *
 * Reads the text of the file CONTROL every 20 ms, words in any order:
 *   cut X     loses all frames from and to 10.99.1.x
 *   gone X    on both networks: the host has no power
 *   loss P    loses P percent of the frames on slow0 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { NETWORKS = 2, QUICK, SLOW = 1, HOSTS = 6, PORTS = NETWORKS * HOSTS, SLOTS = 512 };
enum { MTU = 9000, FRAME = MTU + 64, HEAD = 24 /* bytes of Ethernet between frames */ };

struct frame {
    double due;
    int bytes;
    unsigned char data[FRAME];
};

/* Frames to a port wait in a ring. A direction of its line is busy until `in_free`, `out_free`. */
struct port {
    int device, network, host;
    struct frame *ring;
    unsigned first, end;
    double in_free, out_free;
    unsigned char address[6];
    bool known, lost;
};

static struct port ports[PORTS];
static int port_count;
static double delay, byte, loss;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(bool done, const char *what)
{
    if (done)
        return;
    perror(what);
    exit(1);
}

/* Gives an interface of this namespace its address and MTU, and starts it. */
static void start(const char *name, const char *address, int mtu)
{
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    struct ifreq r = {0};
    struct sockaddr_in at = {.sin_family = AF_INET};
    strcpy(r.ifr_name, name);
    if (mtu) {
        r.ifr_mtu = mtu;
        must(!ioctl(s, SIOCSIFMTU, &r), "MTU");
        r.ifr_qlen = SLOTS;
        (void)!ioctl(s, SIOCSIFTXQLEN, &r); /* refused in a user namespace */
        inet_pton(AF_INET, address, &at.sin_addr);
        memcpy(&r.ifr_addr, &at, sizeof at);
        must(!ioctl(s, SIOCSIFADDR, &r), "address");
        inet_pton(AF_INET, "255.255.255.0", &at.sin_addr);
        memcpy(&r.ifr_netmask, &at, sizeof at);
        must(!ioctl(s, SIOCSIFNETMASK, &r), "mask");
    }
    r.ifr_flags = IFF_UP | IFF_RUNNING;
    must(!ioctl(s, SIOCSIFFLAGS, &r), "start of an interface");
    close(s);
}

static void open_port(int network, int host)
{
    static const char *const names[NETWORKS] = {"quick0", "slow0"};
    struct port *p = &ports[port_count++];
    struct ifreq r = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    char address[32];
    strcpy(r.ifr_name, names[network]);
    p->device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    must(p->device >= 0 && !ioctl(p->device, TUNSETIFF, &r), "TAP device");
    snprintf(address, sizeof address, "10.99.%d.%d", network, host);
    start(names[network], address, MTU);
    p->network = network;
    p->host = host;
    p->ring = malloc(SLOTS * sizeof *p->ring);
    must(p->ring != NULL, "memory");
}

static void open_host(const char *word)
{
    int process, host;
    char path[64];
    must(sscanf(word, "%d:%d", &process, &host) == 2, word);
    snprintf(path, sizeof path, "/proc/%d/ns/net", process);
    int space = open(path, O_RDONLY);
    must(space >= 0 && !setns(space, CLONE_NEWNET), path);
    close(space);
    start("lo", NULL, 0);
    for (int network = 0; network < NETWORKS; network++)
        open_port(network, host);
}

static void read_control(const char *path)
{
    char text[256] = "", *rest = text;
    FILE *file = fopen(path, "r");
    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
    }
    loss = 0;
    for (int i = 0; i < port_count; i++)
        ports[i].lost = false;
    for (char *word; (word = strsep(&rest, " \n"));) {
        if (!strcmp(word, "loss") && rest)
            loss = atof(rest);
        for (int i = 0; rest && i < port_count; i++)
            if (ports[i].host == atoi(rest) &&
                (!strcmp(word, "gone") || (!strcmp(word, "cut") && ports[i].network == SLOW)))
                ports[i].lost = true;
    }
}

/* Writes the frames of a port that are due. Returns when the next one is. */
static double deliver(struct port *p, double next)
{
    for (; p->first != p->end; p->first++) {
        struct frame *f = &p->ring[p->first % SLOTS];
        if (f->due > now())
            return f->due < next ? f->due : next;
        if (!p->lost && write(p->device, f->data, (size_t)f->bytes) < 0 && errno == EAGAIN)
            return next; /* the receiver's queue is full: at the next turn */
    }
    return next;
}

static void append(struct port *to, double due, const unsigned char *data, int bytes)
{
    if (to->end - to->first == SLOTS)
        return; /* a full switch loses frames */
    struct frame *f = &to->ring[to->end++ % SLOTS];
    f->due = due;
    f->bytes = bytes;
    memcpy(f->data, data, (size_t)bytes);
}

/* A frame leaves over its port's line, and arrives over that of its receiver; both have the rate.
 */
static void forward(struct port *from, const unsigned char *data, int bytes)
{
    double t = now(), line = from->network == SLOW ? (bytes + HEAD) * byte : 0;
    memcpy(from->address, data + 6, 6);
    from->known = true;
    if (from->lost || (from->network == SLOW && loss > 0 && drand48() * 100 < loss))
        return;
    from->out_free = (from->out_free > t ? from->out_free : t) + line;
    double arrives = from->out_free + (from->network == SLOW ? delay : 0);
    for (struct port *to = ports; to < ports + port_count; to++) {
        bool all = data[0] & 1 || !to->known;
        if (to == from || to->network != from->network || to->lost ||
            (!all && memcmp(to->address, data, 6) != 0))
            continue;
        to->in_free = arrives > to->in_free + line ? arrives : to->in_free + line;
        append(to, to->in_free, data, bytes);
    }
}

/* Takes what a port sends: at most 32 frames, so that others have their turn. */
static void take(struct port *p)
{
    static unsigned char data[FRAME];
    for (int i = 0; i < 32; i++) {
        ssize_t bytes = read(p->device, data, sizeof data);
        if (bytes < 0 && errno != EAGAIN)
            p->device = -1; /* the host has ended */
        if (bytes <= 14)
            return;
        forward(p, data, (int)bytes);
    }
}

int main(int argc, char **argv)
{
    must(argc > 4, "arguments");
    delay = atof(argv[2]) * 1e-6;
    byte = 8 / (atof(argv[3]) * 1e6);
    for (int i = 4; i < argc; i++)
        open_host(argv[i]);
    prctl(PR_SET_TIMERSLACK, 1000UL);
    fprintf(stderr, "up\n");
    for (double look = 0;;) {
        double next = now() + 0.02;
        struct pollfd polled[PORTS];
        if (now() > look) {
            read_control(argv[1]);
            look = now() + 0.02;
        }
        for (int i = 0; i < port_count; i++) {
            next = deliver(&ports[i], next);
            polled[i] = (struct pollfd){.fd = ports[i].device, .events = POLLIN};
        }
        double wait = next - now();
        struct timespec t = {0, wait > 0 ? (long)(wait * 1e9) : 0};
        if (ppoll(polled, (nfds_t)port_count, &t, NULL) <= 0)
            continue;
        for (int i = 0; i < port_count; i++)
            if (polled[i].revents)
                take(&ports[i]);
    }
}

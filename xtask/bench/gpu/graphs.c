/* Writes a graph to standard output, for graph codes of other projects.
 *
 *     gcc -O2 graphs.c -o graphs
 *     ./graphs rmat SCALE DEGREE FORMAT       2^SCALE vertices, DEGREE * 2^SCALE edges drawn (R-MAT 57/19/19/5)
 *     ./graphs grid WIDTH HEIGHT FORMAT       a grid, as roads are: few edges at each vertex, and long paths
 *
 * Graphs are undirected, without loops and without parallel edges, and each edge has a weight from 1 to 100. They are the same
 * in each run. Formats:
 *
 *     mtx      Matrix Market, symmetric, integer (Gunrock)
 *     gr       binary, version 1, 32-bit weights (Galois)
 *     rodinia  text: first edge and degree of each vertex, the source 0, targets and weights (Rodinia's bfs)
 *     scor     text: numbers of vertices and edges, each edge once (ScoR) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t vertices;
    uint64_t edges; /* each direction counts */
    uint64_t *first;
    uint32_t *target;
} Graph;

typedef struct {
    uint32_t from, to;
} Edge;

/* A number that looks random (splitmix64). */
static uint64_t mixed(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static unsigned weight(uint32_t a, uint32_t b) {
    return 1 + mixed((uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a)) % 100;
}

static void *memory(uint64_t count, size_t size) {
    void *out = calloc(count, size);
    if (!out) exit((fprintf(stderr, "there is not enough memory\n"), 1));
    return out;
}

static Edge drawn(uint64_t number, int scale) {
    Edge edge = {0, 0};
    for (int bit = 0; bit < scale; bit++) {
        unsigned part = mixed(number * 64 + bit) % 100;
        edge.from = edge.from << 1 | (part >= 76);
        edge.to = edge.to << 1 | ((part >= 57 && part < 76) || part >= 95);
    }
    return edge;
}

static Edge *rmat(int scale, int degree, uint64_t *count) {
    *count = (uint64_t)degree << scale;
    Edge *edges = memory(*count, sizeof *edges);
    for (uint64_t i = 0; i < *count; i++) edges[i] = drawn(i, scale);
    return edges;
}

static Edge *grid(uint32_t width, uint32_t height, uint64_t *count) {
    Edge *edges = memory(2 * (uint64_t)width * height, sizeof *edges);
    *count = 0;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t here = y * width + x;
            if (x + 1 < width) edges[(*count)++] = (Edge){here, here + 1};
            if (y + 1 < height) edges[(*count)++] = (Edge){here, here + width};
        }
    return edges;
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Both directions of each edge, by vertex, without loops and without an edge twice. */
static Graph rows(uint32_t vertices, const Edge *edges, uint64_t count) {
    Graph out = {vertices, 0, memory(vertices + 1ull, sizeof(uint64_t)), memory(2 * count, sizeof(uint32_t))};
    uint64_t *end = memory(vertices + 1ull, sizeof *end);
    for (uint64_t i = 0; i < count; i++) end[edges[i].from + 1]++, end[edges[i].to + 1]++;
    for (uint32_t v = 0; v < vertices; v++) end[v + 1] += end[v];
    memcpy(out.first, end, (vertices + 1ull) * sizeof *end);
    for (uint64_t i = 0; i < count; i++) {
        out.target[end[edges[i].from]++] = edges[i].to;
        out.target[end[edges[i].to]++] = edges[i].from;
    }
    for (uint32_t v = 0; v < vertices; v++) {
        uint64_t begin = out.first[v], behind = end[v];
        qsort(out.target + begin, behind - begin, sizeof *out.target, ascending);
        out.first[v] = out.edges;
        for (uint64_t i = begin; i < behind; i++) {
            uint32_t to = out.target[i];
            if (to != v && (out.edges == out.first[v] || out.target[out.edges - 1] != to)) out.target[out.edges++] = to;
        }
    }
    out.first[vertices] = out.edges;
    free(end);
    return out;
}

/* Each edge once, the larger vertex first. */
static void write_edges(const Graph *graph, int base, int weights) {
    for (uint32_t v = 0; v < graph->vertices; v++)
        for (uint64_t i = graph->first[v]; i < graph->first[v + 1] && graph->target[i] < v; i++) {
            printf("%u %u", v + base, graph->target[i] + base);
            if (weights) printf(" %u", weight(v, graph->target[i]));
            putchar('\n');
        }
}

static void write_gr(const Graph *graph) {
    uint64_t head[4] = {1, sizeof(uint32_t), graph->vertices, graph->edges};
    fwrite(head, sizeof *head, 4, stdout);
    fwrite(graph->first + 1, sizeof *graph->first, graph->vertices, stdout);
    fwrite(graph->target, sizeof *graph->target, graph->edges + graph->edges % 2, stdout);
    for (uint32_t v = 0; v < graph->vertices; v++)
        for (uint64_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            uint32_t w = weight(v, graph->target[i]);
            fwrite(&w, sizeof w, 1, stdout);
        }
}

static void write_rodinia(const Graph *graph) {
    printf("%u\n", graph->vertices);
    for (uint32_t v = 0; v < graph->vertices; v++)
        printf("%llu %llu\n", (unsigned long long)graph->first[v], (unsigned long long)(graph->first[v + 1] - graph->first[v]));
    printf("\n0\n\n%llu\n", (unsigned long long)graph->edges);
    for (uint32_t v = 0; v < graph->vertices; v++)
        for (uint64_t i = graph->first[v]; i < graph->first[v + 1]; i++)
            printf("%u %u\n", graph->target[i], weight(v, graph->target[i]));
}

static int write_as(const Graph *graph, const char *format) {
    unsigned long long once = graph->edges / 2;
    if (!strcmp(format, "mtx")) {
        printf("%%%%MatrixMarket matrix coordinate integer symmetric\n%u %u %llu\n", graph->vertices, graph->vertices, once);
        write_edges(graph, 1, 1);
    } else if (!strcmp(format, "scor")) {
        printf("%u %llu\n", graph->vertices, once);
        write_edges(graph, 0, 0);
    } else if (!strcmp(format, "gr")) {
        write_gr(graph);
    } else if (!strcmp(format, "rodinia")) {
        write_rodinia(graph);
    } else {
        return 0;
    }
    return fflush(stdout) == 0;
}

int main(int count, char **words) {
    int first = count == 5 ? atoi(words[2]) : 0, second = count == 5 ? atoi(words[3]) : 0;
    int is_rmat = count == 5 && !strcmp(words[1], "rmat");
    if (first < 1 || second < 1 || (is_rmat && first > 26) || (!is_rmat && strcmp(words[1], "grid"))) {
        fprintf(stderr, "usage: %s rmat SCALE DEGREE | grid WIDTH HEIGHT, then mtx, gr, rodinia or scor\n", words[0]);
        return 2;
    }
    uint64_t edges;
    Edge *drawn_edges = is_rmat ? rmat(first, second, &edges) : grid(first, second, &edges);
    Graph graph = rows(is_rmat ? 1u << first : (uint32_t)first * second, drawn_edges, edges);
    free(drawn_edges);
    fprintf(stderr, "%u vertices, %llu edges\n", graph.vertices, (unsigned long long)graph.edges);
    return write_as(&graph, words[4]) ? 0 : 1;
}

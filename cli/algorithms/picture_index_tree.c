/* SPDX-License-Identifier: BSD-3-Clause */
/* The index tree (Stelz 2022, figures 2.1, 2.2 and B.5): elements in a row, the node above two
 * subtrees, and the edges whose ends lie on two ranks. A node has the rank of its first element. */
#include <stdlib.h>
#include <string.h>

#include "cli/algorithms/picture.h"
#include "cli/output/text.h"
#include "cli/plot/svg.h"
#include "cli/plot/svg_shapes.h"
#include "cli/plot/svg_style.h"
#include "lab/index_tree/distribution.h"

enum { MARGIN = 36, HEAD = 62, ROW = 44, WIDEST = 48, LEAST_WIDTH = 620 };
static const char sent[] = "#d55e00", stays[] = "#222";
static const char *const fills[] = {"#e8f1fa", "#ffd27f"}; /* of ranks in turn */

/* A leaf, or a node with two children. Numbers are of the list; -1: no child. */
struct node {
    int level, first, end, rank, left, right;
    double x;
};

struct index_tree {
    int ranks, elements, count, messages;
    uint64_t starts[PICTURE_MOST_RANKS + 1];
    struct node node[2 * PICTURE_MOST_ELEMENTS];
};

/* The subtree of `level` at element `first`; one without a right half is its left half. */
static int add(struct index_tree *tree, int first, int level)
{
    while (level && first + (1 << (level - 1)) >= tree->elements)
        level--;
    const int end = first + (1 << level);
    struct node node = {.level = level,
                        .first = first,
                        .end = end < tree->elements ? end : tree->elements,
                        .rank = summand__rank_of_index(tree->starts, tree->ranks, (uint64_t)first),
                        .left = -1,
                        .right = -1,
                        .x = first + 0.5};
    if (level) {
        node.left = add(tree, first, level - 1);
        node.right = add(tree, first + (1 << (level - 1)), level - 1);
        node.x = (tree->node[node.left].x + tree->node[node.right].x) / 2;
        tree->messages += tree->node[node.right].rank != node.rank;
    }
    tree->node[tree->count] = node;
    return tree->count++;
}

static struct index_tree *grow(int ranks, int elements)
{
    struct index_tree *tree = malloc(sizeof *tree);
    if (!tree)
        return NULL;
    *tree = (struct index_tree){.ranks = ranks, .elements = elements};
    summand__distribution(SUMMAND__EVEN_LOWER, 0, (uint64_t)elements, ranks, tree->starts);
    int level = 0;
    while (1 << level < elements)
        level++;
    add(tree, 0, level);
    return tree;
}

struct paper {
    double column, base; /* width of an element; height of the row of elements */
};

static double x_of(const struct paper *paper, double x)
{
    return MARGIN + paper->column * x;
}

static double y_of(const struct paper *paper, const struct node *node)
{
    return paper->base - ROW * node->level;
}

static void draw_edges(const struct index_tree *tree, const struct paper *paper, FILE *out)
{
    for (int i = 0; i < tree->count; i++) {
        const struct node *node = &tree->node[i];
        const int children[] = {node->left, node->right};
        for (int c = 0; c < 2 && node->level; c++) {
            const struct node *child = &tree->node[children[c]];
            const double x = x_of(paper, child->x), y = y_of(paper, child);
            if (child->rank != node->rank)
                svg_arrow(out, x, y, x_of(paper, node->x), y_of(paper, node), sent, 1.8, 7);
            else
                svg_line(out, x, y, x_of(paper, node->x), y_of(paper, node), stays, 1);
        }
    }
}

static void draw_nodes(const struct index_tree *tree, const struct paper *paper, FILE *out)
{
    const double width = paper->column * 0.9;
    for (int i = 0; i < tree->count; i++) {
        const struct node *node = &tree->node[i];
        const double x = x_of(paper, node->x), y = y_of(paper, node);
        const char *fill = fills[node->rank % 2];
        if (node->level) {
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\" stroke=\"#222\"/>\n",
                    x, y, fill);
            continue;
        }
        char number[16];
        snprintf(number, sizeof number, "%d", node->first);
        svg_box(out, x - width / 2, y - 9, width, 18, fill, stays);
        if (paper->column >= 20 || node->first % 4 == 0)
            svg_text(out, x, y + 4,
                     paper->column >= 20 ? "text-anchor=\"middle\" font-size=\"10\""
                                         : "text-anchor=\"middle\" font-size=\"8\"",
                     number);
    }
}

/* Names below the elements, as many as have room. */
static void draw_ranks(const struct index_tree *tree, const struct paper *paper, FILE *out)
{
    double free_from = 0;
    for (int r = 0; r < tree->ranks; r++) {
        const double from = (double)tree->starts[r], to = (double)tree->starts[r + 1];
        char name[32];
        snprintf(name, sizeof name, "rank %d", r);
        const double x = x_of(paper, (from + to) / 2), half = svg_text_width(name, 12) / 2;
        if (from == to)
            continue;
        svg_line(out, x_of(paper, from) + 2, paper->base + 16, x_of(paper, to) - 2,
                 paper->base + 16, stays, 1);
        if (x - half < free_from)
            continue;
        svg_text(out, x, paper->base + 32, "text-anchor=\"middle\" font-size=\"12\"", name);
        free_from = x + half + 6;
    }
}

bool picture_index_tree(int ranks, int elements, FILE *out)
{
    struct index_tree *tree = grow(ranks, elements);
    if (!tree)
        return false;
    const int height = tree->node[tree->count - 1].level;
    double column = (SVG_PAGE - 2.0 * MARGIN) / elements;
    column = column < WIDEST ? column : WIDEST;
    const struct paper paper = {column, HEAD + 16 + ROW * height};
    double width = 2 * MARGIN + column * elements;
    width = width > LEAST_WIDTH ? width : LEAST_WIDTH;
    char title[96], note[160];
    snprintf(title, sizeof title, "Index tree of %d element%s on %d rank%s", elements,
             text_plural(elements), ranks, text_plural(ranks));
    snprintf(note, sizeof note,
             "the tree has no ranks in it; orange: %d value%s that a rank sends to another",
             tree->messages, text_plural(tree->messages));
    svg_begin(out, width, paper.base + 48, title);
    svg_heading(out, MARGIN, 24, width - 2 * MARGIN, title);
    svg_note(out, MARGIN, 42, width - 2 * MARGIN, note);
    draw_edges(tree, &paper, out);
    draw_nodes(tree, &paper, out);
    draw_ranks(tree, &paper, out);
    svg_end(out);
    free(tree);
    return true;
}

json_t *picture_index_tree_json(int ranks, int elements)
{
    struct index_tree *tree = grow(ranks, elements);
    if (!tree)
        return NULL;
    json_t *list = json_array();
    for (int i = 0; i < tree->count; i++) {
        const struct node *node = &tree->node[i];
        if (node->level)
            json_array_append_new(list,
                                  json_make("iiiii", "level", node->level, "first", node->first,
                                            "elements", node->end - node->first, "rank", node->rank,
                                            "from", tree->node[node->right].rank));
    }
    free(tree);
    return list;
}

#include "schedule/model.h"

enum summand__reach summand__model_reach(const struct summand__model *model, int a, int b)
{
    int per_node = (int)model->per_node, per_switch = (int)model->per_switch;
    int node_a = a / per_node, node_b = b / per_node;
    if (node_a == node_b)
        return SUMMAND__WITHIN_NODE;
    return !per_switch || node_a / per_switch == node_b / per_switch ? SUMMAND__NETWORK
                                                                     : SUMMAND__FAR;
}

#define BASELINE(name) baseline_plain_##name
#include "baseline.inc.h"

#define BASELINE(name) baseline_plain_##name
#include "bench/baseline.inc.h"

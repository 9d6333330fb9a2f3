#define BASELINE(name) baseline_fast_##name
#include "bench/baseline.inc.h"

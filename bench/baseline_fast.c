#define BASELINE(name) baseline_fast_##name
#include "baseline.inc.h"

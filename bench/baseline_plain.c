#include "bench/baseline.h"

#define BASELINE(name) baseline_plain_##name
#define BASELINE_STORAGE
#include "bench/baseline.inc.h"

// `reduce` is with the groups.
#pragma once
#include "../cooperative_groups.h"

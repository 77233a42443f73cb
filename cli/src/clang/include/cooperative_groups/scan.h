// Scans (CUDA C++ Programming Guide, "Cooperative Groups", "inclusive_scan and exclusive_scan").
#pragma once
#define _COOPERATIVE_GROUPS_SCAN_H
#include "../cooperative_groups.h"
#include "details/collectives.h"

// The header under the name that older programs include.
#pragma once
#include <cusparse.h>

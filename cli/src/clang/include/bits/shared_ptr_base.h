// libstdc++ writes an attribute `__noinline__`, which before clang 15 is a macro of CUDA's: it is not there meanwhile.
#pragma once
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")

// The names that narrow_types.h and narrow_functions.h are included with end here.
#undef __warpsim_T
#undef __warpsim_One
#undef __warpsim_Two
#undef __warpsim_Other
#undef __warpsim_One_raw
#undef __warpsim_Two_raw
#undef __warpsim_F
#undef __warpsim_atomics_from
#undef __warpsim_tanh_from
#undef __warpsim_no_conversions
#undef __warpsim_no_operators
#undef __warpsim_no_operators2
#undef __warpsim_twice_name

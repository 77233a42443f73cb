// What the groups ask of types, without <type_traits>: NVRTC has no headers of the standard
// library.
#pragma once
#ifndef __CUDACC_RTC__
#include <type_traits>
#endif

namespace cooperative_groups {
namespace __v1 {
namespace __warpsim {

template <class T> struct bare {
    typedef T type;
};
template <class T> struct bare<T &> {
    typedef T type;
};
template <class T> struct bare<T &&> {
    typedef T type;
};
template <class T> struct bare<const T> {
    typedef T type;
};
template <class T> struct bare<const T &> {
    typedef T type;
};
template <class T> struct bare<const T &&> {
    typedef T type;
};
// The type of a value that is given by reference.
template <class T> using bare_t = typename bare<T>::type;

template <class A, class B> struct is_same {
    static constexpr bool value = false;
};
template <class T> struct is_same<T, T> {
    static constexpr bool value = true;
};

// Labels are integers or pointers. An enumeration is neither.
template <class T> struct is_label {
    static constexpr bool value = false;
};
template <class T> struct is_label<T *> {
    static constexpr bool value = true;
};
#define __warpsim_label(T)                                                                         \
    template <> struct is_label<T> {                                                               \
        static constexpr bool value = true;                                                        \
    };
__warpsim_label(bool)
__warpsim_label(char)
__warpsim_label(signed char)
__warpsim_label(unsigned char)
__warpsim_label(wchar_t)
__warpsim_label(char16_t)
__warpsim_label(char32_t)
__warpsim_label(short)
__warpsim_label(unsigned short)
__warpsim_label(int)
__warpsim_label(unsigned)
__warpsim_label(long)
__warpsim_label(unsigned long)
__warpsim_label(long long)
__warpsim_label(unsigned long long)
#undef __warpsim_label

} // namespace __warpsim
} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

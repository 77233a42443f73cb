// What a host compiler has to be. Here it is any that compiles these headers: gcc or clang.
#if !defined(__HOST_CONFIG_H__)
#define __HOST_CONFIG_H__
#if !defined(__GNUC__)
#error "these headers are for gcc and clang"
#endif
#endif

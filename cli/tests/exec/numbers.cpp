// The number types of the headers in plain C++: each line compares with a number that is written out.
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <math_constants.h>
#include <cstdio>
#include <type_traits>

static int wrong = 0;
static void same(double got, double want) { wrong += !(got == want); }

int main() {
    __half h = 1.5f;
    h = h * h + __half(1);
    same((float)h, 3.25);
    same((float)__hdiv(h, __float2half(2.0f)), 1.625);
    same(__half_as_ushort(__float2half_rn(65519.0f)), 0x7bff);
    same(__half_as_ushort(__float2half_rn(65520.0f)), 0x7c00);
    same(__half_as_ushort(__ll2half_rd(4097)), 0x6c00);
    same(__half2int_rz(__half(-2.75f)), -2);
    same(__hmax(h, __half(7)) > h, 1);
    __nv_bfloat16 b(h);
    same((float)(b - __nv_bfloat16(0.25f)), 3);
    same(__bfloat16_as_ushort(__double2bfloat16(1.00390625)), 0x3f80);
    __half2 pair = __floats2half2_rn(1, 2);
    pair += pair;
    same(__high2float(pair), 4);
    same(sizeof(__half) + sizeof(__half2) + alignof(__half2) + alignof(__nv_bfloat16), 12);
    same(std::is_trivially_copyable<__half2>::value && std::is_trivially_default_constructible<__half>::value, 1);
    same((float)__nv_fp8_e4m3(1.3f), 1.25);
    same((float)__nv_fp8_e5m2(1e9f), 57344);
    same((float)__nv_fp6_e2m3(7.6f), 7.5);
    same((float)__nv_fp4_e2m1(2.5f), 2);
    cuDoubleComplex z = cuCmul(make_cuDoubleComplex(3, 4), make_cuDoubleComplex(1, -1));
    same(cuCreal(z), 7);
    same(cuCabsf(make_cuFloatComplex(3e30f, 4e30f)) / 1e30f, 5);
    same(CUDART_PI_HI + CUDART_PI_LO, CUDART_PI);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}

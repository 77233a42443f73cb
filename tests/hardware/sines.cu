// The sine and the cosine of a double, a point a thread, as the compiler puts them inline: polynomials after a short reduction
// of the argument, and beyond 105615 a long one with 1152 bits of 2/pi.
extern "C" __global__ void sines(const double *x, double *s, double *c, double *both)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    s[i] = sin(x[i]);
    c[i] = cos(x[i]);
    both[i] = sin(x[i]) * cos(x[i]) + 1.0;
}

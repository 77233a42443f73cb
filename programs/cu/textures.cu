// A picture is turned by an angle through a texture, whose filter mixes four texels, into a surface, in which the same kernel then
// looks for the brightest texel of each row. With RACY it does not wait for the others before it looks.
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int size = 32;

__global__ void turn(cudaTextureObject_t from, cudaSurfaceObject_t to, float cosine, float sine, float *brightest)
{
    int x = threadIdx.x, y = blockIdx.x;
    float u = x + 0.5f - size / 2, v = y + 0.5f - size / 2;
    float value = tex2D<float>(from, u * cosine - v * sine + size / 2, u * sine + v * cosine + size / 2);
    surf2Dwrite(value, to, x * (int)sizeof(float), y);
#ifndef RACY
    __syncthreads();
#endif
    if (x != 0)
        return;
    float most = 0;
    for (int i = 0; i < size; i++)
        most = fmaxf(most, surf2Dread<float>(to, i * (int)sizeof(float), y)); // RACE
    brightest[y] = most;
}

// The same on the host: the texel at (i, j) covers the square that begins there, and texels outside are zero. Weights have 8 bits.
float looked_up(const std::vector<float> &picture, float x, float y)
{
    float i = std::floor(x - 0.5f), j = std::floor(y - 0.5f);
    float a = std::round((x - 0.5f - i) * 256) / 256, b = std::round((y - 0.5f - j) * 256) / 256;
    auto texel = [&](float i, float j) {
        bool is_inside = i >= 0 && i < size && j >= 0 && j < size;
        return is_inside ? picture[(int)j * size + (int)i] : 0.0f;
    };
    float upper = (1 - a) * texel(i, j) + a * texel(i + 1, j), lower = (1 - a) * texel(i, j + 1) + a * texel(i + 1, j + 1);
    return (1 - b) * upper + b * lower;
}

int main()
{
    std::vector<float> picture(size * size), turned(size * size), brightest(size);
    for (int i = 0; i < size * size; i++)
        picture[i] = (float)(i * 7 % 64);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t from, to;
    cudaMallocArray(&from, &format, size, size);
    cudaMallocArray(&to, &format, size, size, cudaArraySurfaceLoadStore);
    size_t row = size * sizeof(float);
    cudaMemcpy2DToArray(from, 0, 0, picture.data(), row, row, size, cudaMemcpyHostToDevice);
    cudaResourceDesc of = {};
    of.resType = cudaResourceTypeArray;
    of.res.array.array = from;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
    how.filterMode = cudaFilterModeLinear;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    cudaCreateTextureObject(&texture, &of, &how, nullptr);
    of.res.array.array = to;
    cudaCreateSurfaceObject(&surface, &of);
    float *on_device;
    cudaMalloc(&on_device, row);
    float cosine = 0.8f, sine = 0.6f;
    turn<<<size, size>>>(texture, surface, cosine, sine, on_device);
    cudaMemcpy2DFromArray(turned.data(), row, to, 0, 0, row, size, cudaMemcpyDeviceToHost);
    cudaMemcpy(brightest.data(), on_device, row, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < size; y++) {
        float most = 0;
        for (int x = 0; x < size; x++) {
            float u = x + 0.5f - size / 2, v = y + 0.5f - size / 2;
            float wanted = looked_up(picture, u * cosine - v * sine + size / 2, u * sine + v * cosine + size / 2);
            // The weight of a texel is a multiple of 1/256 on both sides, and may be the next one.
            wrong += std::fabs(turned[y * size + x] - wanted) > 0.6f;
            most = std::fmax(most, turned[y * size + x]);
        }
        wrong += brightest[y] != most;
    }
    cudaDestroyTextureObject(texture);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(from);
    cudaFreeArray(to);
    cudaFree(on_device);
    std::printf("a picture of %d x %d was turned: %d texels are wrong\n", size, size, wrong);
    return wrong != 0;
}

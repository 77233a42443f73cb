"""Arguments of kernels: numpy arrays, numbers and bytes, as the native part takes them."""

import struct

import numpy

from .errors import LaunchError

# The types of cells that checks know; arrays of others are bytes to them.
_CELLS = {
    "uint8": "u8", "int8": "i8", "uint16": "u16", "int16": "i16", "uint32": "u32", "int32": "i32",
    "uint64": "u64", "int64": "i64", "float16": "f16", "float32": "f32", "float64": "f64",
    "bool": "u8",
}
_FLOATS = {"f32": "<f", "f64": "<d", "f16": "<e"}


def _array(value):
    """The array that shares memory with a value; None where it has none."""
    if isinstance(value, numpy.ndarray):
        return value
    if isinstance(value, (bytes, int, float, numpy.generic)):
        return None
    if hasattr(value, "__array_interface__") or hasattr(value, "__array__"):
        array = numpy.asarray(value)
        return array if array.ndim else None
    try:
        return numpy.asarray(memoryview(value))
    except TypeError:
        return None


def _number(value, ty, size, where):
    kind = type(value).__name__
    is_float = isinstance(value, (float, numpy.floating))
    is_whole = isinstance(value, (bool, int, numpy.integer, numpy.bool_))
    if not is_float and not is_whole:
        raise LaunchError(f"{where} is a .{ty} and cannot take a {kind}: give a number, or a numpy "
                          "array for a pointer")
    if ty in _FLOATS:
        try:
            return struct.pack(_FLOATS[ty], float(value))
        except OverflowError:
            raise LaunchError(f"{where} is a .{ty}, and {value} is too large for it") from None
    if is_float and not ty.startswith("b"):
        raise LaunchError(f"{where} is a .{ty} and cannot take the float {value}")
    if is_float:
        return struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], float(value))
    least = -(1 << (8 * size - 1))
    if not least <= int(value) < (1 << (8 * size)):
        raise LaunchError(f"{where} is a .{ty}, and {value} does not fit in it")
    return (int(value) & ((1 << (8 * size)) - 1)).to_bytes(size, "little")


def given(parameters, arguments):
    """The arguments for the native part, and the arrays among them (None for the others)."""
    if len(parameters) != len(arguments):
        raise LaunchError(f"the kernel has {len(parameters)} parameters, and "
                          f"{len(arguments)} arguments were given")
    all_given, arrays = [], []
    for number, ((ty, size, is_struct), value) in enumerate(zip(parameters, arguments)):
        where = f"parameter {number}"
        array = None if is_struct else _array(value)
        arrays.append(array)
        if array is not None:
            if size != 8 or ty in _FLOATS:
                raise LaunchError(f"{where} is a .{ty} and cannot take an array")
            if array.dtype.hasobject:
                raise LaunchError(f"{where}: an array of {array.dtype} has no bytes for a kernel")
            order = array.dtype.newbyteorder("<")
            data = numpy.ascontiguousarray(array, dtype=order).tobytes()
            all_given.append((_CELLS.get(array.dtype.name), data))
        elif isinstance(value, (bytes, bytearray, numpy.void)):
            data = value.tobytes() if isinstance(value, numpy.void) else bytes(value)
            if len(data) != size:
                raise LaunchError(f"{where} has {size} bytes, and {len(data)} were given")
            all_given.append(data)
        elif is_struct:
            raise LaunchError(f"{where} is a struct of {size} bytes: give them as bytes")
        else:
            all_given.append(_number(value, ty, size, where))
    return all_given, arrays


def take_back(arrays, left):
    """Writes what a launch left to the arrays that can be written; gives all of them."""
    results = []
    for array, data in zip(arrays, left):
        if array is None:
            continue
        made = numpy.frombuffer(data, dtype=array.dtype.newbyteorder("<")).reshape(array.shape)
        if array.flags.writeable:
            array[...] = made
        results.append(made)
    return tuple(results)

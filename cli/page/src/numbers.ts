// Bits as people read them: hex, and the value of a type. Types are named as in PTX.
// Where a register only says how wide it is (`b32`), the instruction's own type is taken.

const TYPE = /^(?:[subf](?:8|16|32|64|128)|bf16|tf32|f16x2|bf16x2|pred)$/;

/** The number of bits of a type, or 0. */
export function widthOf(type: string): number {
  if (type === "pred") return 1;
  if (type === "f16x2" || type === "bf16x2" || type === "tf32") return 32;
  const digits = /(\d+)$/.exec(type);
  return digits ? Number(digits[1]) : 0;
}

/** The types that an instruction names. */
export function typesOf(op: string): string[] {
  return op.split(".").filter((part) => TYPE.test(part));
}

/** The type in which a register of an instruction is shown. */
export function shownType(op: string, type: string, isWritten: boolean): string {
  if (!/^b\d+$/.test(type)) return type;
  const width = widthOf(type);
  const fitting = typesOf(op).filter((named) => widthOf(named) === width && !named.startsWith("b"));
  if (fitting.length === 0) return `u${width}`;
  return isWritten ? fitting[0] : fitting[fitting.length - 1];
}

const view = new DataView(new ArrayBuffer(8));

/** The bits in hex, all digits of the type. */
export function hex(bits: bigint, type: string): string {
  const digits = Math.max(1, Math.ceil(widthOf(type) / 4));
  return `0x${bits.toString(16).padStart(digits, "0")}`;
}

/** A float, so that the text says which of the numbers of its type it is. */
export function float(value: number, digits: number): string {
  if (Object.is(value, -0)) return "-0.0";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+inf" : "-inf";
  let text = String(value);
  if (text.length > digits) text = String(Number(value.toPrecision(digits)));
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 0x3ff;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

export function float32(bits: number): number {
  view.setUint32(0, bits);
  return view.getFloat32(0);
}

export function float64(bits: bigint): number {
  view.setBigUint64(0, BigInt.asUintN(64, bits));
  return view.getFloat64(0);
}

/** The value of the bits in a type. */
export function typed(bits: bigint, type: string): string {
  const width = widthOf(type);
  switch (type) {
    case "pred":
      return bits === 0n ? "false" : "true";
    case "f64":
      return float(float64(bits), 17);
    case "f32":
    case "tf32":
      return float(float32(Number(BigInt.asUintN(32, bits))), 9);
    case "f16":
      return float(half(Number(bits & 0xffffn)), 5);
    case "bf16":
      return float(float32(Number(bits & 0xffffn) * 65536), 4);
    case "f16x2":
    case "bf16x2": {
      const one = type.slice(0, -2);
      return `${typed(bits & 0xffffn, one)}, ${typed((bits >> 16n) & 0xffffn, one)}`;
    }
  }
  if (type.startsWith("s")) return BigInt.asIntN(width || 64, bits).toString();
  return bits.toString();
}

/** The bits of a literal of PTX in a type, or null for what is none. */
export function literal(text: string, type: string): bigint | null {
  const width = widthOf(type);
  if (/^0[fF][0-9a-fA-F]{8}$/.test(text)) {
    const bits = BigInt(`0x${text.slice(2)}`);
    if (type !== "f64") return bits;
    view.setFloat64(0, float32(Number(bits)));
    return view.getBigUint64(0);
  }
  if (/^0[dD][0-9a-fA-F]{16}$/.test(text)) {
    const bits = BigInt(`0x${text.slice(2)}`);
    if (type !== "f32") return bits;
    view.setFloat32(0, float64(bits));
    return BigInt(view.getUint32(0));
  }
  const whole = /^(-?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]+|\d+)[uU]?$/.exec(text);
  if (whole && !type.startsWith("f")) {
    const digits = /^0[0-7]+$/.test(whole[2]) ? `0o${whole[2].slice(1)}` : whole[2];
    const value = BigInt(digits);
    return BigInt.asUintN(width, whole[1] ? -value : value);
  }
  if (/^-?\d/.test(text) && (type === "f32" || type === "f64")) {
    const value = Number(text);
    if (Number.isNaN(value)) return null;
    if (type === "f32") view.setFloat32(0, value);
    else view.setFloat64(0, value);
    return type === "f32" ? BigInt(view.getUint32(0)) : view.getBigUint64(0);
  }
  return null;
}

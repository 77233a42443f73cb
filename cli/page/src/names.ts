// Names of cells of shared memory: `cells[7]` for an address, as the source writes it.

import type { Variable } from "./data";
import { widthOf } from "./numbers";

/** The bytes of an element of a variable. */
export function elementBytes(type: string): number {
  return Math.max(1, widthOf(type) / 8) || 4;
}

/** The variable that holds an address. */
export function variableAt(shared: Variable[], address: number): Variable | undefined {
  return shared.find((v) => v.address <= address && address < v.address + v.bytes);
}

/** `cells[7]`, or null where no variable is there. */
export function cellName(shared: Variable[], address: number): string | null {
  const variable = variableAt(shared, address);
  if (!variable) return null;
  const size = elementBytes(variable.type);
  const offset = address - variable.address;
  const rest = offset % size;
  const index = Math.floor(offset / size);
  if (variable.bytes <= size) return rest ? `${variable.name}+${rest}` : variable.name;
  return rest ? `${variable.name}[${index}]+${rest}` : `${variable.name}[${index}]`;
}

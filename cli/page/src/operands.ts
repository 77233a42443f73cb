// The operands of an instruction, from its text. The memory panel needs them: the text says which
// register, or which literal, holds what a store writes.

/** The operands of `op a, [b+4], {c, d}`; braces and brackets stay together. */
export function operands(text: string): string[] {
  const body = text.replace(/^@!?%?[\w$]+\s+/, "").replace(/^\S+\s*/, "").replace(/;\s*$/, "");
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < body.length; i++) {
    const c = body[i];
    if (c === "{" || c === "[" || c === "(") depth++;
    else if (c === "}" || c === "]" || c === ")") depth--;
    else if (c === "," && depth === 0) {
      found.push(body.slice(from, i).trim());
      from = i + 1;
    }
  }
  const last = body.slice(from).trim();
  if (last) found.push(last);
  return found;
}

/** The elements of `{a, b}`; one element for what is no vector. */
export function elements(operand: string): string[] {
  if (!operand.startsWith("{")) return [operand];
  return operand.slice(1, -1).split(",").map((part) => part.trim());
}

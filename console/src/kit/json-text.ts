/** JSON of any depth: untrusted values may nest thousands of levels, at which `JSON.stringify` runs out of stack. */

/** Nesting levels that the registry accepts, and that are still worth indenting. */
export const USUAL_DEPTH = 64;

export function isDeeperThan(levels: number, value: unknown): boolean {
  let containers = [value].filter(isContainer);
  for (let level = 1; containers.length > 0; level += 1) {
    if (level > levels) return true;
    containers = containers.flatMap((each) => Object.values(each).filter(isContainer));
  }
  return false;
}

/** Like `JSON.stringify`, but on one line if the value is deeper than usual: each level would indent everything below it. */
export function jsonText(value: unknown, indent?: number): string {
  return isDeeperThan(USUAL_DEPTH, value) ? inOneLine(value) : JSON.stringify(value, undefined, indent);
}

function inOneLine(value: unknown): string {
  const parts: string[] = [];
  /** The remaining parts, the next one at the end. */
  const rest: ({ readonly sign: string } | { readonly value: unknown })[] = [{ value }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if ("sign" in next) parts.push(next.sign);
    else if (isContainer(next.value)) {
      const isList = Array.isArray(next.value);
      parts.push(isList ? "[" : "{");
      rest.push({ sign: isList ? "]" : "}" });
      for (const [index, [name, member]] of [...Object.entries(next.value).entries()].toReversed()) {
        const comma = index === 0 ? "" : ",";
        rest.push({ value: member }, { sign: isList ? comma : `${comma}${JSON.stringify(name)}:` });
      }
    } else parts.push(JSON.stringify(next.value));
  }
  return parts.join("");
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Equality of two values of JSON. */
type Members = Readonly<Record<string, unknown>>;

/** Independent of the order of members. */
export function sameJson(left: unknown, right: unknown): boolean {
  // Without recursion: pasted values may nest thousands of levels.
  const pairs: (readonly [unknown, unknown])[] = [[left, right]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, other] = pair;
    if (one === other) continue;
    if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) return false;
    const names = Object.keys(one);
    if (names.length !== Object.keys(other).length) return false;
    if (!names.every((name) => Object.hasOwn(other, name))) return false;
    for (const name of names) pairs.push([one[name], other[name]]);
  }
  return true;
}

function isContainer(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}

/** Equality of two values of JSON. */
type Members = Readonly<Record<string, unknown>>;

/** Whatever the order of their members. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [names, others] = [Object.keys(left), Object.keys(right)];
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(right, name) && sameJson((left as Members)[name], (right as Members)[name]))
  );
}

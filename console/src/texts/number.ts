/** A number as people read it: its digits in groups. By hand, since a browser takes a slow phone's tenth of a second to load its own. */

/** @param digits after the point, at most. */
export function grouped(value: number, digits = 3): string {
  const [whole = "", rest] = String(Number(value.toFixed(digits))).split(".");
  const groups = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  return rest === undefined ? groups : `${groups}.${rest}`;
}

export function plural(value: number, one: string, many: string): string {
  return `${grouped(value)} ${value === 1 ? one : many}`;
}

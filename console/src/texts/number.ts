/** Readable numbers. */

const formats = new Map<number, Intl.NumberFormat>();

/** @param digits maximum decimal places. */
export function grouped(value: number, digits = 3): string {
  const format = formats.get(digits) ?? new Intl.NumberFormat("en", { maximumFractionDigits: digits });
  formats.set(digits, format);
  return format.format(value);
}

export function plural(value: number, one: string, many: string): string {
  return `${grouped(value)} ${value === 1 ? one : many}`;
}

const units = ["kB", "MB", "GB"];

/** A number of bytes: "812 bytes", "1.5 kB", "5 MB". */
export function sizeWords(bytes: number): string {
  if (bytes < 1_000) return plural(bytes, "byte", "bytes");
  let [size, unit] = [bytes / 1_000, 0];
  while (size >= 1_000 && unit < units.length - 1) [size, unit] = [size / 1_000, unit + 1];
  return `${grouped(size, 1)} ${units[unit] ?? ""}`;
}

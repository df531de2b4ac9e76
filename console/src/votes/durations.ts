/** Durations as people read them. */

const durations = {
  days: (count: number) => `${count} d`,
  hours: (count: number) => `${count} h`,
  minutes: (count: number) => `${count} min`,
  seconds: (count: number) => `${count} s`,
};

/** Seconds of each unit, the largest first. */
const units = [
  ["days", 86_400],
  ["hours", 3_600],
  ["minutes", 60],
  ["seconds", 1],
] as const;

/** The two largest units that are not zero: "2 d 4 h", "59 min 3 s". */
export function timeLeftIn(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000));
  const first = units.findIndex(([, size]) => seconds >= size);
  if (first === -1) return durations.seconds(0);
  let left = seconds;
  const parts: string[] = [];
  for (const [unit, size] of units.slice(first, first + 2)) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(durations[unit](count));
  }
  return parts.join(" ");
}

/**
 * A text of PostgreSQL contains no NUL. The driver and `npm run db` store two characters in its place that no text contains, since
 * Unicode assigns them to none, and give back NUL. The functions `sqlite_json` and `sqlite_char` of the schema use the same two.
 */
const STORED = "\u{10FFFF}\u{10FFFE}";

export function withoutNul(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", STORED) : text;
}

export function withNul(text: string): string {
  return text.includes(STORED) ? text.replaceAll(STORED, "\0") : text;
}

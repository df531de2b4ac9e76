/** Lines of JSON, as bulk routes read and answer them. */
import type { Received } from "../server/received.ts";

export function ndjsonOf(lines: readonly unknown[]): string {
  return lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
}

function linesOf(text: string): readonly Received[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** Bytes first: the runtime warns of `text()` on a type that it does not take for text. */
export async function answeredLines(answer: Response): Promise<ReturnType<typeof linesOf>> {
  return linesOf(new TextDecoder().decode(await answer.arrayBuffer()));
}

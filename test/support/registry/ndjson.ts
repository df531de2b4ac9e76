/** Lines of JSON, the format of the bulk routes' requests and responses. */
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

/** Reads bytes first: the runtime warns about `text()` on a type that it does not consider text. */
export async function answeredLines(answer: Response): Promise<ReturnType<typeof linesOf>> {
  return linesOf(new TextDecoder().decode(await answer.arrayBuffer()));
}

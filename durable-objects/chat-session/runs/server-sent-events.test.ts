/** The envelope of a frame: whatever is said, a reader finds one frame of three lines. */
import { encodeFrames, HEARTBEAT } from "./run-log.ts";
import fc from "fast-check";
import { expect, test } from "vitest";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const frame = (seq: number, content: string) => ({ seq, event: "message", data: JSON.stringify({ content }) });

test("a frame is event, id, one line of data and an empty line; several stand one behind another [OR-62]", () => {
  expect(textOf(encodeFrames([frame(1, "a"), frame(2 ** 32 + 1, "b")]))).toBe(
    'event: message\nid: 1\ndata: {"content":"a"}\n\nevent: message\nid: 4294967297\ndata: {"content":"b"}\n\n',
  );
});

test("no text breaks a frame: neither line ends of any kind nor what looks like a frame itself [OR-62]", () => {
  const hostile = fc.constantFrom(
    "\r",
    "\n",
    "\r\n",
    "\u2028",
    "\n\n",
    "\ndata: {}",
    "\nretry: 1\n\n",
    ": x\n",
    "\0",
    "🎉",
  );
  const ordinary = fc.string({ unit: "binary", maxLength: 20 });
  const said = fc.array(fc.oneof(hostile, ordinary), { maxLength: 8 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(said, (content) => {
      const lines = textOf(encodeFrames([frame(7, content)])).split(/\r\n|\r|\n/);
      expect(lines).toHaveLength(5);
      expect(lines.slice(0, 2)).toEqual(["event: message", "id: 7"]);
      expect(JSON.parse((lines[2] ?? "").slice("data: ".length))).toEqual({ content });
      expect(lines.slice(3)).toEqual(["", ""]);
    }),
    { numRuns },
  );
});

test("a heartbeat is a comment of its own [OR-63]", () => {
  expect(textOf(HEARTBEAT)).toBe(": heartbeat\n\n");
});

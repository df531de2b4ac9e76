/** A real shell parses the command, whatever the request contains. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { curlText } from "./curl-text.ts";

/** The arguments that a shell passes to curl. */
function wordsOf(command: string): readonly string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  return spawnSync("sh", ["-c", script], { encoding: "utf8" }).stdout.split("\0").slice(0, -1);
}

test("a GET is its address", () => {
  expect(curlText({ method: "GET", url: "http://localhost/a?b=*1" })).toBe("curl 'http://localhost/a?b=*1'");
});

test("quotes, stars, dollars and line endings reach curl unchanged", () => {
  const body = `{"text":"it's $HOME \`x\` \\ *\n2"}`;
  const request = { method: "POST", url: "http://h/a", headers: { "Content-Type": "application/json" }, body };
  expect(wordsOf(curlText(request))).toEqual([
    "http://h/a",
    "-H",
    "Content-Type: application/json",
    "--data-raw",
    body,
  ]);
  expect(wordsOf(curlText({ ...request, method: "PUT" })).slice(0, 2)).toEqual(["-X", "PUT"]);
  expect(wordsOf(curlText({ ...request, method: "A$(echo b)" })).slice(0, 2)).toEqual(["-X", "A$(echo b)"]);
});

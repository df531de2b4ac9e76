/** Imports and exports of the command, with a mock server that follows the registry's description. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { syntheticLines } from "../../bench/synthetic-domains.ts";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { partOf } from "./export-file.ts";
import { createProgress } from "./progress.ts";
import { exitCodes } from "./run-import.ts";
import { countItems } from "./read-file.ts";
import type { Task } from "./arguments.ts";
import { run, ndjson, problem, standIn, fileOf, importing } from "../../test/support/registry/import-command.ts";

test("sends a file in parts, reports failures, and resumes where it stopped [RG-144]", async () => {
  const lines = Array.from({ length: 2500 }, (_, at) => (at === 1200 ? "bad" : `{"n":${at}}`));
  const file = fileOf(lines);
  const done = new Set<number>();
  const first = await run(importing(file), standIn(done));
  expect(first.code).toBe(exitCodes.failed);
  expect(first.notes).toContain("line 1201: no JSON");
  expect(first.notes).toContain("Import mine: 2499 created, 1 failed");
  expect(first.asked.map(({ path }) => path)).toEqual([
    "/v1/imports/mine?after=0",
    "/v1/imports/mine/lines?firstLine=1",
    "/v1/imports/mine/lines?firstLine=1001",
    "/v1/imports/mine/lines?firstLine=2001",
  ]);
  writeFileSync(file, lines.with(1200, "{}").join("\n"));
  const second = await run(importing(file), standIn(done));
  expect(second.code).toBe(exitCodes.done);
  expect(second.notes).toContain("2499 lines are done");
  expect(second.asked.filter(({ method }) => method === "POST").map(({ body }) => body.trim())).toEqual(["{}"]);
});

test("members that the registry ignored are listed, with their lines [RG-217]", async () => {
  const reports = [
    { line: 1, status: "created", id: "did:a:1", ignored: ["metdata"], didYouMean: { metdata: "metadata" } },
    { line: 2, status: "created", id: "did:a:2" },
    { line: 3, status: "created", id: "did:a:3", ignored: ["document/service/colour", "metdata"] },
    { summary: {} },
  ];
  const { code, notes } = await run(importing(fileOf(["{}", "{}", "{}"])), ({ method }) =>
    method === "GET" ? problem(404, "unknown") : ndjson(reports),
  );
  expect(code).toBe(exitCodes.done);
  expect(notes).toContain(
    "the registry does not know metdata and ignored it in 2 lines, first in line 1; did you mean metadata?",
  );
  expect(notes).toContain(
    "the registry does not know document/service/colour and ignored it in 1 line, first in line 3\n",
  );
});

test("a dry run requests only a check; a report file has every line", async () => {
  const report = join(temporaryDirectory(), "report.ndjson");
  const { asked, code } = await run(importing(fileOf(["{}", "bad"]), { dryRun: true, reportFile: report }), standIn());
  expect(code).toBe(exitCodes.failed);
  expect(asked.map(({ path }) => path)).toEqual(["/v1/imports/mine/lines?firstLine=1&dryRun=true"]);
  expect(readFileSync(report, "utf8").split("\n")).toHaveLength(3);
});

describe("possible failures", () => {
  test("a rate limit is awaited as long as the server says", async () => {
    let calls = 0;
    const answer = standIn();
    const { code, waits } = await run(importing(fileOf(["{}"])), (asked) =>
      (calls += 1) === 2 ? problem(429, "slow down", { "Retry-After": "7" }) : answer(asked),
    );
    expect([code, waits]).toEqual([exitCodes.done, [7000]]);
  });

  test("an incomplete response is not a success", async () => {
    const { code, notes } = await run(importing(fileOf(["{}"])), ({ method }) =>
      method === "GET" ? problem(404, "none") : ndjson([{ line: 1, status: "created" }]),
    );
    expect([code, notes]).toEqual([exitCodes.failed, expect.stringContaining("cut off")]);
  });

  test.each([
    [401, exitCodes.unauthorised],
    [403, exitCodes.unauthorised],
    [413, exitCodes.failed],
    [500, exitCodes.failed],
  ])("status %i ends with %i", async (status, expected) => {
    const { code, notes } = await run(importing(fileOf(["{}"])), () => problem(status, "the reason"));
    expect([code, notes]).toEqual([expected, expect.stringContaining(`the reason (${status})`)]);
  });

  test("no answer, no key, no file", async () => {
    const nobody = await run(importing(fileOf(["{}"])), () => Promise.reject(new TypeError("fetch failed")));
    expect(nobody.code).toBe(exitCodes.unreachable);
    const elsewhere = await run(importing(fileOf(["{}"])), standIn(), { url: "https://registry.example" });
    expect([elsewhere.code, elsewhere.asked]).toEqual([exitCodes.unauthorised, []]);
    const missing = await run(importing("/nowhere/x"), standIn());
    expect([missing.code, missing.notes]).toEqual([
      exitCodes.usage,
      "npm run import: there is no file or folder at /nowhere/x",
    ]);
    const folder = await run(importing(temporaryDirectory()), standIn());
    expect([folder.code, folder.notes]).toEqual([exitCodes.usage, expect.stringContaining("is a folder; name a file")]);
  });

  test("Ctrl-C ends it and explains how to resume", async () => {
    const interrupt = new AbortController();
    const { code, notes } = await run(
      importing(fileOf(["{}"])),
      () => {
        interrupt.abort();
        throw new DOMException("aborted", "AbortError");
      },
      { interrupt },
    );
    expect([code, notes]).toEqual([exitCodes.interrupted, expect.stringContaining("continues where")]);
  });
});

describe("an export", () => {
  const domain = (number: number) => ({ id: `did:ixo:entity:${number}` });
  const exporting = (file: string): Task => ({ kind: "export", file, query: new URLSearchParams({ type: "Project" }) });

  test("writes to a file next to the target and resumes after its last whole line", async () => {
    const file = join(temporaryDirectory(), "out.ndjson");
    const part = partOf(file, "http://localhost:3000?type=Project");
    // It has other filters, so it is not touched.
    writeFileSync(partOf(file, "http://localhost:3000?"), "{}");
    writeFileSync(part, `${JSON.stringify(domain(1))}\n${JSON.stringify(domain(2))}\n{"id":"did:ixo:en`);
    const { code, asked } = await run(exporting(file), () => ndjson([domain(3)]));
    expect([code, asked[0]?.path]).toEqual([
      exitCodes.done,
      `/v1/export?type=Project&cursor=${encodeURIComponent("did:ixo:entity:2")}`,
    ]);
    expect(readFileSync(file, "utf8")).toBe([1, 2, 3].map((at) => `${JSON.stringify(domain(at))}\n`).join(""));
    expect(existsSync(part)).toBe(false);
  });

  test("an interrupted export leaves its part and no file", async () => {
    const file = join(temporaryDirectory(), "out.ndjson");
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode(`${JSON.stringify(domain(1))}\n{"id`));
        controller.error(new TypeError("terminated"));
      },
    });
    const { code } = await run(exporting(file), () => new Response(broken));
    expect([code, existsSync(file)]).toEqual([exitCodes.unreachable, false]);
  });
});

test("makes the requested number of lines, always equal", async () => {
  const file = join(temporaryDirectory(), "made.ndjson");
  expect((await run({ kind: "make", file, count: 25 }, standIn())).code).toBe(exitCodes.done);
  expect(await countItems(file, { kind: "ndjson" })).toBe(25);
  expect(readFileSync(file, "utf8")).toBe([...syntheticLines(25)].join(""));
});

test.each(["storage_full", "unavailable", "internal"])(
  "a line that the server cannot store (%s) ends the import, which can be resumed [RG-203]",
  async (code) => {
    const answer = standIn();
    let calls = 0;
    const {
      code: exit,
      notes,
      asked,
    } = await run(importing(fileOf(Array.from({ length: 3_000 }, () => "{}"))), (request) => {
      if (request.method === "GET" || (calls += 1) < 2) return answer(request);
      return ndjson([{ line: 1_001, status: "failed", code, detail: "no room" }, { summary: {} }]);
    });
    expect([exit, asked.length]).toEqual([exitCodes.failed, 3]);
    expect(notes).toContain("no room; the same command continues where this one stopped");
  },
);

test("progress tells lines, rate of this run, failures", () => {
  const written: string[] = [];
  let now = 0;
  const progress = createProgress({ terminal: { write: (text) => written.push(text) }, now: () => now });
  progress.show(1000, 4000, 0);
  now = 10_000;
  progress.show(3000, 4000, 2);
  expect(written).toEqual(["3,000 of 4,000 (75 %) lines, 200 a second, 2 failed\n"]);
  expect(progress.end(3000, 2)).toBe("2,000 lines in 10.0 s, 200 a second, 2 failed");
});

test("a small file has no progress and no rate, and the singular is right", () => {
  const written: string[] = [];
  const progress = createProgress({ terminal: { write: (text) => written.push(text) }, now: () => 0 });
  progress.show(0, 1, 0);
  progress.show(1, 1, 1);
  expect([written, progress.end(1, 1)]).toEqual([[], "1 line in 0.0 s, 1 failed"]);
});

test("a text that interrupts the progress starts at the line's beginning, on a terminal", () => {
  const written: string[] = [];
  const terminal = { isTTY: true, write: (text: string) => written.push(text) };
  createProgress({ terminal, now: () => 0 }).clear();
  expect(written).toEqual(["\r\u001B[K"]);
});

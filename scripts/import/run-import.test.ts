/** Imports and exports of the command, with a mock server that follows the registry's description. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { syntheticLines } from "../../bench/synthetic-domains.ts";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { partOf } from "./export-file.ts";
import { fileParts } from "../../console/src/files/file-parts.ts";
import { createProgress } from "./progress.ts";
import { exitCodes, runImport } from "./run-import.ts";
import { countItems, itemsOf } from "./read-file.ts";
import type { Task } from "./arguments.ts";

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly body: string;
}

type Answer = (asked: Asked) => Response | Promise<Response>;

async function run(task: Task, answer: Answer, more: { interrupt?: AbortController; url?: string } = {}) {
  const { interrupt = new AbortController(), url = "http://localhost:3000" } = more;
  const notes: string[] = [];
  const asked: Asked[] = [];
  const waits: number[] = [];
  const code = await runImport(
    { task, url },
    {
      environment: {},
      localVariables: () => new Map([["DEV_API_KEY", "local-key"]]),
      note: (line) => void notes.push(line),
      progress: createProgress({ terminal: { write: () => true }, now: () => 0 }),
      fetch: async (input, init) => {
        const headers = new Headers(init?.headers);
        const call = {
          method: init?.method ?? "GET",
          path: String(input).replace(url, ""),
          key: headers.get("Authorization"),
          body: typeof init?.body === "string" ? init.body : "",
        };
        asked.push(call);
        init?.signal?.throwIfAborted();
        return answer(call);
      },
      interrupted: interrupt.signal,
      wait: async (milliseconds) => void waits.push(milliseconds),
      make: syntheticLines,
    },
  );
  return { code, notes: notes.join("\n"), asked, waits };
}

const ndjson = (lines: readonly object[]) => new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
const problem = (status: number, detail: string, headers = {}) => Response.json({ detail }, { status, headers });

/** A registry that accepts each line without "bad", and remembers them. */
function standIn(done = new Set<number>()): Answer {
  return ({ method, path, body }) => {
    if (method === "GET") {
      const lines = [...done].toSorted((one, other) => one - other);
      return done.size === 0
        ? problem(404, "none")
        : Response.json({ done: lines.map((line) => ({ from: line, to: line })), nextAfter: null });
    }
    const first = Number(new URL(path, "http://x").searchParams.get("firstLine"));
    const reports = body
      .split("\n")
      .slice(0, -1)
      .flatMap((text, at): object[] => {
        if (text === "") return [];
        if (text === "bad") return [{ line: first + at, status: "failed", code: "malformed_json", detail: "no JSON" }];
        done.add(first + at);
        return [{ line: first + at, status: "created", id: "did:x" }];
      });
    return ndjson([...reports, { summary: {} }]);
  };
}

function fileOf(lines: readonly string[]): string {
  const file = join(temporaryDirectory(), "in.ndjson");
  writeFileSync(file, lines.join("\n"));
  return file;
}
const importing = (file: string, more = {}): Task => ({
  kind: "import",
  file,
  importId: "mine",
  isNamed: true,
  targets: new Map(),
  everyRow: {},
  dryRun: false,
  reportFile: undefined,
  ...more,
});

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

describe("only a line feed ends a line [RG-206]", () => {
  const texts = [0, 1, 2, 3, 4, 5].map((at) =>
    JSON.stringify({ id: `did:x:${at}`, text: at === 1 ? "one\u2028two\u2029three\u0085four" : "plain" }),
  );

  test("in a file that is imported", async () => {
    const file = fileOf(texts);
    const sent: string[] = [];
    for await (const part of fileParts(itemsOf(file, { kind: "ndjson" }), () => false)) sent.push(...part.lines);
    expect(sent).toEqual(texts);
  });

  test("in an export that is resumed; a last line without its end is fetched again", async () => {
    const file = join(temporaryDirectory(), "out.ndjson");
    const part = partOf(file, "http://localhost:3000?");
    writeFileSync(part, `${texts.slice(0, 4).join("\n")}\n${texts[4]}`);
    const { asked } = await run(
      { kind: "export", file, query: new URLSearchParams() },
      () =>
        new Response(
          texts
            .slice(4)
            .map((text) => `${text}\n`)
            .join(""),
        ),
    );
    expect(asked[0]?.path).toBe("/v1/export?cursor=did%3Ax%3A3");
    expect(readFileSync(file, "utf8")).toBe(texts.map((text) => `${text}\n`).join(""));
  });
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

test("a last line without its end counts", async () => {
  for (const lines of [
    ["a", "bb", "", "e", ""],
    ["a", "b", "c", "d"],
  ])
    expect(await countItems(fileOf(lines), { kind: "ndjson" })).toBe(4);
});

test("progress shows lines, the rate of this run, failures", () => {
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

describe("typical files", () => {
  const bodies = ({ asked }: Awaited<ReturnType<typeof run>>) =>
    asked.filter(({ method }) => method === "POST").map(({ body }) => body);
  const written = (content: string | Uint8Array) => {
    const file = join(temporaryDirectory(), "in");
    writeFileSync(file, content);
    return file;
  };
  const table = "Title;Kind;Village\nStove;Project;Kibera\n;;\nLamp;Asset;Mukuru\n";

  test("CSV is sent by its columns' names, --map and --set; its rows are numbered as in a spreadsheet [RG-241]", async () => {
    const file = written(table);
    const targets = new Map([["Village", "description"]]) as Map<string, "description">;
    const done = await run(importing(file, { targets, everyRow: { class: "did:x:y" } }), standIn());
    expect(done.code).toBe(exitCodes.done);
    expect(done.notes).toContain("CSV: one domain in each row, 3 columns.");
    expect(bodies(done)).toEqual([
      '\n{"type":"Project","class":"did:x:y","metadata":{"name":"Stove","description":"Kibera"}}\n' +
        '\n{"type":"Asset","class":"did:x:y","metadata":{"name":"Lamp","description":"Mukuru"}}\n',
    ]);
  });

  test("a JSON array is sent object by object [RG-241]", async () => {
    const done = await run(importing(written('[\n  {\n    "a": 1\n  },\n  {}\n]')), standIn());
    expect([done.code, bodies(done)]).toEqual([exitCodes.done, ['{     "a": 1   }\n{}\n']]);
  });

  test("a row that cannot be sent is reported, and does not stop the others [RG-241]", async () => {
    const done = await run(importing(written("name,type,class,metadata\nA,P,did:x:y,{\nB,P,did:x:y,\n")), standIn());
    expect(done.code).toBe(exitCodes.failed);
    expect(done.notes).toContain('line 2: The cell in column "metadata" is not valid JSON.');
    expect(done.notes).toContain("Import mine: 1 created, 1 failed");
  });

  test.each<[string, string | Uint8Array, object, string]>([
    ["an empty file", "", {}, "The file is empty"],
    ["a file in UTF-16", new Uint8Array(Buffer.from("\uFEFFa,b\n", "utf16le")), {}, "The file is in UTF-16"],
    ["one column", "name\nA\n", {}, "only one column"],
    ["no class", table, {}, "no column fills class"],
    ["an unknown column", table, { targets: new Map([["City", "name"]]) }, 'no column is named "City"'],
    ["options of tables", "{}\n", { everyRow: { type: "Project" } }, "--map and --set go with a CSV file"],
  ])("%s is refused with a sentence, without a request to the server [RG-241]", async (_, content, more, sentence) => {
    const { code, notes, asked } = await run(importing(written(content), more), standIn());
    expect([code, asked]).toEqual([exitCodes.usage, []]);
    expect(notes).toContain(sentence);
  });

  test("a file whose first domain was imported under another name is not sent without --id [RG-242]", async () => {
    const file = written("\n{}\n");
    const known = (id: string) => (asked: Asked) =>
      asked.path.startsWith("/v1/imports?")
        ? Response.json({ data: [{ id, createdAt: "2026-11-03T09:00:00.000Z" }] })
        : standIn()(asked);
    const other = await run(importing(file, { isNamed: false }), known("console.ndjson"));
    expect([other.code, bodies(other)]).toEqual([exitCodes.failed, []]);
    expect(other.notes).toContain("was imported as console.ndjson on 2026-11-03");
    expect(other.asked.map(({ path }) => path)).toEqual([
      // SHA-256 of "{}".
      "/v1/imports?line=2&fingerprint=44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
    ]);
    expect((await run(importing(file, { isNamed: false }), known("mine"))).code).toBe(exitCodes.done);
    expect((await run(importing(file, { isNamed: true }), known("console.ndjson"))).code).toBe(exitCodes.done);
  });
});

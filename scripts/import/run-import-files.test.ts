/** The kinds of files that the import command reads: NDJSON, CSV, JSON arrays, odd line ends. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { partOf } from "./export-file.ts";
import { fileParts } from "../../console/src/files/file-parts.ts";
import { exitCodes } from "./run-import.ts";
import { countItems, itemsOf } from "./read-file.ts";
import { type Asked, run, standIn, fileOf, importing } from "../../test/support/registry/import-command.ts";

describe("a line feed alone ends a line [RG-206]", () => {
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

test("a last line without its end counts", async () => {
  for (const lines of [
    ["a", "bb", "", "e", ""],
    ["a", "b", "c", "d"],
  ])
    expect(await countItems(fileOf(lines), { kind: "ndjson" })).toBe(4);
});

describe("files as people have them", () => {
  const bodies = ({ asked }: Awaited<ReturnType<typeof run>>) =>
    asked.filter(({ method }) => method === "POST").map(({ body }) => body);
  const written = (content: string | Uint8Array) => {
    const file = join(temporaryDirectory(), "in");
    writeFileSync(file, content);
    return file;
  };
  const table = "Title;Kind;Village\nStove;Project;Kibera\n;;\nLamp;Asset;Mukuru\n";

  test("CSV is sent by the names of its columns, --map and --set; its rows are numbered as in a spreadsheet [RG-241]", async () => {
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

  test("a row that cannot be sent is reported, and stops no other [RG-241]", async () => {
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
  ])(
    "%s is refused with a sentence, and nothing is asked of the server [RG-241]",
    async (_, content, more, sentence) => {
      const { code, notes, asked } = await run(importing(written(content), more), standIn());
      expect([code, asked]).toEqual([exitCodes.usage, []]);
      expect(notes).toContain(sentence);
    },
  );

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

/** Typical files: recognised by their content, and read item by item, wherever their bytes are split. */
import { describe, expect, test } from "vitest";
import { LONGEST_ROW } from "./csv-rows.ts";
import { guessedTargets, mappingFaults, type CsvMapping } from "./csv-mapping.ts";
import type { FileItem } from "./file-item.ts";
import { fileItems, type Reading } from "./file-items.ts";
import { FileProblem } from "./file-problem.ts";
import { HEAD_BYTES, MOST_COLUMNS, recognised } from "./recognised.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const utf16 = (text: string): Uint8Array => new Uint8Array(Buffer.from(`\uFEFF${text}`, "utf16le"));
const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"));

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function readingOf(bytes: Uint8Array): Promise<Reading> {
  const format = await recognised(bytes);
  if (format.kind !== "csv") return format;
  const { style, columns } = format;
  return { kind: "csv", style, mapping: { columns, targets: guessedTargets(columns), everyRow: {} } };
}

async function itemsOf(text: string | Uint8Array, size = 7, reading?: Reading): Promise<readonly FileItem[]> {
  const bytes = typeof text === "string" ? bytesOf(text) : text;
  const items: FileItem[] = [];
  for await (const item of fileItems(cut(bytes, size), reading ?? (await readingOf(bytes)))) items.push(item);
  return items;
}

const textsOf = async (text: string, size?: number): Promise<readonly string[]> =>
  (await itemsOf(text, size)).map((item) => item.text);

async function faultOf(read: Promise<unknown>): Promise<readonly [string, string]> {
  const error: unknown = await read.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof FileProblem)) throw new Error(`no fault of a file: ${String(error)}`);
  return [error.fault, error.place];
}

describe("the format is recognised by the content [CN-270]", () => {
  test.each([
    ["NDJSON", '{"a":1}\n{"b":2}\n', "ndjson"],
    ["NDJSON with a first line that is broken off", '{"a":\n{"b":2}\n', "ndjson"],
    ["one object on one line", '{"a":[1,"}"]}', "ndjson"],
    ["a JSON array", '\n [{"a":1}]', "json"],
    ["a pretty-printed array", '[\n  {\n    "a": 1\n  }\n]\n', "json"],
    ["a pretty-printed object", '{\n  "a": {\n "b": "{" }\n}\n', "json"],
    ["a table", "name,type\nA,B\n", "csv"],
    ["a table with a byte order mark", "\uFEFFname;type\r\nA;B\r\n", "csv"],
  ])("%s", async (_, text, kind) => {
    expect((await recognised(bytesOf(text))).kind).toBe(kind);
  });

  test.each([
    [",", "name,type,class"],
    [";", "name;type, of what;class"],
    ["\t", "name\ttype\tclass"],
    ["|", "name|type|class"],
    [",", '"name, or title",type,"class; DID"'],
  ])("a table is separated by %j", async (separator, head) => {
    const format = await recognised(bytesOf(`${head}\nA\n`));
    expect(format).toMatchObject({ kind: "csv", style: { separator }, columns: { length: 3 } });
  });

  test("a character that is split by the end of the first bytes is not a fault", async () => {
    const text = `{"a":"${"x".repeat(HEAD_BYTES - 8)}水"}`;
    expect((await recognised(bytesOf(text).subarray(0, HEAD_BYTES))).kind).toBe("ndjson");
  });
});

describe("a file that cannot be read says why [CN-271]", () => {
  test.each<[string, string | Uint8Array, string, string]>([
    ["without content", "", "empty", ""],
    ["of blank lines", " \n\r\n\t", "empty", ""],
    ["in UTF-16", utf16("name,type\n"), "utf16", ""],
    ["in Latin-1", latin1("name,type\nCafé,Project\n"), "notUtf8", ""],
    ["that is a workbook", new Uint8Array([0x50, 0x4b, 3, 4, 20, 0]), "spreadsheet", ""],
    ["that is an older workbook", new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), "spreadsheet", ""],
    ["with zero bytes", "name,type\n\0\0", "noText", ""],
    ["with control characters", "\u0001\u0002name,type\n", "noText", ""],
    ["of one column", "name\nA\nB\n", "oneColumn", ""],
    ["of words", "hello", "oneColumn", ""],
    ["with a column twice", "name,type,name\n", "duplicateColumn", "name"],
    ["of more columns than a domain has members", "x,".repeat(MOST_COLUMNS), "manyColumns", ""],
  ])("%s", async (_, text, fault, place) => {
    const bytes = typeof text === "string" ? bytesOf(text) : text;
    expect(await faultOf(recognised(bytes))).toEqual([fault, place]);
  });

  test("a later byte that is not UTF-8 ends the reading", async () => {
    const bytes = latin1(`name,type,class\n${"A,Project,did:x:y\n".repeat(HEAD_BYTES)}Café,Project,did:x:y\n`);
    expect(await faultOf(itemsOf(bytes, HEAD_BYTES, await readingOf(bytes.subarray(0, HEAD_BYTES))))).toEqual([
      "notUtf8",
      "",
    ]);
    expect(await faultOf(itemsOf(new Uint8Array([0x7b, 0x7d, 0xc3]), 1, { kind: "ndjson" }))).toEqual(["notUtf8", ""]);
  });

  test.each([
    ['[{"a":1},{"b":', "cutOff", "2"],
    ["[", "cutOff", "1"],
    ['[{"a":1}', "cutOff", "1"],
    ['{\n"a":\n', "cutOff", "1"],
    ['[{"a":1}]\n[{"b":2}]', "afterTheEnd", ""],
  ])("JSON %j", async (text, fault, place) => {
    expect(await faultOf(itemsOf(text))).toEqual([fault, place]);
  });

  test("an unclosed or misplaced quote is reported with its row, without keeping the rest of the file", async () => {
    expect(await faultOf(itemsOf('name,type\nA,B\nC,"D\n'))).toEqual(["openQuote", "3"]);
    expect(await faultOf(itemsOf('name,type\nA,B\n"C"x,D\n"E",F\n'))).toEqual(["openQuote", "3"]);
    const long = `name,type\nA,"${"x\n".repeat(LONGEST_ROW)}`;
    expect(await faultOf(itemsOf(long, HEAD_BYTES))).toEqual(["openQuote", "2"]);
  });
});

describe("JSON [CN-270]", () => {
  const objects = [{ a: 'x,]}"\\' }, { b: [1, { c: 2 }] }, { d: "水" }];

  test.each([
    ["compact", JSON.stringify(objects)],
    ["pretty", JSON.stringify(objects, undefined, 2)],
    ["with Windows lines", JSON.stringify(objects, undefined, "\t").replaceAll("\n", "\r\n")],
    ["without an array", objects.map((each) => JSON.stringify(each, undefined, 2)).join("\n")],
    ["with commas and without an array", objects.map((each) => JSON.stringify(each, undefined, 2)).join(",\n")],
    ["with a comma at the end", JSON.stringify(objects).replace(/\]$/, ",]")],
  ])("%s becomes its objects, one per line, wherever it is split", async (_, text) => {
    for (const size of [1, 2, 3, 1_000]) {
      const texts = await textsOf(text, size);
      expect(texts.map((each): unknown => JSON.parse(each))).toEqual(objects);
      expect(texts.join("")).not.toMatch(/[\r\n]/);
    }
  });

  test("a non-object, or invalid JSON, keeps its place, for the registry to refuse", async () => {
    expect(await textsOf('[1, {"a":1}, "x, y", {b}, {"c":"d\ne"}]')).toEqual([
      "1",
      '{"a":1}',
      '"x, y"',
      "{b}",
      '{"c":"d\te"}',
    ]);
  });

  test("an empty array has no items", async () => {
    expect(await textsOf(" [ ] \n")).toEqual([]);
  });
});

describe("tables [CN-272]", () => {
  const text =
    '\uFEFFname;type;class;District\r\n"Stove; ""A""\r\nnew";Project;did:x:y;Kibera\r\n\r\n;;;\r\nB;Project;did:x:y;';

  test("quotes, separators and line breaks in cells are read, wherever the file is split", async () => {
    for (const size of [1, 2, 3, 1_000])
      expect(await textsOf(text, size)).toEqual([
        "",
        JSON.stringify({
          type: "Project",
          class: "did:x:y",
          metadata: { name: 'Stove; "A"\r\nnew', District: "Kibera" },
        }),
        "",
        "",
        JSON.stringify({ type: "Project", class: "did:x:y", metadata: { name: "B" } }),
      ]);
  });

  test("rows of old Macs end with a carriage return", async () => {
    expect(await textsOf("name,type\rA,B\rC,D")).toHaveLength(3);
  });

  test("a member is guessed by common column names; others become metadata, and members that the registry sets are omitted", () => {
    const columns = [
      "Title",
      "DESCRIPTION",
      "Kind",
      "Class DID",
      "Valid until",
      "Serial no.",
      "Village",
      "id",
      "createdAt",
      "",
    ];
    expect(guessedTargets(columns)).toEqual([
      "name",
      "description",
      "type",
      "class",
      "validUntil",
      "externalId",
      "ownName",
      "nothing",
      "nothing",
      "nothing",
    ]);
    expect(guessedTargets(["title", "name"])).toEqual(["ownName", "name"]);
  });

  const mapping = (changed: Partial<CsvMapping>): CsvMapping => ({
    columns: ["a", "b"],
    targets: ["name", "type"],
    everyRow: {},
    ...changed,
  });

  test("a mapping without type or class needs a value for every row, and fills no member twice", () => {
    expect(mappingFaults(mapping({}))).toEqual([{ kind: "missing", member: "class" }]);
    expect(mappingFaults(mapping({ everyRow: { class: "did:x:y" } }))).toEqual([]);
    expect(mappingFaults(mapping({ targets: ["name", "name"], everyRow: { class: " " } }))).toEqual([
      { kind: "missing", member: "type" },
      { kind: "missing", member: "class" },
      { kind: "twice", member: "name" },
    ]);
  });

  const style = { separator: ",", newline: "\n" } as const;
  const rowOf = async (row: string, changed: Partial<CsvMapping>): Promise<FileItem | undefined> =>
    (await itemsOf(`head\n${row}\n`, 1_000, { kind: "csv", style, mapping: mapping(changed) }))[1];

  test("the value for every row applies where the row's own cell is empty", async () => {
    const everyRow = { type: "Project", class: "did:x:y" };
    expect((await rowOf("A,", { everyRow }))?.text).toBe(
      '{"type":"Project","class":"did:x:y","metadata":{"name":"A"}}',
    );
    expect((await rowOf("A,Asset", { everyRow }))?.text).toContain('"type":"Asset"');
  });

  test("lists, JSON and metadata of several columns become one domain", async () => {
    const columns = ["controllers", "metadata", "__proto__", "name", "accounts"];
    const targets = ["controllers", "metadata", "ownName", "name", "accounts"] as const;
    const row =
      '"did:web:a, did:web:b; did:web:c","{""name"":""x"",""n"":1}",p,B,"[{""name"":""n"",""address"":""a""}]"';
    expect((await rowOf(row, { columns, targets }))?.text).toBe(
      '{"controllers":["did:web:a","did:web:b","did:web:c"],"metadata":{"name":"B","n":1,"__proto__":"p"},' +
        '"accounts":[{"name":"n","address":"a"}]}',
    );
  });

  test.each<[string, string, Partial<CsvMapping>, string, string]>([
    ["JSON that is none", "A,{", { targets: ["name", "document"] }, "notJson", "b"],
    ["metadata that are a list", "A,[]", { targets: ["name", "metadata"] }, "notJsonObject", "b"],
    ["a cell without a column", "A,B,C", {}, "tooManyCells", "2"],
  ])("a row with %s is a fault of that row", async (_, row, changed, kind, column) => {
    expect(await rowOf(row, changed)).toMatchObject({ text: "", fault: { kind, column } });
  });
});

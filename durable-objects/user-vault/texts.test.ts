/**
 * Texts of plugins over real SQL: limits at their edge, totals together with values, and search compared with a plain
 * scan.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostileStrings } from "../../test/support/oracle/hostile-strings.ts";
import { createSqliteStorage } from "../../test/support/storage/sqlite-storage.ts";
import {
  KV_USER_BYTES,
  KV_VALUE_BYTES,
  TEXT_ID_LENGTH,
  TEXT_LENGTH,
  TEXTS_FOUND,
  TEXTS_PER_PLUGIN,
} from "../../oracle/framework/storage.ts";
import { createPluginValues } from "./plugin-values.ts";
import { createUserVaultSchema } from "./schema.ts";
import { createPluginTexts, SEARCHED_WORDS } from "./texts.ts";

function setUp() {
  const storage = createSqliteStorage();
  const schema = createUserVaultSchema(storage);
  const texts = createPluginTexts(storage, schema);
  let now = 0;
  return {
    texts,
    values: createPluginValues(storage, schema),
    put: (id: string, text: string, plugin = "memory", details = "{}") =>
      texts.put(plugin, { id, text, details }, (now += 1)),
    found: (query: string, plugin = "memory", limit = TEXTS_FOUND) =>
      texts.search(plugin, query, limit).map(({ id }) => id),
    totals() {
      schema.prepare();
      const rows = storage.database.prepare("SELECT plugin, keys, texts, bytes FROM plugin_totals").all();
      return Object.fromEntries(
        rows.map(({ plugin, keys, texts: count, bytes }) => [String(plugin), [keys, count, bytes].map(Number)]),
      );
    },
  };
}

describe("limits [OR-267]", () => {
  test("have these values", () => {
    expect([TEXT_LENGTH, TEXT_ID_LENGTH, TEXTS_PER_PLUGIN, TEXTS_FOUND]).toEqual([16_384, 128, 10_000, 50]);
  });

  test("a text has 16,384 characters, an id 1 to 128, details 262,144 bytes", () => {
    const { put } = setUp();
    expect(put("a", "x".repeat(16_384))).toMatchObject({ ok: true });
    expect(put("a", "x".repeat(16_385))).toMatchObject({ error: { limit: "value" } });
    expect(put("i".repeat(128), "x")).toMatchObject({ ok: true });
    expect(put("i".repeat(129), "x")).toMatchObject({ error: { limit: "key" } });
    expect(put("", "x")).toMatchObject({ error: { limit: "key" } });
    expect(put("\ud800", "x")).toMatchObject({ error: { limit: "key" } });
    expect(put("b", "x", "memory", " ".repeat(KV_VALUE_BYTES))).toMatchObject({ ok: true });
    expect(put("b", "x", "memory", " ".repeat(KV_VALUE_BYTES + 1))).toMatchObject({ error: { limit: "value" } });
  });

  test("a plugin has 10,000 texts; each plugin has its own limit, and a deleted text makes room", () => {
    const { put, texts } = setUp();
    for (let index = 0; index < 10_000; index += 1) put(String(index), "x");
    expect(put("one more", "x")).toMatchObject({ error: { limit: "keys" } });
    expect(texts.get("memory", "one more")).toBeNull();
    expect(put("5", "replaced")).toMatchObject({ ok: true });
    expect(put("0", "x", "notes")).toMatchObject({ ok: true });
    expect(texts.delete("memory", "7")).toBe(true);
    expect(put("one more", "x")).toMatchObject({ ok: true });
    expect(put("7", "x")).toMatchObject({ error: { limit: "keys" } });
  });

  test("texts and values of all plugins share 33,554,432 bytes; a refused text changes nothing", () => {
    const { put, values, texts, totals, found } = setUp();
    put("a", "tea");
    const filler = JSON.stringify("x".repeat(KV_VALUE_BYTES - 2));
    const used = () => Object.values(totals()).reduce((sum, [, , bytes = 0]) => sum + bytes, 0);
    for (let index = 0; KV_USER_BYTES - used() > KV_VALUE_BYTES + 10; index += 1)
      values.set("notes", String(index).padStart(3, "0"), filler);
    const rest = KV_USER_BYTES - used();
    values.set("notes", "rest", JSON.stringify("x".repeat(rest - "rest".length - 2 - 10)));
    expect(KV_USER_BYTES - used()).toBe(10);
    expect(put("b", "12345678")).toMatchObject({ error: { limit: "user" } });
    expect(put("a", "tea and 1234")).toMatchObject({ ok: true });
    expect(put("a", "tea and 12345")).toMatchObject({ ok: true });
    expect(put("a", "coffee and 12")).toMatchObject({ ok: true });
    expect(put("a", "coffee and 123")).toMatchObject({ error: { limit: "user" } });
    expect(found("coffee")).toEqual(["a"]);
    expect(found("123")).toEqual([]);
    expect(values.set("notes", "one", '"more"')).toMatchObject({ error: { limit: "user" } });
    expect(texts.clear("memory")).toBe(1);
    expect(values.set("notes", "one", '"more"')).toMatchObject({ ok: true });
  });
});

describe("texts [OR-266]", () => {
  test("are found unchanged, with details and time", () => {
    const { put, texts } = setUp();
    put("a", "tea \u0000 with 🌱 milk", "memory", '{"from":"m1"}');
    const stored = { id: "a", text: "tea \u0000 with 🌱 milk", details: '{"from":"m1"}', storedAt: 1 };
    expect(texts.get("memory", "a")).toEqual(stored);
    expect(texts.search("memory", "milk", 5)).toEqual([stored]);
    expect(texts.list("memory", undefined)).toEqual({ texts: [stored] });
    expect(texts.get("notes", "a")).toBeNull();
    expect(texts.search("notes", "milk", 5)).toEqual([]);
  });

  test("are listed newest first, including replaced ones, 50 per page", () => {
    const { put, texts } = setUp();
    for (let index = 0; index < 120; index += 1) put(`t${index}`, "tea");
    put("t3", "coffee");
    const pages: string[][] = [];
    let after: number | undefined;
    do {
      const page = texts.list("memory", after);
      pages.push(page.texts.map(({ id }) => id));
      after = page.after;
      // Deletions and additions meanwhile shift nothing.
      texts.delete("memory", page.texts.at(-1)?.id ?? "");
      put(`new${pages.length}`, "tea");
    } while (after !== undefined);
    expect(pages.map((page) => page.length)).toEqual([50, 50, 20]);
    expect(pages[0]?.slice(0, 2)).toEqual(["t3", "t119"]);
    expect(pages.flat().at(-1)).toBe("t0");
  });

  test("that were deleted, replaced or cleared are not found, and free their bytes", () => {
    const { put, texts, found, totals } = setUp();
    put("a", "green tea");
    put("b", "black tea");
    put("c", "green tea", "notes");
    put("a", "coffee");
    expect(found("green tea coffee")).toEqual(expect.arrayContaining(["a", "b"]));
    expect(found("green")).toEqual([]);
    expect(totals()).toEqual({ memory: [0, 2, 1 + 6 + 2 + 1 + 9 + 2], notes: [0, 1, 1 + 9 + 2] });
    expect([texts.delete("memory", "b"), texts.delete("memory", "b")]).toEqual([true, false]);
    expect(found("tea")).toEqual([]);
    expect([texts.clear("memory"), texts.clear("memory")]).toEqual([1, 0]);
    expect(totals()).toEqual({ notes: [0, 1, 12] });
    expect(found("green", "notes")).toEqual(["c"]);
  });
});

/** Words in the form of the index: lower case, without accents. */
function wordsOf(text: string): readonly string[] {
  const plain = text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The expected matches, found by reading everything. */
function scan(kept: ReadonlyMap<string, string>, query: string): readonly string[] {
  const wanted = wordsOf(query);
  return [...kept]
    .filter(([, text]) => wordsOf(text).some((word) => wanted.some((beginning) => word.startsWith(beginning))))
    .map(([id]) => id)
    .toSorted();
}

const hostileQueries = [
  ...hostileStrings.map(({ text }) => text),
  '"',
  '""',
  "'; DROP TABLE plugin_texts; --",
  "NEAR(tea milk, 1)",
  "tea AND",
  "tea NOT milk",
  "text : tea",
  "{text} : tea",
  "- text : tea",
  "^tea",
  "te*",
  "*",
  "tea + milk",
  "(tea",
  "🌱",
  "\u0000",
  "\ud800",
  "tea\u0000milk",
  "word ".repeat(2_000),
  "x".repeat(10_000),
  Array.from({ length: 2_000 }, (_, index) => `w${index}`).join(" "),
];

describe("search [OR-268]", () => {
  test("finds the same texts as a scan of all texts, after any changes", () => {
    const word = fc.constantFrom(
      "tea",
      "Tee",
      "TEAPOT",
      "thé",
      "a",
      "über",
      "Uber",
      "2024",
      "20",
      "cafe\u0301",
      "naïve",
      "na",
    );
    const mark = fc.constantFrom(
      " ",
      "  ",
      "-",
      '"',
      "'",
      " OR ",
      " AND ",
      " NOT ",
      "*",
      ":",
      "(",
      ")",
      "^",
      "+",
      "_",
      "🌱",
      "\n",
    );
    const phrase = fc.array(fc.oneof(word, mark), { maxLength: 8 }).map((parts) => parts.join(""));
    const id = fc.constantFrom("a", "b", "c", "d");
    const change = fc.oneof(
      { weight: 4, arbitrary: fc.record({ put: id, text: phrase }) },
      { weight: 1, arbitrary: fc.record({ delete: id }) },
    );
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 12 }),
        fc.array(phrase, { minLength: 1, maxLength: 4 }),
        (changes, queries) => {
          const { put, texts, found } = setUp();
          const kept = new Map<string, string>();
          put("a", queries.join(" "), "another plugin");
          for (const made of changes) {
            if ("put" in made) {
              put(made.put, made.text);
              kept.set(made.put, made.text);
            } else {
              texts.delete("memory", made.delete);
              kept.delete(made.delete);
            }
          }
          for (const query of queries) expect(found(query).toSorted()).toEqual(scan(kept, query));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("a hostile query is an ordinary search", () => {
    const { put, found } = setUp();
    const kept = new Map([
      ["a", "tea with milk"],
      ["b", "water"],
    ]);
    for (const [id, text] of kept) put(id, text);
    for (const query of hostileQueries) expect(found(query).toSorted(), query.slice(0, 60)).toEqual(scan(kept, query));
  });

  test("ranks texts with more of the words, and with rarer words, first", () => {
    const { put, found } = setUp();
    put("one", "tea in the morning");
    put("both", "tea with honey");
    for (let index = 0; index < 5; index += 1) put(`tea${index}`, "a tea of another kind");
    expect(found("honey tea")[0]).toBe("both");
    expect(found("HONEY, please")).toEqual(["both"]);
  });

  test("searches for 64 different words, and returns at most the requested number of texts, never above 50", () => {
    expect(SEARCHED_WORDS).toBe(64);
    const { put, found } = setUp();
    for (let index = 0; index < 60; index += 1) put(`t${index}`, "tea");
    put("last", "milk");
    expect(found("tea")).toHaveLength(50);
    expect(found("tea", "memory", 3)).toHaveLength(3);
    expect(found("tea", "memory", 0)).toHaveLength(1);
    expect(found("tea", "memory", 1e9)).toHaveLength(50);
    const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index} w${index}`).join(" ");
    expect(found(`${words(63)} milk`)).toEqual(["last"]);
    expect(found(`${words(64)} milk`)).toEqual([]);
  });

  test("a store that was never written to finds nothing and stays empty", () => {
    const storage = createSqliteStorage();
    const texts = createPluginTexts(storage, createUserVaultSchema(storage));
    expect([texts.search("a", "tea", 5), texts.list("a", undefined), texts.get("a", "b"), texts.clear("a")]).toEqual([
      [],
      { texts: [] },
      null,
      0,
    ]);
    expect(storage.database.prepare("SELECT COUNT(*) AS count FROM sqlite_master").get()).toEqual({ count: 0 });
  });
});

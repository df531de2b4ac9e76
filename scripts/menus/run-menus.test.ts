/** Runs of `npm run menus`, with files in memory. */
import { expect, test } from "vitest";
import { defaultMenu, faultsOf, orders, ordersWith } from "../../test/support/ussd/programme/menu-files.ts";
import type { MenusTask } from "./arguments.ts";
import { runMenus } from "./run-menus.ts";

function run(task: MenusTask, files: Record<string, string>) {
  let printed = "";
  const notes: string[] = [];
  const code = runMenus(task, {
    read: (path) => {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error("none"), { code: "ENOENT" });
      return text;
    },
    write: (path, text) => {
      files[path] = text;
    },
    print: (text) => {
      printed += text;
    },
    note: (line) => notes.push(line),
  });
  return { code, printed, notes, files };
}

test("check counts a right file, and lists the faults of a wrong one [PH-158]", () => {
  const check = { kind: "check", file: "a.yaml" } as const;
  expect(run(check, { "a.yaml": orders })).toMatchObject({
    code: 0,
    notes: ["orders: 21 screens, 22 texts, 2 languages, 2 tests passed"],
  });
  const wrong = run(check, { "a.yaml": ordersWith("to: placed\n", "to: nowhere\n") });
  expect(wrong).toMatchObject({ code: 1, notes: ["npm run menus: 2 faults"] });
  expect(wrong.printed).toMatch(/^line \d+: screen place: leads to "nowhere", which is not a screen\n/m);
  expect(run(check, {})).toMatchObject({ code: 1, notes: ["npm run menus: a.yaml cannot be read: ENOENT"] });
});

test("the command test lists the tests of the file [PH-157]", () => {
  expect(run({ kind: "test", file: "a" }, { a: orders }).printed).toBe(
    "passed: order two bags\npassed: the price has changed\n",
  );
});

test("a language is exported, translated and imported; comments stay, and what exists is unchanged [PH-163]", () => {
  const files = { menu: defaultMenu };
  const { printed: po } = run({ kind: "export", file: "menu", language: "sw" }, files);
  const better = po.replace('msgstr "Huduma"', 'msgstr "Huduma zetu"');
  expect(better).not.toBe(po);
  const done = run({ kind: "import", file: "menu", po: "sw.po" }, { ...files, "sw.po": better });
  expect(done.code).toBe(0);
  expect(done.notes[0]).toMatch(/^sw: \d+ texts written, 0 not translated$/);
  const text = done.files["menu"] ?? "";
  expect(text).toContain("# The menus that ship");
  expect(text).toContain("Huduma zetu");
  expect(text.split("\n").length).toBeGreaterThan(200);
});

test("a new language comes into the file, whose check then asks for the gateway's phrases in it [PH-163]", () => {
  const { printed: po } = run({ kind: "export", file: "menu", language: "bem" }, { menu: orders });
  const translated = po.replace('msgid "Goodbye."\nmsgstr ""', 'msgid "Goodbye."\nmsgstr "Shalenipo."');
  const done = run({ kind: "import", file: "menu", po: "po" }, { menu: orders, po: translated });
  expect(done.code).toBe(1);
  expect(done.files["menu"]).toContain("Shalenipo.");
  expect(done.printed).toContain("bem: the gateway has no texts in it: write them below phrases");
});

test("a text whose original has changed is not written, and is named [PH-163]", () => {
  const { printed: po } = run({ kind: "export", file: "menu", language: "fr" }, { menu: orders });
  const changed = ordersWith("Order bags", "Order fuel");
  const done = run({ kind: "import", file: "menu", po: "po" }, { menu: changed.replace("Commander", "Autre"), po });
  expect(done.notes).toContain("order: its original has changed since the export; translate it again");
  expect(done.files["menu"]).toContain("Autre");
});

test("a file of JSON stays JSON with its numbers [PH-163]", () => {
  const json = JSON.stringify({
    menu: 1,
    programme: "p",
    languages: ["en", "fr"],
    start: "a",
    texts: { hi: { en: "Hi", fr: "Salut" } },
    screens: { a: { show: "hi", exit: "always" } },
  });
  const { printed: po } = run({ kind: "export", file: "menu", language: "fr" }, { menu: json });
  const done = run({ kind: "import", file: "menu", po: "po" }, { menu: json, po: po.replace("Salut", "Bonjour") });
  expect(done.code).toBe(0);
  expect(JSON.parse(done.files["menu"] ?? "")).toMatchObject({ menu: 1, texts: { hi: { en: "Hi", fr: "Bonjour" } } });
  expect(faultsOf(done.files["menu"] ?? "")).toEqual([]);
});

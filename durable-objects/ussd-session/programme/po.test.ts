/** Texts of a menu file as PO and back. */
import { expect, test } from "vitest";
import { defaultMenu, orders } from "../../../test/support/ussd/programme/menu-files.ts";
import { readPo, writePo } from "./po.ts";
import { readMenuFile } from "./read-menu-file.ts";

function fileOf(source: string) {
  const read = readMenuFile(source);
  if (!read.ok) throw new Error("the file has faults");
  return read.value.file;
}

test("a text is an entry with its name, its screens, its original and its translation [PH-163]", () => {
  const po = writePo(fileOf(orders), "fr");
  expect(po).toContain('"Language: fr\\n"');
  expect(po).toContain(
    '#. placed\nmsgctxt "placed"\nmsgid "Ordered. Receipt {receipt}."\nmsgstr "Commandé. Reçu {receipt}."\n',
  );
});

test.each(["sw", "fr", "pt", "bem"])(
  "every text of the menus that ship comes back unchanged in %s [PH-163]",
  (language) => {
    const file = fileOf(defaultMenu);
    const read = readPo(writePo(file, language));
    expect(read).toEqual({
      ok: true,
      value: {
        language,
        entries: Object.entries(file.texts).map(([context, texts]) => ({
          context,
          source: texts["en"],
          translation: texts[language] ?? "",
          isOpen: texts[language] === undefined,
        })),
      },
    });
  },
);

test("entries on several lines, escapes, comments and unsure entries are read [PH-163]", () => {
  const po = String.raw`msgid ""
msgstr ""
"Language: sw\n"

# a comment
#, fuzzy
msgctxt "one"
msgid "A \"b\"\n"
"c"
msgstr "D\\"
msgctxt "two"
msgid "E"
msgstr ""
`;
  expect(readPo(po)).toEqual({
    ok: true,
    value: {
      language: "sw",
      entries: [
        { context: "one", source: 'A "b"\nc', translation: "D\\", isOpen: true },
        { context: "two", source: "E", translation: "", isOpen: true },
      ],
    },
  });
});

test.each([
  ['msgid ""\nmsgstr ""\n', "the header needs a line such as Language: sw"],
  ["Language: sw", "line 1: write msgctxt, msgid or msgstr"],
  ['msgid "a', "line 1: write msgctxt, msgid or msgstr"],
  ["x".repeat(1024 * 1024 + 1), "at most 1048576 characters"],
])("a file that is not PO is refused with a sentence [PH-163]", (po, sentence) => {
  expect(readPo(po)).toMatchObject({ ok: false, error: expect.stringContaining(sentence) });
});

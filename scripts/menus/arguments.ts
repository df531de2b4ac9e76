/** The command line of `npm run menus`, parsed once into one task. */
import { defineCommand } from "../command.ts";

const usage = `Usage: npm run menus -- COMMAND FILE [options]

  check FILE               check a menu file, YAML or JSON: form, ways, texts, widths, calls, and its own tests
  test FILE                check it, and print each of its tests
  export FILE --po         print its texts as a PO file for translators
    --language CODE        the language to translate into, such as sw; it may be new
  import FILE --po PO      write the translations of a PO file into the menu file, and check it

Always:
  --help                   this text

A fault is one line: the line of the file, the screen, the language, the count and the fault. docs/menu-files.md describes
the format.

Exit codes: 0 done, 1 the file has faults, 2 wrong usage.
`;

export type MenusTask =
  | { readonly kind: "check" | "test"; readonly file: string }
  | { readonly kind: "export"; readonly file: string; readonly language: string }
  | { readonly kind: "import"; readonly file: string; readonly po: string };

export const menusCommand = defineCommand({
  name: "npm run menus",
  usage,
  options: { po: { type: "boolean", default: false }, language: { type: "string" } },
  takesWords: true,
  read: ({ values: { po, language }, words }) => taskOf(words, po, language),
});

function taskOf([kind, file, ...more]: readonly string[], po: boolean, language: string | undefined): MenusTask {
  if (kind !== "check" && kind !== "test" && kind !== "export" && kind !== "import")
    throw new Error("name a command: check, test, export or import");
  if (file === undefined) throw new Error(`${kind} takes a menu file`);
  if (kind !== "export" && language !== undefined) throw new Error("--language goes with export");
  if (kind === "import") {
    const [from, ...others] = more;
    if (!po || from === undefined || others.length > 0) throw new Error("import takes a menu file, --po and a PO file");
    return { kind, file, po: from };
  }
  if (more.length > 0) throw new Error("name one file");
  if (kind !== "export") {
    if (po) throw new Error("--po goes with export and import");
    return { kind, file };
  }
  if (!po) throw new Error("export takes --po");
  if (language === undefined || !/^[a-z]{2,3}$/.test(language))
    throw new Error("export takes --language, two or three small letters such as sw");
  return { kind, file, language };
}

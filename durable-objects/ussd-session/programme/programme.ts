/**
 * A menu file ready to run: maps instead of records, templates instead of texts, a dictionary for each language. It is built once per
 * version and does not change.
 */
import type { Screen } from "../screen/screen.ts";
import type { Dictionary } from "../texts/dictionary.ts";
import type { FileService, ValueSpec } from "./menu-file.ts";
import type { FileScreen } from "./screen-schemas.ts";
import type { Template } from "./template.ts";

export interface Programme {
  readonly id: string;
  readonly languages: readonly string[];
  readonly start: string;
  readonly exit: string | undefined;
  readonly screens: ReadonlyMap<string, FileScreen>;
  readonly values: ReadonlyMap<string, ValueSpec>;
  readonly services: ReadonlyMap<string, FileService>;
  /** By language. */
  readonly wordings: ReadonlyMap<string, Wording>;
}

/** One language of a programme. */
export interface Wording {
  /** The gateway's own texts. A language that only the file has takes those of parts from English. */
  readonly dictionary: Dictionary;
  readonly templates: ReadonlyMap<string, Template>;
  /** The screens that are equal for every caller, made once. */
  readonly fixed: ReadonlyMap<string, Screen>;
}

export function wordingIn({ wordings, languages }: Programme, language: string): Wording {
  const wording = wordings.get(language) ?? wordings.get(languages[0] ?? "");
  if (wording === undefined) throw new Error("a programme has no language");
  return wording;
}

export function screenNamed({ screens }: Programme, name: string): FileScreen {
  const screen = screens.get(name);
  if (screen === undefined) throw new Error("a programme has no such screen");
  return screen;
}

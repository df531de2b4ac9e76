/** A screen of a programme as the blocks that the gateway renders, for a caller. */
import { cut, isGsm7, printableLine } from "../texts/characters.ts";
import { fill } from "../texts/dictionary.ts";
import { line, NAME_WIDTH, option, type Block, type Screen } from "../screen/screen.ts";
import { SKIP_KEY } from "../input/typed-input.ts";
import type { ValueSpec } from "./menu-file.ts";
import type { Wording } from "./programme.ts";
import type { Condition } from "./names.ts";
import type { AskScreen, EndScreen, FileOption, FileScreen, MenuScreen, ShowScreen } from "./screen-schemas.ts";
import { fillTemplate, type ValueOf } from "./template.ts";

/** The gateway's knowledge of a caller and of itself. It is given with each step and never stored in the programme's state. */
export interface Facts {
  readonly app: string;
  readonly supportPhone?: string | undefined;
  /** Null if the caller is not logged in. */
  readonly person: { readonly name: string; readonly customerId: string; readonly role?: string | undefined } | null;
  readonly draft: "account" | "question" | null;
  readonly sms: boolean;
  /** UTC, such as 2026-11-28. */
  readonly today: string;
}

export type SeenScreen = MenuScreen | AskScreen | ShowScreen;

export function isSeen(screen: FileScreen): screen is SeenScreen {
  return "menu" in screen || "ask" in screen || "show" in screen;
}

/** Where the text of a screen comes from. */
export interface Sight {
  readonly specs: ReadonlyMap<string, ValueSpec>;
  readonly wording: Wording;
  readonly values: Readonly<Record<string, string>>;
  readonly facts: Facts;
}

/** The screen with its name, in the caller's language and with their values. */
export function screenFor(name: string, screen: SeenScreen | EndScreen, sight: Sight): Screen {
  const known = sight.wording.fixed.get(name);
  if (known !== undefined) return known;
  const id = screen.id ?? name;
  const shown = (text: string): string => textFor(text, sight);
  if ("end" in screen) return { id, end: true, blocks: linesOf(shown(screen.end)), back: false, exit: "never" };
  const back = screen.back !== "none";
  if ("ask" in screen) return askFor(id, screen, shown, sight, back);
  const offered = offeredOptions(screen, sight.facts).map(({ key, text }) => option(key, shown(text)));
  const exit = screen.exit === undefined || screen.exit === "fits" ? "where-it-fits" : screen.exit;
  if ("show" in screen) {
    return { id, blocks: [{ kind: "prose", text: shown(screen.show) }, ...offered], back, exit, informs: true };
  }
  const head: readonly Block[] = screen.pages
    ? [{ kind: "prose", text: shown(screen.menu) }]
    : linesOf(shown(screen.menu));
  const { compact } = screen;
  if (compact === undefined) return { id, blocks: [...head, ...offered], back, exit };
  const labels: Readonly<Record<string, string>> = compact.options;
  const short = offeredOptions(screen, sight.facts).map(({ key, text }) =>
    option(key, shown(Object.hasOwn(labels, key) ? (labels[key] ?? text) : text)),
  );
  return { id, blocks: [...head, ...offered], back, exit, compact: [...linesOf(shown(compact.text)), ...short] };
}

function askFor(id: string, screen: AskScreen, shown: (text: string) => string, sight: Sight, back: boolean): Screen {
  const { texts } = sight.wording.dictionary;
  const skip = "optional" in screen && screen.optional ? [option(SKIP_KEY, texts.skip)] : [];
  const question = linesOf(shown(screen.text));
  if (screen.ask !== "choice") return { id, blocks: [...question, ...skip], back, exit: "never" };
  const choices = screen.choices.map(({ key, text }) => option(key, shown(text)));
  return { id, blocks: [...question, ...choices, ...skip], back, exit: "where-it-fits" };
}

/** The options that this caller can choose. */
export function offeredOptions({ options = [] }: MenuScreen | ShowScreen, facts: Facts): readonly FileOption[] {
  return options.filter(({ when, role }) => holds(when, facts) && hasRole(role, facts));
}

function holds(condition: Condition | undefined, { person, draft, sms }: Facts): boolean {
  switch (condition) {
    case undefined:
      return true;
    case "loggedIn":
      return person !== null;
    case "loggedOut":
      return person === null;
    case "draft":
      return draft !== null;
    case "sms":
      return sms;
  }
}

export function hasRole(roles: readonly string[] | undefined, { person }: Facts): boolean {
  return roles === undefined || (person?.role !== undefined && roles.includes(person.role));
}

/** Each line is a block, which stays in one piece; a blank line belongs to the line above it. */
function linesOf(text: string): readonly Block[] {
  return text.split(/\n(?!\n)/).map(line);
}

export function textFor(name: string, sight: Sight): string {
  const template = sight.wording.templates.get(name) ?? [];
  const [only] = template;
  if (template.length === 1 && typeof only === "string") return only;
  return fillTemplate(template, valueIn(sight));
}

function valueIn({ specs, values, facts, wording }: Sight): ValueOf {
  return (name) => {
    const spec = specs.get(name);
    if (spec !== undefined) return Object.hasOwn(values, name) ? displayed(values[name] ?? "", spec) : undefined;
    switch (name) {
      case "app":
        return facts.app;
      case "today":
        return facts.today;
      case "support":
        return facts.supportPhone && fill(wording.dictionary.texts.callSupport, { phone: facts.supportPhone });
      case "name":
        return facts.person === null ? undefined : cut(printableLine(facts.person.name), NAME_WIDTH);
      case "customerId":
        return facts.person?.customerId;
      default:
        return undefined;
    }
  };
}

/** A value within its width. It cannot start an option, and without `alphabet: any` it cannot make the reply UCS-2. */
function displayed(value: string, { max, alphabet = "gsm7" }: ValueSpec): string {
  const plain = printableLine(value);
  const shown =
    alphabet === "any" || isGsm7(plain) ? plain : Array.from(plain, (one) => (isGsm7(one) ? one : "?")).join("");
  return cut(shown, max);
}

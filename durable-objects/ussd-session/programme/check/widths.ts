/** Every screen fits one reply in every language with the widest values, or may take pages. An option is never cut. */
import { ucs2Limit } from "../../../../shared/gsm7.ts";
import { render, SHORT_MESSAGE_SEPTETS } from "../../screen/render.ts";
import { optionText, type Screen } from "../../screen/screen.ts";
import { fits, isGsm7, widthOf, type ScreenLimit } from "../../texts/characters.ts";
import { BUILT_IN_WIDTHS } from "../built-in-values.ts";
import { isSeen, screenFor, type Facts, type Sight } from "../file-screen.ts";
import type { MenuFile } from "../menu-file.ts";
import { wordingIn, type Programme } from "../programme.ts";
import type { FileScreen } from "../screen-schemas.ts";
import { allNames } from "../template.ts";
import { textsOf } from "../used-texts.ts";
import type { Report } from "./report.ts";

const LIMIT: ScreenLimit = { septets: 160, countPrefix: true };
/** Each page costs the caller time, and often money. */
const MOST_PAGES = 10;
/** Replies that one check renders; a file within the other limits seldom needs a tenth. */
const MOST_REPLIES = 10_000;
/** The widest character of the phone's alphabet that counts one, and one outside it. */
const WIDE = "W";
const WIDE_UCS2 = "\u519c";

export function checkWidths(file: MenuFile, programme: Programme, report: Report): void {
  let replies = 0;
  /** By language and look: screens often differ in their targets only. */
  const known = new Map<string, Found>();
  for (const [name, screen] of Object.entries(file.screens)) {
    if (!isSeen(screen) && !("end" in screen)) continue;
    for (const language of file.languages) {
      const wording = wordingIn(programme, language);
      for (const values of widestValues(file, screen, name, language, programme)) {
        for (const facts of variants(screen)) {
          const sight: Sight = { specs: programme.values, wording, values, facts };
          const { id: _, ...look } = screenFor(name, screen, sight);
          const key = `${language} ${JSON.stringify(look)}`;
          let fault = known.get(key);
          if (fault === undefined) {
            fault = faultOf({ id: name, ...look }, sight);
            known.set(key, fault);
            replies += fault.replies;
          }
          if (replies > MOST_REPLIES) {
            report(["screens"], `need more than ${MOST_REPLIES} replies to check: split the file`, { count: replies });
            return;
          }
          if (fault.sentence === undefined) continue;
          report(["screens", name], fault.sentence, { screen: name, language, count: fault.count });
          break;
        }
      }
    }
  }
}

interface Found {
  readonly replies: number;
  readonly count?: number;
  readonly sentence?: string;
}

function faultOf(screen: Screen, { wording: { dictionary } }: Sight): Found {
  if (screen.end) {
    const body = screen.blocks.map((block) => ("text" in block ? block.text : "")).join("\n");
    return fits(body, LIMIT) ? { replies: 1 } : { replies: 1, ...tooLong(`CON ${body}`, "") };
  }
  const first = render(screen, { dictionary, limit: LIMIT });
  if (first.overflow) {
    // As the reply would be without a limit; the line of exit may be dropped.
    const { compact: _, ...whole } = screen;
    const long: Screen = { ...whole, blocks: screen.compact ?? screen.blocks, exit: exitOf(screen) };
    const { body } = render(long, { dictionary, limit: { septets: 10_000, countPrefix: true } });
    return { replies: 2, ...tooLong(`CON ${body}`, isGsm7(body) ? `${"x".repeat(SHORT_MESSAGE_SEPTETS)}\n` : "") };
  }
  if (first.pages > MOST_PAGES)
    return { replies: 1, count: first.pages, sentence: `takes ${first.pages} pages; at most ${MOST_PAGES} may be` };
  const wide = screen.blocks.filter((block) => block.kind === "option" && !fitsAnywhere(optionText(block)));
  if (first.pages === 1 || wide.length === 0) return { replies: 1 };
  const lines = new Set(
    Array.from({ length: first.pages }, (_, index) => render(screen, { dictionary, limit: LIMIT, page: index + 1 }))
      .map(({ body }) => body.split("\n"))
      .flat(),
  );
  for (const block of wide) {
    if (block.kind !== "option" || lines.has(optionText(block))) continue;
    const count = widthOf(optionText(block));
    return { replies: first.pages, count, sentence: `the option ${block.key} is too long for a page: ${count}` };
  }
  return { replies: first.pages };
}

/** Septets that any page has for an option, whatever is around it. */
const SURE_WIDTH = 80;

function fitsAnywhere(option: string): boolean {
  return isGsm7(option) && widthOf(option) <= SURE_WIDTH;
}

function exitOf({ exit }: Screen): Screen["exit"] {
  return exit === "always" ? exit : "never";
}

function tooLong(reply: string, room: string): { readonly count: number; readonly sentence: string } {
  const whole = room + reply;
  const count = widthOf(whole);
  const [limit, unit] = isGsm7(whole) ? [LIMIT.septets, "septets"] : [ucs2Limit(LIMIT.septets), "UCS-2 characters"];
  const place = room === "" ? "with its prefix" : "with its prefix and room for a short message";
  return { count, sentence: `${count} of ${limit} ${unit}, ${place}` };
}

/** The widest values, and those outside the alphabet if the screen shows a value that may have such characters. */
function widestValues(file: MenuFile, screen: FileScreen, name: string, language: string, { wordings }: Programme) {
  const templates = wordings.get(language)?.templates;
  const shown = new Set(textsOf(name, screen).flatMap(({ text }) => allNames(templates?.get(text) ?? [])));
  const specs = Object.entries(file.values ?? {}).filter(([value]) => shown.has(value));
  const widest = (character: (alphabet: "gsm7" | "any") => string): Readonly<Record<string, string>> =>
    Object.fromEntries(specs.map(([value, { max, alphabet = "gsm7" }]) => [value, character(alphabet).repeat(max)]));
  const plain = widest(() => WIDE);
  const hasAny = specs.some(([, { alphabet }]) => alphabet === "any");
  return hasAny ? [plain, widest((alphabet) => (alphabet === "any" ? WIDE_UCS2 : WIDE))] : [plain];
}

/** Every caller for whom the screen has other options. */
function variants(screen: FileScreen): readonly Facts[] {
  const options = "options" in screen ? (screen.options ?? []) : [];
  const conditions = new Set(options.flatMap(({ when }) => when ?? []));
  const roles = [undefined, ...new Set(options.flatMap(({ role }) => role ?? []))];
  const width = (value: string): string => WIDE.repeat(BUILT_IN_WIDTHS.get(value) ?? 0);
  const person = { name: width("name"), customerId: width("customerId") };
  const people = [
    ...roles.map((role) => ({ ...person, role })),
    ...(conditions.has("loggedIn") || conditions.has("loggedOut") ? [null] : []),
  ];
  const drafts = conditions.has("draft") ? ([null, "account"] as const) : ([null] as const);
  const sms = conditions.has("sms") ? [false, true] : [false];
  return people.flatMap((person) =>
    drafts.flatMap((draft) =>
      sms.map((sms) => ({
        app: width("app"),
        supportPhone: "+123456789012345",
        person,
        draft,
        sms,
        today: "2026-11-28",
      })),
    ),
  );
}

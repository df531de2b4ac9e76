/**
 * Members of a new domain that have no meaning: in the body, and in its document, credentials and accounts. They are
 * accepted, because entity documents of the platform contain many. The response names them, so that a typing error is
 * noticed.
 */
import * as z from "zod";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../platform/json.ts";
import { unknownDocumentMembers } from "./document.ts";
import { creationMembers, secondNames } from "./draft.ts";

/** Maximum number of names listed, and characters of each. */
const NAMES = 50;
const NAME_LENGTH = 100;

/** The members of a credential and of an account. */
const listed = { credentials: ["id", "type", "status"], accounts: ["name", "address"] } as const;

const known = [...Object.keys(creationMembers.shape), ...Object.values(secondNames).map(([name]) => name)];

/** The form in the OpenAPI document. */
export const ignoredForm = {
  ignored: z
    .array(z.string())
    .optional()
    .meta({ description: "Members that were ignored, such as `metdata` or `document/service/colour`." }),
  didYouMean: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: "For each ignored name, the known member that it resembles." }),
};

export interface IgnoredMembers {
  readonly ignored?: readonly string[];
  /** For each ignored name, a known member with a similar name. */
  readonly didYouMean?: Readonly<Record<string, string>>;
}

/** Empty if nothing is ignored. `also` lists further members that this body may have. */
export function ignoredMembers(body: JsonObject, also: readonly string[] = []): IgnoredMembers {
  const outer = Object.keys(body).filter((name) => !known.includes(name) && !also.includes(name));
  const ignored = [...new Set([...outer, ...ignoredInside(body)])]
    .slice(0, NAMES)
    .map((name) => name.slice(0, NAME_LENGTH));
  if (ignored.length === 0) return {};
  const alike = ignored.flatMap((name): [string, string][] => {
    const meant = outer.includes(name) ? known.find((each) => isAlike(name, each)) : undefined;
    return meant === undefined ? [] : [[name, meant]];
  });
  return { ignored, ...(alike.length === 0 ? {} : { didYouMean: Object.fromEntries(alike) }) };
}

/** With the path of each member and without item numbers: `document/service/colour`. */
function ignoredInside({ document, ...body }: JsonObject): readonly string[] {
  const inDocument = isJsonObject(document) ? unknownDocumentMembers(document) : [];
  return [
    ...inDocument.map(({ pointer = "" }) => pointer.slice(1).replace(/^(document\/\w+)\/\d+\//, "$1/")),
    ...Object.entries(listed).flatMap(([list, names]) =>
      itemsOf(body[list]).flatMap((item) =>
        Object.keys(item)
          .filter((name) => !names.some((each) => each === name))
          .map((name) => `${list}/${name}`),
      ),
    ),
  ];
}

function itemsOf(list: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? (list as readonly JsonValue[]).filter(isJsonObject) : [];
}

/** Maximum edits between two spellings of one name. */
const TYPING_ERRORS = 2;

/** Case, dashes and underscores are ignored. */
function isAlike(name: string, wanted: string): boolean {
  const [one, other] = [name, wanted].map((each) => each.toLowerCase().replace(/[-_]/g, ""));
  return distance(one ?? "", other ?? "") <= Math.min(TYPING_ERRORS, Math.floor(wanted.length / 3));
}

/** The edit distance: letters to add, drop, change or swap with their neighbour. */
function distance(one: string, other: string): number {
  let [beforeLast, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1;
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (current[column - 1] ?? 0) + 1,
        (last[column] ?? 0) + 1,
        (last[column - 1] ?? 0) + same,
        swapped ? (beforeLast[column - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length] ?? 0;
}

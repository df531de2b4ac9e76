/** What a call of a programme sends, and the values that its answer fills. */
import { widthOf } from "../texts/characters.ts";
import type { Programme } from "./programme.ts";
import type { CallScreen } from "./screen-schemas.ts";
import { fillTemplate, parseTemplate } from "./template.ts";

/** Answered with its members, or failed, possibly with the service's own code. */
export type Answer =
  | { readonly ok: true; readonly members: Readonly<Record<string, string | number>> }
  | { readonly ok: false; readonly error?: string | undefined };

export function sentMembers(
  { with: members = {} }: CallScreen,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const filled = Object.entries(members).map(([name, text]) => {
    const template = parseTemplate(text);
    const valueOf = (value: string): string | undefined => (Object.hasOwn(values, value) ? values[value] : undefined);
    return [name, template.ok ? fillTemplate(template.value, valueOf) : text] as const;
  });
  return Object.fromEntries(filled);
}

/** Undefined if the answer lacks a member or has one that is too wide: then the call counts as failed. */
export function answeredValues(
  { values }: Programme,
  { save = {} }: CallScreen,
  members: Readonly<Record<string, string | number>>,
): Readonly<Record<string, string>> | undefined {
  const read: [string, string][] = [];
  for (const [name, member] of Object.entries(save)) {
    const spec = values.get(name);
    const answer = Object.hasOwn(members, member) ? members[member] : undefined;
    if (spec === undefined || answer === undefined) return undefined;
    const text = String(answer);
    if (spec.cut) read.push([name, text.slice(0, CUT_LENGTH)]);
    else if (widthOf(text) > spec.max) return undefined;
    else read.push([name, text]);
  }
  return Object.fromEntries(read);
}

/** Characters that are stored of an answer that is shortened on the screen. */
const CUT_LENGTH = 600;

/** A domain of the registry as menus show it: as an option of a list, and by itself. */
import { cut, printableLine } from "../texts/characters.ts";
import { fill, type Dictionary } from "../texts/dictionary.ts";
import { line, NAME_WIDTH, option, type Block } from "../screen/screen.ts";
import type { VerificationState } from "../texts/translation.ts";

/** What a session stores of a domain. */
export interface DomainView {
  readonly id: string;
  readonly name?: string;
  readonly type: string;
  /** A state of the registry's verification axis. */
  readonly verification: string;
  /** `YYYY-MM-DD`, or a longer ISO time. */
  readonly validUntil?: string;
}

/** Before one is chosen; no screen shows it. */
export const NO_DOMAIN: DomainView = { id: "", type: "", verification: "" };

/** Domains that a list shows; more are not asked for. */
export const LISTED_DOMAINS = 50;
/** Matches of one suffix that can be picked from; more need a longer suffix. */
export const PICKED_DOMAINS = 9;
/** Septets of a type on the screen of one domain. */
const TYPE_WIDTH = 20;
/** Characters of an id that stand for a missing name. */
const ID_TAIL = 12;
const DATE_LENGTH = "2026-01-01".length;

export function domainOptions(dictionary: Dictionary, domains: readonly DomainView[]): readonly Block[] {
  return domains.map((domain, index) =>
    option(String(index + 1), nameOf(domain), wordingOf(dictionary, domain.verification)),
  );
}

export function domainLines(dictionary: Dictionary, domain: DomainView): readonly Block[] {
  const { texts } = dictionary;
  const type = cut(printableLine(domain.type), TYPE_WIDTH);
  const date = domain.validUntil === undefined ? "-" : printableLine(domain.validUntil).slice(0, DATE_LENGTH);
  return [
    line(nameOf(domain)),
    line(fill(texts.domainType, { type })),
    line(fill(texts.domainStatus, { status: wordingOf(dictionary, domain.verification) })),
    line(fill(texts.domainValidUntil, { date })),
  ];
}

function nameOf({ name, id }: DomainView): string {
  const named = printableLine(name ?? "");
  return named === "" ? `..${printableLine(id).slice(-ID_TAIL)}` : cut(named, NAME_WIDTH);
}

/** An unknown state is shown as it is. */
function wordingOf({ verification }: Dictionary, state: string): string {
  return Object.hasOwn(verification, state)
    ? verification[state as VerificationState]
    : cut(printableLine(state), NAME_WIDTH);
}

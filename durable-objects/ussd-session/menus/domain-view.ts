/** A domain of the registry in menus: as an option of a list, and on its own screen. */
import { cut, printableLine } from "../texts/characters.ts";
import { fill, type Dictionary } from "../texts/dictionary.ts";
import { line, NAME_WIDTH, option, type Block } from "../screen/screen.ts";
import type { VerificationState } from "../texts/translation.ts";

/** The data of a domain that a session stores. */
export interface DomainView {
  readonly id: string;
  readonly name?: string;
  readonly type: string;
  /** The registry's verification status. */
  readonly verification: string;
  /** `YYYY-MM-DD`, or a longer ISO time. */
  readonly validUntil?: string;
}

/** The view before a domain is chosen; no screen shows it. */
export const NO_DOMAIN: DomainView = { id: "", type: "", verification: "" };

/** Maximum domains in a list; no more are requested. */
export const LISTED_DOMAINS = 50;
/** Maximum matches of one suffix to pick from; more require a longer suffix. */
export const PICKED_DOMAINS = 9;
/** Septets of a type on the screen of one domain. */
const TYPE_WIDTH = 20;
/** Characters of an id that replace a missing name. */
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

/** An unknown status is shown unchanged. */
function wordingOf({ verification }: Dictionary, state: string): string {
  return Object.hasOwn(verification, state)
    ? verification[state as VerificationState]
    : cut(printableLine(state), NAME_WIDTH);
}

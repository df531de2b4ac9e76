/** MD, DR, DQ and DP: the customer's domains, one domain, asking for one, several that match (contract/ussd.md section 5.7). */
import { cut, printableLine } from "../characters/folding.ts";
import { fill, type Dictionary, type VerificationState } from "../i18n/dictionary.ts";
import { NAME_WIDTH } from "./login.ts";
import { line, menu, option, prompt, type Screen } from "./screen.ts";

/** What the registry tells of a domain, as far as a phone shows it. */
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

export const DOMAIN_KEYS = { showDid: "1", checkAnother: "1" } as const;

export function myDomainsScreen(dictionary: Dictionary, domains: readonly DomainView[]): Screen {
  return menu("MD", listed(dictionary, domains.slice(0, LISTED_DOMAINS)), { title: dictionary.texts.myDomains });
}

/** Several domains end in what was asked for. */
export function pickDomainScreen(dictionary: Dictionary, domains: readonly DomainView[]): Screen {
  return menu("DP", listed(dictionary, domains.slice(0, PICKED_DOMAINS)), { title: dictionary.texts.severalDomains });
}

/** One of the customer's own. */
export function myDomainScreen(dictionary: Dictionary, domain: DomainView): Screen {
  return menu("DR", [...described(dictionary, domain), option(DOMAIN_KEYS.showDid, dictionary.texts.showDid)]);
}

/** One that was asked for. */
export function domainStatusScreen(dictionary: Dictionary, domain: DomainView): Screen {
  return menu("DR", [
    ...described(dictionary, domain),
    option(DOMAIN_KEYS.checkAnother, dictionary.texts.checkAnother),
  ]);
}

export function domainDidScreen(_: Dictionary, { id }: { readonly id: string }): Screen {
  return prompt("DID", [{ kind: "prose", text: printableLine(id) }]);
}

export function domainQueryScreen({ texts }: Dictionary): Screen {
  return prompt("DQ", [line(texts.domainPrompt)]);
}

function listed(dictionary: Dictionary, domains: readonly DomainView[]) {
  return domains.map((domain, index) =>
    option(String(index + 1), nameOf(domain), wordOf(dictionary, domain.verification)),
  );
}

function described(dictionary: Dictionary, domain: DomainView) {
  const { texts } = dictionary;
  const type = cut(printableLine(domain.type), TYPE_WIDTH);
  const date = domain.validUntil === undefined ? "-" : printableLine(domain.validUntil).slice(0, DATE_LENGTH);
  return [
    line(nameOf(domain)),
    line(fill(texts.domainType, { type })),
    line(fill(texts.domainStatus, { status: wordOf(dictionary, domain.verification) })),
    line(fill(texts.domainValidUntil, { date })),
  ];
}

function nameOf({ name, id }: DomainView): string {
  const named = printableLine(name ?? "");
  return named === "" ? `..${printableLine(id).slice(-ID_TAIL)}` : cut(named, NAME_WIDTH);
}

/** A state that we do not know is shown as it came. */
function wordOf({ verification }: Dictionary, state: string): string {
  return Object.hasOwn(verification, state)
    ? verification[state as VerificationState]
    : cut(printableLine(state), NAME_WIDTH);
}

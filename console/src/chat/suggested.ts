/** The suggestions of an empty conversation: each has a label and a message. */
import { chatTexts } from "../texts/chat.ts";

const rememberThat = "Remember that my stove is a Kiboko 2";

const whatRemembered = "What do you remember?";

const whyLabel = "Why is it not verified?";

const howLabel = "How was it verified?";

/** The domain that the user came from. */
export interface AboutDomain {
  readonly did: string;
  /** Undefined: it has none, or the registry did not return it. */
  readonly name?: string | undefined;
  readonly isVerified?: boolean | undefined;
}

type Suggestion = readonly [label: string, message: string];

export function suggestionsFor(about: AboutDomain | undefined, plugins: readonly string[]): readonly Suggestion[] {
  const { whatIsDomain, forgetAll, aboutLabel, aboutDomain } = chatTexts;
  const said = (text: string): Suggestion => [text, text];
  return [
    ...(about === undefined
      ? []
      : [[aboutLabel(about), aboutDomain(about)] satisfies Suggestion, ...verificationQuestions(about)]),
    said(whatIsDomain),
    ...(plugins.includes("memory") ? [rememberThat, whatRemembered, forgetAll].map(said) : []),
  ];
}

function verificationQuestions(about: AboutDomain): readonly Suggestion[] {
  const { howVerified, whyUnverified } = chatTexts;
  if (about.isVerified === undefined) return [];
  return [about.isVerified ? [howLabel, howVerified(about)] : [whyLabel, whyUnverified(about)]];
}

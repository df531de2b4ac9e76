/** What to try in an empty conversation; with a domain in the address, questions about that domain first. */
import { chatTexts } from "../texts/chat.ts";

export interface SuggestionsProps {
  /** The DID of a domain that somebody came from. */
  readonly about: string | undefined;
  readonly onTry: (message: string) => void;
}

export function Suggestions({ about, onTry }: SuggestionsProps) {
  return (
    <section className="chat-suggestions" aria-label={chatTexts.suggestions}>
      <h2>{chatTexts.welcome}</h2>
      <p className="muted">{chatTexts.welcomeLead}</p>
      <ul>
        {suggestionsFor(about).map(([label, message]) => (
          <li key={label}>
            <button type="button" onClick={() => onTry(message)}>
              {label}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function suggestionsFor(about: string | undefined): readonly (readonly [label: string, message: string])[] {
  const said = (text: string) => [text, text] as const;
  const { whatIsDomain, rememberThat, whatRemembered, aboutLabel, whyLabel, aboutDomain, whyUnverified } = chatTexts;
  const general = [said(whatIsDomain), said(rememberThat), said(whatRemembered)];
  if (about === undefined) return general;
  return [[aboutLabel, aboutDomain(about)], [whyLabel, whyUnverified(about)], ...general];
}

/** What to try in an empty conversation: first about the domain that somebody came from, by its name and its state. */
import { chatTexts } from "../texts/chat.ts";
import { suggestionsFor, type AboutDomain } from "./suggested.ts";
import { usePlugins } from "./use-plugins.ts";

export interface SuggestionsProps {
  readonly about: AboutDomain | undefined;
  readonly onTry: (message: string) => void;
}

export function Suggestions({ about, onTry }: SuggestionsProps) {
  const { data: plugins = [] } = usePlugins();
  return (
    <section className="chat-suggestions" aria-label={chatTexts.suggestions}>
      <h2>{chatTexts.welcome}</h2>
      <p className="muted">{chatTexts.welcomeLead}</p>
      <ul>
        {suggestionsFor(about, plugins).map(([label, message]) => (
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

/** How an open vote stands, as a list of sentences. */
import { standingSentences, type Counted } from "./standing-sentences.ts";

export function StandingWords(proposal: Counted) {
  return (
    <ul className="standing">
      {standingSentences(proposal).map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

/**
 * Suggestions for an empty conversation, as plain sentences. The built-in model finds the tool by the example sentences
 * in the tools' descriptions. A real model understands the suggestions without them.
 */
const markdown = `Here is **Markdown**, as a reply may have it:

| stove | cooked | saved |
| --- | ---: | ---: |
| KE-0042 | 61 h | 118 kg |
| KE-0077 | 48 h | 93 kg |

- [ ] visit KE-0077
- [x] read the meter of KE-0042

\`\`\`
kg = hours * 1.93
\`\`\``;

const suggestions: readonly (readonly [label: string, message: string])[] = [
  ["How is stove KE-0042 doing?", "How is stove KE-0042 doing?"],
  ["Draw a chart of the hours cooked by month", "Draw a chart of the hours cooked by month"],
  ["What is the title of this page?", "What is the title of this page?"],
  ["Book a visit to stove KE-0042 on 1 December", "Book a visit to stove KE-0042 on 1 December"],
  ["Show Markdown", markdown],
  ["Call me Amina", "Call me Amina"],
  ["Take your time", "/slow 120 80"],
  ["Write the paid report", "Write the paid report"],
];

export function Suggestions({ onTry }: { readonly onTry: (message: string) => void }) {
  return (
    <section className="suggestions" aria-labelledby="suggestions-title">
      <h2 id="suggestions-title">What would you like to know?</h2>
      <ul>
        {suggestions.map(([label, message]) => (
          <li key={label}>
            <button type="button" className="suggestion" onClick={() => onTry(message)}>
              {label}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

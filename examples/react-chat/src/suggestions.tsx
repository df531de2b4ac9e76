/**
 * What to try in an empty conversation. The built-in model repeats a message and calls the tool that `/tool` names; a
 * real model calls the same tools when it is asked in plain words.
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

const chart = {
  title: "Hours cooked by month",
  unit: "h",
  bars: [
    { label: "August", value: 48 },
    { label: "September", value: 57 },
    { label: "October", value: 61 },
  ],
};

const suggestions: readonly (readonly [label: string, message: string])[] = [
  ["Look up a stove", '/tool find_stove {"id":"KE-0042"}'],
  ["Draw a chart", `/tool draw_chart ${JSON.stringify(chart)}`],
  ["Read this page's title", "/tool page_title {}"],
  ["Book a visit", '/tool book_visit {"stove":"KE-0042","day":"2026-12-01"}'],
  ["Show Markdown", markdown],
  ["Remember my name", "Call me Amina"],
  ["Take your time", "/slow 120 80"],
  ["Ask for a paid report", "Write the paid report"],
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

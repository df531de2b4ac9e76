/** A long text in parts, so that megabytes do not freeze the page; "show more" adds the next part. */
import { useState } from "react";
import { grouped } from "../texts/number.ts";

/** Characters that a browser can lay out within a frame, even on one line. */
const PART = 20_000;

export function SlicedText({ text, label }: { readonly text: string; readonly label: string }) {
  const [parts, setParts] = useState(1);
  const shown = parts * PART;
  return (
    <div className="stack tight">
      <pre className="sliced-text" tabIndex={0} role="region" aria-label={label}>
        {Array.from({ length: Math.min(parts, Math.ceil(text.length / PART)) }, (_, part) => (
          <span key={part}>{text.slice(part * PART, (part + 1) * PART)}</span>
        ))}
      </pre>
      {shown < text.length && (
        <p className="row wrap">
          <button type="button" onClick={() => setParts(parts + 1)}>
            {`Show ${grouped(Math.min(PART, text.length - shown))} more characters`}
          </button>
          <span className="muted small">{`${grouped(shown)} of ${grouped(text.length)} characters`}</span>
        </p>
      )}
    </div>
  );
}

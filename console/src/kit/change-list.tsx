/** Changes as before and after, one member per row. */
import { useState } from "react";
import { placeWords } from "../api/json-pointer.ts";
import { jsonTreeTexts, kitTexts } from "../texts/kit.ts";
import { exactTime } from "./age.tsx";
import type { JsonChange } from "./json-changes.ts";
import { jsonText } from "./json-text.ts";
import { SlicedText } from "./sliced-text.tsx";

/** Changes shown initially, and added by each press of the button. */
const PART = 50;
/** Characters of a value shown on its line; a longer one is shown in parts. */
const LONG = 20_000;

export interface ChangeListProps {
  readonly changes: readonly JsonChange[];
  /** Labels of the two sides, where "before" and "after" would not fit. */
  readonly sides?: { readonly before: string; readonly after: string };
}

export function ChangeList({ changes, sides }: ChangeListProps) {
  const [shown, setShown] = useState(PART);
  if (changes.length === 0) return <p className="muted">No field of the record changed.</p>;
  return (
    <>
      <ul className="change-list">
        {changes.slice(0, shown).map(({ path, from, to, isOrder }) => (
          <li key={path}>
            <p className="muted">
              <span>{placeWords(path)}</span> {isOrder && <span className="small">in another order</span>}
            </p>
            <div className="change-values">
              {from !== undefined && <Value kind="before" value={from} side={sides?.before} />}
              {to !== undefined && <Value kind="after" value={to} side={sides?.after} />}
            </div>
          </li>
        ))}
      </ul>
      {changes.length > shown && (
        <p>
          <button type="button" className="small" onClick={() => setShown(shown + PART)}>
            {jsonTreeTexts.more(changes.length - shown, PART)}
          </button>
        </p>
      )}
    </>
  );
}

interface ValueProps {
  readonly kind: "before" | "after";
  readonly value: unknown;
  readonly side: string | undefined;
}

function Value({ kind, value, side }: ValueProps) {
  const Element = kind === "before" ? "del" : "ins";
  const text = typeof value === "string" ? timeInWords(value) : jsonText(value, 2);
  return (
    <div className={`change-value ${kind}`}>
      <span className={side === undefined ? "hidden-visually" : "change-side"}>{side ?? kitTexts[kind]}</span>
      <Element>{text.length > LONG ? <SlicedText text={text} label={side ?? kitTexts[kind]} /> : text}</Element>
    </div>
  );
}

/** A time in the registry's format. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

function timeInWords(text: string): string {
  return TIME.test(text) ? exactTime(text) : text;
}

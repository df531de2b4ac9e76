/** Changes as before and after, one member below the other. */
import { placeWords } from "../api/json-pointer.ts";
import { domainTexts } from "../texts/registry-domain.ts";
import { leafChanges, type Change } from "./leaf-changes.ts";

export function ChangeList({ changes }: { readonly changes: readonly Change[] }) {
  const leaves = leafChanges(changes);
  if (leaves.length === 0) return <p className="muted">{domainTexts.noChanges}</p>;
  return (
    <ul className="change-list">
      {leaves.map(({ path, from, to }) => (
        <li key={path}>
          <code className="change-path">{placeWords(path)}</code>
          <div className="change-values">
            {from !== null && <Value kind="before" value={from} />}
            {to !== null && <Value kind="after" value={to} />}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Value({ kind, value }: { readonly kind: "before" | "after"; readonly value: unknown }) {
  const Element = kind === "before" ? "del" : "ins";
  return (
    <div className={`change-value ${kind}`}>
      <span className="hidden-visually">{domainTexts[kind]}</span>
      <Element>{typeof value === "string" ? value : JSON.stringify(value, null, 2)}</Element>
    </div>
  );
}

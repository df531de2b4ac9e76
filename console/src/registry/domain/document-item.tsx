/** One item of a list of the DID document, by its members that are set. */
import { Fact } from "../../kit/fact.tsx";
import { ClassLink } from "./class-link.tsx";

export type Item = Readonly<Record<string, unknown>>;

interface DocumentItemProps {
  readonly item: Item;
  /** Of classes; with them it says from which one it was inherited, if any. */
  readonly names?: ReadonlyMap<string, string>;
}

export function DocumentItem({ item, names }: DocumentItemProps) {
  const { inheritedFrom, ...members } = item;
  const shown = Object.entries(members).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return (
    <div className="stack tight">
      {names !== undefined && (
        <p className="small muted">
          {typeof inheritedFrom === "string" ? (
            <>
              {"from"} <ClassLink did={inheritedFrom} names={names} />
            </>
          ) : (
            "its own"
          )}
        </p>
      )}
      <dl className="facts">
        {shown.map(([name, value]) => (
          <Fact key={name} name={name}>
            {isItem(value) ? (
              <DocumentItem item={value} />
            ) : (
              <code className="wraps">{typeof value === "string" ? value : JSON.stringify(value)}</code>
            )}
          </Fact>
        ))}
      </dl>
    </div>
  );
}

function isItem(value: unknown): value is Item {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

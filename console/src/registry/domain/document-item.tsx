/** One item of a list in the DID document, with its set members. */
import { Link } from "wouter";
import { domainHref } from "../../kit/addresses.ts";
import { CopyButton } from "../../kit/copy-button.tsx";
import { Fact } from "../../kit/fact.tsx";
import { ShortId } from "../../kit/person.tsx";

export type Item = Readonly<Record<string, unknown>>;

interface DocumentItemProps {
  readonly item: Item;
  /** Names of classes; with them, the item shows from which class it was inherited, if any. */
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
              from <ClassLink did={inheritedFrom} names={names} />
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

const ownDid = /^did:ixo:entity:[0-9a-f]{32}(?=$|[/?#])/;

/** The domain of this registry that a class is, if its DID looks so. */
export function ownClass(did: string): string | undefined {
  return ownDid.exec(did)?.[0];
}

interface ClassLinkProps {
  readonly did: string;
  readonly names?: ReadonlyMap<string, string>;
}

export function ClassLink({ did, names }: ClassLinkProps) {
  const own = ownClass(did);
  if (own === undefined)
    return (
      <span className="row">
        <code className="wraps">{did}</code> <CopyButton text={did} />
      </span>
    );
  const name = names?.get(own);
  return (
    <Link href={domainHref(own)} title={did} className="wraps">
      {name ?? <ShortId id={did} />}
    </Link>
  );
}

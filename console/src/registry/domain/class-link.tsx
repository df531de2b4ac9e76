/** A class: its name where it is known, and a link where its DID is one of this registry, since a class need not be here. */
import { Link } from "wouter";
import { domainHref } from "../../kit/addresses.ts";
import { CopyButton } from "../../kit/copy-button.tsx";
import { ShortId } from "../../kit/did-text.tsx";

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

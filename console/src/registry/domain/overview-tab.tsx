/** A domain at a glance: its verification and the next step, its description of itself, and the facts of its record. */
import { Link } from "wouter";
import { apiHooks } from "../../api/api.ts";
import { useDomainNames } from "../../api/use-domain-names.ts";
import { Age, ExactTime } from "../../kit/age.tsx";
import { Fact } from "../../kit/fact.tsx";
import { JsonTree } from "../../kit/json-tree.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { DidText, Person } from "../../kit/person.tsx";
import { usePageSettings } from "../../shell/page-settings-context.ts";
import { memberNames } from "../../texts/domain-members.ts";
import { typeName } from "../../texts/domain-types.ts";
import { registryTexts } from "../../texts/registry.ts";
import { type Domain, nameOf } from "../domain-record.ts";
import { ClassLink, ownClass } from "./document-item.tsx";
import { VerificationCard } from "./verification-card.tsx";

const facts = {
  ...memberNames,
  owner: "Created by",
  validity: "Valid",
  created: "Created",
  updated: "Changed",
  version: "Version",
};

export function OverviewTab({ domain }: { readonly domain: Domain }) {
  const itsClass = ownClass(domain.class);
  const names = useDomainNames(itsClass === undefined ? [] : [itsClass]);
  return (
    <div className="columns">
      <div className="stack">
        <VerificationCard domain={domain} />
        <AboutCard domain={domain} />
        <NextCard domain={domain} />
      </div>
      <section className="card" aria-labelledby="record-heading">
        <h2 id="record-heading">Record</h2>
        <dl className="facts">
          <Fact name={facts.type}>
            {typeName(domain.type)}{" "}
            {typeName(domain.type) !== domain.type && <code className="muted small">{domain.type}</code>}
          </Fact>
          <Fact name={facts.class}>
            <ClassLink did={domain.class} names={names} />
          </Fact>
          <Fact name={facts.controllers}>
            <ul className="plain">
              {domain.controllers.map((did) => (
                <li key={did}>
                  <Person did={did} canCopy />
                </li>
              ))}
            </ul>
          </Fact>
          <Fact name={facts.owner}>
            <Person did={domain.owner} />
          </Fact>
          {domain.relayerNode !== null && (
            <Fact name={facts.relayerNode}>
              <DidText id={domain.relayerNode} canCopy />
            </Fact>
          )}
          {domain.externalId !== null && <Fact name={facts.externalId}>{domain.externalId}</Fact>}
          <Fact name={facts.validity}>
            <Validity from={domain.validFrom} until={domain.validUntil} />
          </Fact>
          {domain.accounts.length > 0 && (
            <Fact name={facts.accounts}>
              <ul className="plain">
                {domain.accounts.map(({ name, address }) => (
                  <li key={name}>
                    {name} <code>{address}</code>
                  </li>
                ))}
              </ul>
            </Fact>
          )}
          {domain.credentials.length > 0 && (
            <Fact name={facts.credentials}>
              <ul className="plain">
                {domain.credentials.map(({ id, type, status }) => (
                  <li key={id}>
                    {type} <span className="muted">{status}</span> <DidText id={id} />
                  </li>
                ))}
              </ul>
            </Fact>
          )}
          <Fact name={facts.version}>{domain.version}</Fact>
          <Fact name={facts.updated}>
            <Age at={domain.updatedAt} />
          </Fact>
          <Fact name={facts.created}>
            <ExactTime at={domain.createdAt} />
          </Fact>
        </dl>
      </section>
    </div>
  );
}

function Validity({ from, until }: { readonly from: string | null; readonly until: string | null }) {
  if (from === null && until === null) return "Always";
  return (
    <>
      {from !== null && (
        <>
          from <ExactTime at={from} />{" "}
        </>
      )}
      {until !== null && (
        <>
          until <ExactTime at={until} />
        </>
      )}
    </>
  );
}

/** Further uses of a domain on this platform: asking the oracle about it, and looking it up by phone. */
function NextCard({ domain }: { readonly domain: Domain }) {
  const { surfaces } = usePageSettings();
  const hasOracle = surfaces.includes("oracle");
  const hasPhone = surfaces.includes("ussd");
  if (!hasOracle && !hasPhone) return null;
  return (
    <section className="card" aria-labelledby="next-heading">
      <h2 id="next-heading">Next steps</h2>
      {hasOracle && (
        <p className="next-row">
          <span>{`The oracle knows “${nameOf(domain)}” and its state.`}</span>
          <Link href={`/chat?about=${encodeURIComponent(domain.id)}`} className="button">
            Ask the oracle about it
          </Link>
        </p>
      )}
      {hasPhone && (
        <p className="next-row">
          <span>Callers check its status on a simple phone. The phone here shows what to press.</span>
          <Link href={`/phone?about=${encodeURIComponent(domain.id)}`} className="button">
            Look it up by phone
          </Link>
        </p>
      )}
    </section>
  );
}

/** Members of the card that the page shows elsewhere, or above the others. */
const elsewhere = new Set([
  "id",
  "name",
  "description",
  "domainType",
  "class",
  "controllers",
  "status",
  "verificationStatus",
  "entityVerified",
  "verifiedAt",
  "verifiedVersion",
  "changedSinceVerification",
  "version",
  "versionId",
  "updatedAt",
  "metadata",
]);

/** A domain's description of itself: its public card, in words. */
function AboutCard({ domain }: { readonly domain: Domain }) {
  const query = apiHooks.useQuery("get", "/v1/domains/{id}/card", { params: { path: { id: domain.id } } });
  return (
    <section className="card" aria-labelledby="card-heading">
      <h2 id="card-heading">Card</h2>
      <p className="muted">The public card of this domain, as a verifiable credential.</p>
      <Loaded query={query} showsAge={false}>
        {(card) => {
          const subject: Readonly<Record<string, unknown>> = card.credentialSubject;
          const metadata = (subject["metadata"] ?? {}) as Readonly<Record<string, unknown>>;
          const shown = Object.entries({ ...metadata, ...subject }).filter(([name]) => !elsewhere.has(name));
          return (
            <div className="stack">
              <div>
                <p>
                  <strong>{textOf(subject["name"]) ?? registryTexts.unnamed}</strong>
                </p>
                {textOf(subject["description"]) !== undefined && (
                  <p className="card-description">{textOf(subject["description"])}</p>
                )}
              </div>
              {shown.length > 0 && (
                <dl className="facts">
                  {shown.map(([name, value]) => (
                    <Member key={name} name={name} value={value} />
                  ))}
                </dl>
              )}
              <details>
                <summary>The card as JSON</summary>
                <JsonTree value={card} label="Card" openDepth={2} />
              </details>
            </div>
          );
        }}
      </Loaded>
    </section>
  );
}

function Member({ name, value }: { readonly name: string; readonly value: unknown }) {
  const isList = Array.isArray(value) && value.every((item) => typeof item !== "object");
  const isPlain = isList || typeof value !== "object" || value === null;
  return (
    <Fact name={name}>
      {isPlain ? (
        <Plain value={isList ? value.join(", ") : value} />
      ) : (
        <code className="wraps">{JSON.stringify(value)}</code>
      )}
    </Fact>
  );
}

/** A web address is a link; any other value is plain text. */
function Plain({ value }: { readonly value: unknown }) {
  const text = String(value);
  if (!/^https?:\/\/\S+$/.test(text)) return text;
  return (
    <a href={text} rel="noreferrer noopener" target="_blank">
      {text}
    </a>
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

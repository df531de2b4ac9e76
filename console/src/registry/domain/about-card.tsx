/** What a domain says of itself: its card, which everybody may read, in words. */
import { apiHooks } from "../../api/api.ts";
import { Fact } from "../../kit/fact.tsx";
import { JsonTree } from "../../kit/json-tree.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { domainTexts } from "../../texts/registry-domain.ts";
import { registryTexts } from "../../texts/registry.ts";
import type { Domain } from "../domain-record.ts";

/** Members of the card that the page shows elsewhere, or that are shown above the others. */
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

export function AboutCard({ domain }: { readonly domain: Domain }) {
  const query = apiHooks.useQuery("get", "/v1/domains/{id}/card", { params: { path: { id: domain.id } } });
  return (
    <section className="card" aria-labelledby="card-heading">
      <h2 id="card-heading">{domainTexts.card}</h2>
      <p className="muted">{domainTexts.cardLead}</p>
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
                <summary>{domainTexts.cardJson}</summary>
                <JsonTree value={card} label={domainTexts.card} openDepth={2} />
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

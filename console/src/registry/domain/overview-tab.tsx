/** What a domain is at a glance: its verification and the next step, what it says of itself, and the facts of its record. */
import { Link } from "wouter";
import { useDomainNames } from "../../api/use-domain-names.ts";
import { Age, ExactTime } from "../../kit/age.tsx";
import { DidText } from "../../kit/did-text.tsx";
import { Fact } from "../../kit/fact.tsx";
import { Person } from "../../kit/person.tsx";
import { usePageSettings } from "../../shell/page-settings-context.ts";
import { typeName } from "../../texts/domain-types.ts";
import { domainTexts } from "../../texts/registry-domain.ts";
import { type Domain, nameOf } from "../domain-record.ts";
import { AboutCard } from "./about-card.tsx";
import { ClassLink, ownClass } from "./class-link.tsx";
import { VerificationCard } from "./verification-card.tsx";

const { facts } = domainTexts;

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
        <h2 id="record-heading">{domainTexts.record}</h2>
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
  if (from === null && until === null) return domainTexts.validAlways;
  return (
    <>
      {from !== null && (
        <>
          {domainTexts.from} <ExactTime at={from} />{" "}
        </>
      )}
      {until !== null && (
        <>
          {domainTexts.until} <ExactTime at={until} />
        </>
      )}
    </>
  );
}

/** What else can be done with a domain on this platform: asking the oracle about it, and looking it up by phone. */
function NextCard({ domain }: { readonly domain: Domain }) {
  const { surfaces } = usePageSettings();
  const hasOracle = surfaces.includes("oracle");
  const hasPhone = surfaces.includes("ussd");
  if (!hasOracle && !hasPhone) return null;
  return (
    <section className="card" aria-labelledby="next-heading">
      <h2 id="next-heading">{domainTexts.next}</h2>
      {hasOracle && (
        <p className="next-row">
          <span>{domainTexts.askHint(nameOf(domain))}</span>
          <Link href={`/chat?about=${encodeURIComponent(domain.id)}`} className="button">
            {domainTexts.ask}
          </Link>
        </p>
      )}
      {hasPhone && (
        <p className="next-row">
          <span>{domainTexts.dialHint}</span>
          <Link href={`/phone?about=${encodeURIComponent(domain.id)}`} className="button">
            {domainTexts.dial}
          </Link>
        </p>
      )}
    </section>
  );
}

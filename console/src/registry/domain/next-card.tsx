/** What else can be done with a domain on this platform: asking the oracle about it, and looking it up by phone. */
import { Link } from "wouter";
import { usePageSettings } from "../../shell/page-settings-context.ts";
import { domainTexts } from "../../texts/registry-domain.ts";
import { nameOf, type Domain } from "../domain-record.ts";

export function NextCard({ domain }: { readonly domain: Domain }) {
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

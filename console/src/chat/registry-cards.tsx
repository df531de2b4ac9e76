/** Results of the registry's tools, as cards: one domain, found domains, and why one is verified or not. */
import { Link } from "wouter";
import { parsedJson } from "../../../shared/json-members.ts";
import { domainHref } from "../kit/addresses.ts";
import { Badge } from "../kit/badge.tsx";
import { DidText } from "../kit/person.tsx";
import { chatTexts } from "../texts/chat.ts";
import { typeName } from "../texts/domain-types.ts";

export interface RegistryCardProps {
  readonly kind: "domain" | "found" | "explanation";
  /** The tool's output. A sentence, or an unknown form, shows nothing. */
  readonly output: string | undefined;
}

export default function RegistryCard({ kind, output }: RegistryCardProps) {
  if (kind === "domain") {
    const card = cardOf(output);
    return card === undefined ? null : <DomainCard {...card} />;
  }
  if (kind === "found") {
    const found = foundOf(output);
    return found === undefined ? null : <FoundDomains domains={found} />;
  }
  const explanation = explanationOf(output);
  return explanation === undefined ? null : <Explanation {...explanation} />;
}

interface ShownDomain {
  readonly did: string;
  readonly name?: string;
  readonly description?: string;
  readonly type: string;
  readonly status: string;
  readonly verificationStatus: string;
  readonly verified: boolean;
}

interface ShownExplanation {
  readonly did?: string;
  readonly summary: string;
  readonly verified: boolean;
  readonly missing: readonly string[];
  readonly next: readonly string[];
}

function cardOf(output: string | undefined): ShownDomain | undefined {
  const value = parsedJson(output ?? "");
  return isDomain(value) ? value : undefined;
}

function foundOf(output: string | undefined): readonly ShownDomain[] | undefined {
  const value = parsedJson(output ?? "");
  return Array.isArray(value) && value.every(isDomain) ? value : undefined;
}

function explanationOf(output: string | undefined): ShownExplanation | undefined {
  const value = parsedJson(output ?? "") as Partial<ShownExplanation> | null | undefined;
  if (typeof value?.summary !== "string") return undefined;
  const { did, summary, verified, missing, next } = value;
  return {
    ...(typeof did === "string" && { did }),
    summary,
    verified: verified === true,
    missing: Array.isArray(missing) ? missing.map(String) : [],
    next: Array.isArray(next) ? next.map(String) : [],
  };
}

function isDomain(value: unknown): value is ShownDomain {
  if (typeof value !== "object" || value === null) return false;
  const { did, type, status, verificationStatus } = value as Readonly<Record<string, unknown>>;
  return [did, type, status, verificationStatus].every((member) => typeof member === "string");
}

function DomainCard({ did, name, description, type, status, verified }: ShownDomain) {
  return (
    <section className="card" aria-label={name ?? did}>
      <p className="row wrap spread">
        <strong>{name ?? did}</strong>
        <State isVerified={verified} />
      </p>
      <p className="row wrap small muted">
        <span>{typeName(type)}</span>
        <span>{status}</span>
        <DidText id={did} canCopy />
      </p>
      {description !== undefined && <p>{description}</p>}
      <p>
        <OpenDomain did={did} />
      </p>
    </section>
  );
}

function FoundDomains({ domains }: { readonly domains: readonly ShownDomain[] }) {
  if (domains.length === 0) return <p className="muted">{chatTexts.tool.noMatches}</p>;
  return (
    <ul className="found-domains">
      {domains.map(({ did, name, type, verified }) => (
        <li key={did} className="row wrap spread">
          <span>
            <Link href={domainHref(did)}>{name ?? did}</Link> <span className="muted small">{typeName(type)}</span>
          </span>
          <State isVerified={verified} />
        </li>
      ))}
    </ul>
  );
}

function Explanation({ did, summary, verified, missing, next }: ShownExplanation) {
  return (
    <div className="card">
      <p className="row wrap spread">
        <strong>{summary}</strong>
        <State isVerified={verified} />
      </p>
      <Sentences title={chatTexts.tool.missing} sentences={missing} />
      <Sentences title={chatTexts.tool.next} sentences={next} />
      {did !== undefined && (
        <p>
          <OpenDomain did={did} />
        </p>
      )}
    </div>
  );
}

function Sentences({ title, sentences }: { readonly title: string; readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <div>
      <p className="muted small">{title}</p>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </div>
  );
}

function State({ isVerified }: { readonly isVerified: boolean }) {
  const { verified, notVerified } = chatTexts.tool;
  return <Badge tone={isVerified ? "ok" : "warn"}>{isVerified ? verified : notVerified}</Badge>;
}

function OpenDomain({ did }: { readonly did: string }) {
  return <Link href={domainHref(did)}>{chatTexts.tool.open}</Link>;
}

/**
 * A domain's card: its statements about itself as a credential (W3C Verifiable Credentials Data Model 2.0), to be shown
 * and shared. It has no proof; for certainty, read it from the registry, or compare its `versionId` with the registry.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../platform/json.ts";
import type { DomainRecord } from "./domain.ts";

/** Appended to the domain's id: the id of the card, and of the service that links to it. */
export const CARD_FRAGMENT = "#dmn";

const CREDENTIALS = "https://www.w3.org/ns/credentials/v2";
const VOCABULARY = "https://w3id.org/ixo/vocab/";
/** Free JSON is a literal, so that none of its members has a meaning in linked data. */
const OWN_TERMS = { "@vocab": VOCABULARY, metadata: { "@id": `${VOCABULARY}metadata`, "@type": "@json" } };

export function cardOf(record: DomainRecord): JsonObject {
  const { id, validUntil } = record;
  const metadata = withoutScripts(record.metadata);
  return {
    "@context": [CREDENTIALS, OWN_TERMS],
    id: id + CARD_FRAGMENT,
    type: ["VerifiableCredential", "DomainCard"],
    issuer: id,
    validFrom: record.validFrom ?? record.createdAt,
    ...(validUntil === null ? {} : { validUntil }),
    credentialSubject: {
      id,
      ...(record.name === null ? {} : { name: record.name }),
      ...shownTexts(metadata),
      ...shownAddresses(metadata),
      domainType: record.type,
      class: record.class,
      controllers: record.controllers,
      status: record.status,
      verificationStatus: record.verificationStatus,
      entityVerified: record.verificationStatus === "Verified",
      ...(record.verifiedAt === null ? {} : { verifiedAt: record.verifiedAt }),
      ...(record.verifiedVersion === null ? {} : { verifiedVersion: record.verifiedVersion }),
      ...(record.verificationStatus === "Verified"
        ? { changedSinceVerification: record.changedSinceVerification }
        : {}),
      version: record.version,
      versionId: record.versionId,
      updatedAt: record.updatedAt,
      metadata,
    },
  };
}

export const shownTextNames = ["description", "brand", "location"] as const;
export const shownAddressNames = ["image", "logo", "url", "website"] as const;

function shownTexts(metadata: JsonObject): JsonObject {
  const texts = shownTextNames.filter((name) => typeof metadata[name] === "string" && metadata[name] !== "");
  return Object.fromEntries(texts.map((name) => [name, metadata[name]]));
}

/** The metadata without texts that a page would execute if it used them as an address. */
function withoutScripts(metadata: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(metadata)
      .filter(([, value]) => !isScript(value))
      .map(([name, value]) => [name, cleaned(value)]),
  );
}

function cleaned(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).filter((each) => !isScript(each)).map((each) => cleaned(each) ?? null);
  }
  return isJsonObject(value) ? withoutScripts(value) : value;
}

function isScript(value: unknown): boolean {
  if (typeof value !== "string") return false;
  return ["javascript:", "vbscript:"].includes(URL.parse(value)?.protocol ?? "");
}

/** Keeps only addresses that a page can safely link to or load. */
function shownAddresses(metadata: JsonObject): JsonObject {
  const addresses = shownAddressNames.flatMap((name): [string, string][] => {
    const text = metadata[name];
    return typeof text === "string" && isSafeAddress(text) ? [[name, text]] : [];
  });
  return Object.fromEntries(addresses);
}

function isSafeAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol ?? "";
  return ["https:", "http:", "ipfs:"].includes(protocol);
}

/** The offer and the prices of an oracle: its agent card, and the older price list. */
import type { OracleEntity } from "./chain-records.ts";
import { memberOf } from "./json-request.ts";
import { findResource, readDocument, type DocumentReader } from "./linked-documents.ts";

/** One service of an oracle, and its price. */
export interface TAgentCardService {
  id: string;
  name: string;
  description?: string | undefined;
  /** For display: whole units of the currency, not an amount on the chain. */
  price: { amount: number; currency?: string | undefined };
  deliverables: string;
  doneMeans?: string[] | undefined;
  tags?: string[] | undefined;
  examples?: string[] | undefined;
}

/** The offer of an oracle, as it has published it. */
export interface TAgentCard {
  credentialSubject: {
    id: string;
    name: string;
    description?: string | undefined;
    version?: string | undefined;
    /** At least one. */
    services: TAgentCardService[];
  };
}

/** An agent card, with the reference to its revision. */
export interface TResolvedAgentCard {
  oracleDid: string;
  card: TAgentCard;
  /** Identifies the card's revision on the chain. */
  cardProof: string;
}

/** One price of an oracle, in units of the chain. */
export interface OraclePrice {
  title: string;
  description: string;
  /** A whole number as text, in units of the chain. */
  amount: string;
  denom: string;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Null if the oracle has published no card, or none that can be shown, so that a page never fails because of a card.
 */
export async function readAgentCard(entity: OracleEntity, reader: DocumentReader): Promise<TResolvedAgentCard | null> {
  const resource = findResource(entity, "#acard");
  if (resource?.type !== "agentCard") return null;
  const document = await readDocument(resource, reader).catch(() => undefined);
  const card = cardOf(document);
  // A card about another subject does not describe this oracle.
  if (card?.credentialSubject.id !== entity.did) return null;
  return { oracleDid: entity.did, card, cardProof: resource.proof };
}

/** Throws if the oracle has no price list. */
export async function readPriceList(entity: OracleEntity, reader: DocumentReader): Promise<OraclePrice[]> {
  const resource = findResource(entity, "#fee");
  if (resource === undefined) throw new Error(`The oracle ${entity.did} has published no price list (#fee)`);
  const document = await readDocument(resource, reader);
  const price = memberOf(memberOf(document, "offers"), "priceSpecification");
  const [amount, denom] = [memberOf(price, "price"), memberOf(price, "priceCurrency")];
  if ((typeof amount !== "number" && typeof amount !== "string") || typeof denom !== "string")
    throw new Error(`The price list of ${entity.did} contains no price`);
  const [title, description] = [memberOf(document, "name"), memberOf(document, "description")];
  return [{ amount: String(amount), denom, title: shown(title), description: shown(description) }];
}

function cardOf(document: unknown): TAgentCard | undefined {
  const subject = memberOf(document, "credentialSubject");
  if (!hasTexts(subject, ["id", "name"], ["description", "version"])) return undefined;
  const { id, name, description, version, services } = subject;
  const offered = Array.isArray(services) ? services.map(serviceOf) : [];
  if (offered.length === 0 || !offered.every((service) => service !== undefined)) return undefined;
  return { credentialSubject: present({ id, name, description, version, services: offered }) } as unknown as TAgentCard;
}

function serviceOf(value: unknown): TAgentCardService | undefined {
  const price = memberOf(value, "price");
  const amount = memberOf(price, "amount");
  if (!hasTexts(value, ["id", "name", "deliverables"], ["description"])) return undefined;
  if (typeof amount !== "number" || !hasTexts(price, [], ["currency"])) return undefined;
  const { id, name, deliverables, description, doneMeans, tags, examples } = value;
  if (![doneMeans, tags, examples].every((list) => list === undefined || isTexts(list))) return undefined;
  const shownPrice = present({ amount, currency: price["currency"] });
  return present({
    id,
    name,
    description,
    price: shownPrice,
    deliverables,
    doneMeans,
    tags,
    examples,
  }) as unknown as TAgentCardService;
}

/** Whether the required members are texts, and the optional ones are texts or undefined. */
function hasTexts(value: unknown, required: readonly string[], optional: readonly string[]): value is Members {
  return (
    typeof value === "object" &&
    value !== null &&
    required.every((name) => typeof memberOf(value, name) === "string") &&
    optional.every((name) => ["string", "undefined"].includes(typeof memberOf(value, name)))
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function present(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : "";
}

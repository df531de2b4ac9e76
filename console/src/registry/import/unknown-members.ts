/** Members of a line that mean nothing to the registry, which leaves them out: those that the schema of a new domain does not name. */
import createDomain from "../../api/forms/create-domain.json" with { type: "json" };
import { membersOf, parsedJson } from "../../../../shared/json-members.ts";

/** What a line may have besides: its owner, and the spelling that public documents of the chain have. */
const alsoKnown: ReadonlySet<string> = new Set(["owner", "document/verificationMethod/blockchainAccountID"]);
/** Characters that are kept of a name. */
export const LONGEST_NAME = 100;

/** The part of JSON Schema that the form of a new domain is written in. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Each once, with the members that contain it, without the numbers of items: `document/service/colour`. None for what is no JSON object. */
export function unknownMembers(line: string): readonly string[] {
  const found = new Set<string>();
  collect(parsedJson(line), createDomain as Schema, "", found);
  return [...found];
}

function collect(value: unknown, schema: Schema, place: string, found: Set<string>): void {
  const { properties, items } = schema.anyOf?.[0] ?? schema;
  if (Array.isArray(value)) {
    if (items !== undefined) for (const item of value as readonly unknown[]) collect(item, items, place, found);
    return;
  }
  // A member without declared properties may have any.
  if (properties === undefined) return;
  for (const [name, member] of Object.entries(membersOf(value))) {
    const path = place === "" ? name : `${place}/${name}`;
    if (Object.hasOwn(properties, name)) collect(member, properties[name] ?? {}, path, found);
    else if (!alsoKnown.has(path)) found.add(path.slice(0, LONGEST_NAME));
  }
}

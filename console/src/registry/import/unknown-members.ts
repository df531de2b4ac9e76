/** Members of a line that the registry ignores: those that the schema of a new domain does not name. */
import createDomain from "../../api/forms/create-domain.json" with { type: "json" };
import { membersOf, parsedJson } from "../../../../shared/json-members.ts";

/** Other known members: the owner, and the spelling in public documents of the chain. */
const alsoKnown: ReadonlySet<string> = new Set(["owner", "document/verificationMethod/blockchainAccountID"]);
/** Maximum characters of a name. */
export const LONGEST_NAME = 100;

/** The part of JSON Schema that the form of a new domain uses. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Each once, with its path, without item numbers: `document/service/colour`. Empty if the line is not a JSON object. */
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

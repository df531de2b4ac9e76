/**
 * Converts a zod 4 schema to a JSON schema. Schemas from zod 4.2 on have their own exporter. For the schemas of 4.0 and
 * 4.1, of zod 3.25's `zod/v4` and of `zod/mini`, the package bundles an exporter. Loaded with the first such schema.
 */
import { toJSONSchema } from "zod/v4/core";
import type { ClientTool } from "./wire.ts";

interface Zod4Schema {
  readonly _zod: { readonly def: { readonly type: string } };
  readonly description?: string;
  toJSONSchema?(options: object): object;
  meta?(): Readonly<Record<string, unknown>> | undefined;
}

export function ofZod4(schema: object): ClientTool["schema"] {
  const own = schema as Zod4Schema;
  const exported = own.toJSONSchema?.(options) ?? toJSONSchema(schema as Parameters<typeof toJSONSchema>[0], bundled);
  return exported as ClientTool["schema"];
}

const options = {
  io: "input",
  // Allows any value for types that JSON schema cannot express. The zod schema validates them when a call arrives.
  unrepresentable: "any",
  override({ zodSchema, jsonSchema }: { readonly zodSchema: unknown; readonly jsonSchema: object }) {
    const { type } = (zodSchema as Zod4Schema)["_zod"].def;
    if (type === "date") Object.assign(jsonSchema, { type: "string", format: "date-time" });
    if (type === "bigint") Object.assign(jsonSchema, { type: "integer" });
  },
} as const;

/**
 * The application's zod stores descriptions in a registry that its schemas can read and the bundled exporter cannot.
 */
const metadata = {
  get(schema: Zod4Schema) {
    const { id: _, ...known } = schema.meta?.() ?? {};
    return known;
  },
  has: () => false,
  _idmap: new Map(),
};

const bundled = { ...options, metadata } as unknown as Parameters<typeof toJSONSchema>[1];

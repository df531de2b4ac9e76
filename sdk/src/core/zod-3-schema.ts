/** Converts a zod 3 schema to a JSON schema. Loaded with the first such schema. The package bundles the converter. */
import { zodToJsonSchema } from "zod-to-json-schema";
import type { ClientTool } from "./wire.ts";

export function ofZod3(schema: object): ClientTool["schema"] {
  const input = { pipeStrategy: "input", effectStrategy: "input" } as const;
  return zodToJsonSchema(schema as Parameters<typeof zodToJsonSchema>[0], input) as ClientTool["schema"];
}

/**
 * The plugin's client as a program, for the official conformance suite: connects to the server that the suite names as its last
 * argument, lists the tools and calls each as the scenario expects.
 */
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { connect } from "../../../oracle/plugins/mcp/connection.ts";
import type { JsonObject } from "../../../platform/json.ts";

const url = process.argv.at(-1) ?? "";
const server = {
  name: "suite",
  url,
  headers: {},
  auth: "none",
  pin: false,
  approval: "writes",
  trusted: false,
  confirmSignIn: false,
  readOnlyTools: [],
} as const;

/** Arguments of the suite's tools. */
const args: Readonly<Record<string, JsonObject>> = { add_numbers: { a: 5, b: 3 } };

/** A user who accepts a form with its defaults. */
async function accept(params: ElicitRequest["params"]): Promise<ElicitResult> {
  if (!("requestedSchema" in params)) return { action: "decline" };
  const fields = Object.entries(params.requestedSchema.properties);
  return {
    action: "accept",
    content: Object.fromEntries(
      fields.flatMap(([name, field]) =>
        "default" in field && field.default !== undefined ? [[name, field.default]] : [],
      ),
    ),
  };
}

const signal = new AbortController().signal;
const connection = await connect({
  server,
  fetch: (address, init) => fetch(address, init),
  headers: {},
  signal,
  onListChanged: () => undefined,
  elicit: accept,
});
const { tools } = await connection.listTools();
for (const definition of tools) await connection.call(args[definition.name] ?? {}, { definition, signal });
await connection.close();

/** A request as commands and code to copy: curl, fetch and Connect. A key is a placeholder, never its value. */
import { withQuotedNumbers } from "../kit/exact-json.ts";
import { curlText } from "../kit/curl-text.ts";
import type { AccessKind, Parameter, QueryPath } from "./gateway-catalogue.ts";
import type { GatewayRequest } from "./gateway-request.ts";
import type { QueryForm } from "./query-form.ts";

/** In double quotes, where the shell inserts the variable's value. */
const curlAccess: Readonly<Record<AccessKind, string>> = {
  none: "",
  apiKey: `-H "X-API-Key: $API_KEY"`,
  bearer: `-H "Authorization: Bearer $API_KEY"`,
  basic: `-u "$API_KEY"`,
};

export function curlSample({ method, target, headers, access, body }: GatewayRequest, origin: string): string {
  const command = curlText({ method, url: origin + target, headers, body });
  return [command, curlAccess[access]].filter((part) => part !== "").join(" \\\n  ");
}

/** The expression that makes the header's value of `apiKey`. */
const fetchAccess: Readonly<Record<AccessKind, string>> = {
  none: "",
  apiKey: `"X-API-Key": apiKey`,
  bearer: '"Authorization": `Bearer ${apiKey}`',
  basic: '"Authorization": `Basic ${btoa(apiKey)}`',
};

export function fetchSample({ method, target, headers, access, body }: GatewayRequest, origin: string): string {
  const members = [
    ...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
    ...(access === "none" ? [] : [fetchAccess[access]]),
  ];
  const options = [
    ...(method === "GET" ? [] : [`method: ${JSON.stringify(method)}`]),
    ...(members.length === 0 ? [] : [`headers: { ${members.join(", ")} }`]),
    ...(body === undefined ? [] : [`body: ${JSON.stringify(body)}`]),
  ];
  const optionsText = options.length === 0 ? "" : `, {\n${options.map((each) => `  ${each},\n`).join("")}}`;
  return [
    ...(access === "none" ? [] : [`const apiKey = "$API_KEY";`]),
    `const response = await fetch(${JSON.stringify(origin + target)}${optionsText});`,
    "const answer = await response.json();",
    "if (!response.ok) throw new Error(`${answer.code}: ${answer.message}`);",
  ].join("\n");
}

/** TypeScript for a node's own gRPC-web: the gateway itself serves HTTP and JSON. Undefined for an unknown method. */
export function connectSample(
  form: QueryForm,
  parameters: readonly Parameter[],
  query: QueryPath | undefined,
): string | undefined {
  const [, packageName, service, method] = /^([\w.]+)\.(\w+)\/(\w+)$/.exec(query?.name ?? "") ?? [];
  if (packageName === undefined || service === undefined || method === undefined) return undefined;
  const call = method.charAt(0).toLowerCase() + method.slice(1);
  const file = service === "Query" ? "query" : "service";
  const message = literalOf(form.body === "" ? JSON.stringify(messageOf(form, parameters), undefined, 2) : form.body);
  const headers =
    form.height === "" ? "" : `,\n  { headers: { "x-cosmos-block-height": ${JSON.stringify(form.height)} } }`;
  return `import { fromJson } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
// Generated from the chain's .proto files by \`buf generate\` with protoc-gen-es.
import { ${service} } from "./gen/${packageName.replaceAll(".", "/")}/${file}_pb";

// Connect calls a node that speaks gRPC-web; this gateway answers HTTP and JSON.
const transport = createGrpcWebTransport({ baseUrl: "https://node.example:9091" });
const client = createClient(${service}, transport);
const answer = await client.${call}(
  fromJson(${service}.method.${call}.input, ${message.replaceAll("\n", "\n  ")})${headers},
);`;
}

/** A member with a special meaning in a program, which would not be a member of the message. */
const PROTOTYPE = /__proto__|\\u00/;

/**
 * The original JSON, with long numbers as texts that JavaScript does not round; anything else, which an address could turn into
 * code, as a text.
 */
function literalOf(body: string): string {
  try {
    JSON.parse(body);
    const quoted = withQuotedNumbers(body.trim());
    return PROTOTYPE.test(quoted) ? `JSON.parse(${JSON.stringify(quoted)})` : quoted;
  } catch {
    return JSON.stringify(body);
  }
}

type Message = Record<string, unknown>;

/** Without a prototype, which a parameter named `__proto__` would otherwise change for the whole page. */
const emptyMessage = (): Message => Object.create(null) as Message;

/** The request message in protobuf's JSON. */
export function messageOf(form: QueryForm, parameters: readonly Parameter[]): object {
  const message = emptyMessage();
  for (const parameter of parameters) {
    const values = (form.values[parameter.name] ?? []).filter((value) => value !== "");
    if (values.length > 0) setAt(message, parameter.name.split("."), valueOf(parameter, values));
  }
  return message;
}

function valueOf({ kind }: Parameter, values: readonly string[]): unknown {
  if (kind === "list") return values;
  if (kind === "map") return Object.fromEntries(values.map(entryOf));
  const [value = ""] = values;
  return kind === "boolean" ? value === "true" : value;
}

/** `key=value`; the value may contain further equals signs. */
function entryOf(text: string): readonly [string, string] {
  const [key = "", ...value] = text.split("=");
  return [key, value.join("=")];
}

/** A name below one with a value is ignored: the gateway refuses the two together. */
function setAt(message: Message, names: readonly string[], value: unknown): void {
  const [name = "", ...rest] = names;
  if (rest.length === 0) {
    message[name] = value;
    return;
  }
  const inner = (message[name] ??= emptyMessage());
  if (typeof inner === "object" && inner !== null && !Array.isArray(inner)) setAt(inner as Message, rest, value);
}

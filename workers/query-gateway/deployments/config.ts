/**
 * `GATEWAY_CONFIG` (contract D, section 1; decisions 6.1): one JSON value, checked once per isolate. Secrets are named in it
 * and filled in from bindings here, so that nothing behind this file reads the environment. A fault is told by its JSON
 * pointer, never by its value.
 */
import * as z from "zod";
import { oncePerIsolate, type ConfigProblem, type ConfigResult } from "../../platform/config.ts";
import { proxyVariables, readProxyTrust, type ProxyTrust } from "../../platform/http/client-address.ts";
import { parseJson } from "../../platform/parse-json.ts";
import { failure, success } from "../../platform/result.ts";
import { deploymentSchema, imageSchema, type DeploymentSettings, type ImageSource } from "./settings.ts";

export const BUILT_IN_SET = "ixo";

export interface GatewayConfig {
  readonly deployments: readonly DeploymentSettings[];
  /** Descriptor images beside the built-in one, by the name that `sets` uses. */
  readonly images: Readonly<Record<string, ImageSource>>;
  /** Text of the bindings that hold the secrets that are named, by binding. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly relayerNode: string;
  readonly proxies: ProxyTrust;
  readonly isDevelopment: boolean;
}

const schema = z
  .strictObject({
    deployments: z.array(deploymentSchema).min(1, { error: "needs a deployment" }),
    images: z.record(z.string(), imageSchema).default({}),
  })
  .check((context) => {
    const { deployments, images } = context.value;
    const fail = (path: (string | number)[], message: string) =>
      context.issues.push({ code: "custom", input: undefined, path, message });
    deployments.forEach(({ name, sets }, index) => {
      if (deployments.findIndex((other) => other.name === name) < index)
        fail(["deployments", index, "name"], "must be another than those before it");
      sets.forEach((set, at) => {
        if (set !== BUILT_IN_SET && !Object.hasOwn(images, set))
          fail(["deployments", index, "sets", at], `must be ${BUILT_IN_SET} or a name in images`);
      });
    });
  });

/** One deployment that answers from the embedded node. */
const DEFAULT = { deployments: [{ name: "default" }] };

export function parseGatewayConfig(env: object): ConfigResult<GatewayConfig> {
  const bindings = new Map<string, unknown>(Object.entries(env));
  const text = bindings.get("GATEWAY_CONFIG");
  const isUnset = typeof text !== "string" || text.trim() === "";
  const json = isUnset ? success(DEFAULT) : parseJson(text);
  if (!json.ok) return failure([problem("must be JSON")]);
  const parsed = schema.safeParse(json.value);
  if (!parsed.success) {
    return failure(parsed.error.issues.map(({ path, message }) => problem(`${pointerOf(path)}: ${message}`)));
  }
  const secrets = new Map<string, string>();
  const problems: ConfigProblem[] = [];
  for (const [binding, pointer] of secretsOf(parsed.data.deployments)) {
    const value = bindings.get(binding);
    if (typeof value === "string" && value !== "") secrets.set(binding, value);
    else problems.push(problem(`${pointer}: the secret ${binding} is not bound`));
  }
  for (const [name, source] of Object.entries(parsed.data.images)) {
    const binding = bindings.get(source.binding);
    if (binding === undefined || binding === null || typeof binding === "string")
      problems.push(problem(`/images/${escapePointer(name)}: the binding ${source.binding} is not there`));
  }
  const others = z.object(proxyVariables).safeParse(env);
  if (!others.success) {
    for (const { path, message } of others.error.issues) problems.push({ variable: String(path[0]), message });
  }
  if (problems.length > 0) return failure(problems);
  const relayerNode = bindings.get("REGISTRY_RELAYER_NODE");
  return success({
    ...parsed.data,
    secrets,
    relayerNode: typeof relayerNode === "string" ? relayerNode.trim() : "",
    proxies: readProxyTrust(env),
    isDevelopment: bindings.get("ENVIRONMENT") === "development",
  });
}

export const readGatewayConfig: (env: object) => ConfigResult<GatewayConfig> = oncePerIsolate(parseGatewayConfig);

export function problem(message: string): ConfigProblem {
  return { variable: "GATEWAY_CONFIG", message };
}

/** RFC 6901. */
function pointerOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "the whole" : path.map((part) => `/${escapePointer(String(part))}`).join("");
}

function escapePointer(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Each secret that is named, with a place that names it. */
function secretsOf(deployments: readonly DeploymentSettings[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  deployments.forEach(({ gate, nodes }, index) => {
    const keys = gate.mode === "none" ? [] : gate.keys;
    keys.forEach(({ secret }, at) => found.set(secret, `/deployments/${index}/gate/keys/${at}/secret`));
    nodes.forEach(({ headers }, at) => {
      for (const [name, secret] of Object.entries(headers))
        found.set(secret, `/deployments/${index}/nodes/${at}/headers/${escapePointer(name)}`);
    });
  });
  return found;
}

/**
 * `GATEWAY_CONFIG`: one JSON value, validated once per isolate. Each chain profile is validated separately, so that a
 * wrong one fails alone. Secrets are named in it and filled in from bindings here, so that no later code reads the
 * environment. A problem is reported with its JSON pointer and a description of a valid value, never with its value.
 */
import * as z from "zod";
import { oncePerIsolate, type ConfigProblem, type ConfigResult } from "../../../platform/config.ts";
import { proxyVariables, readProxyTrust, type ProxyTrust } from "../../../platform/http/client-address.ts";
import { parseJson } from "../../../platform/json.ts";
import { failure, success } from "../../../platform/result.ts";
import { deploymentSchema, imageSchema, type DeploymentSettings, type ImageSource, matchSchema } from "./settings.ts";

export const BUILT_IN_SET = "ixo";
/** The descriptor set deployed as a file (`--gateway-image FILE` of `npm start` and `npm run deploy`). */
export const FILE_SET = "file";

/** A profile that cannot be served. Its requests go to no other profile. */
interface BrokenDeployment {
  readonly index: number;
  /** Absent if the match itself is wrong. */
  readonly match?: DeploymentSettings["match"];
  readonly problems: readonly ConfigProblem[];
}

export interface GatewayConfig {
  readonly deployments: readonly DeploymentSettings[];
  readonly broken: readonly BrokenDeployment[];
  /** Faults outside the profiles, which are served as usual. */
  readonly problems: readonly ConfigProblem[];
  /** The position of each profile in the configuration: the first that matches a request answers it. */
  readonly indexes: ReadonlyMap<DeploymentSettings, number>;
  /** Descriptor sets other than the built-in one, by the name that `sets` uses. */
  readonly images: Readonly<Record<string, ImageSource>>;
  /** The text of the bindings with the named secrets, by binding. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly relayerNode: string;
  readonly proxies: ProxyTrust;
  /** `ENVIRONMENT`; empty if it is not set. */
  readonly environment: string;
  readonly isDevelopment: boolean;
}

const schema = z.strictObject({
  deployments: z.array(z.unknown()).min(1, { error: "needs a deployment" }),
  images: z.record(z.string(), z.unknown()).default({}),
});

/** One profile that answers from the embedded node. */
const DEFAULT = { deployments: [{ name: "default" }] };

export function parseGatewayConfig(env: object): ConfigResult<GatewayConfig> {
  const bindings = new Map<string, unknown>(Object.entries(env));
  const text = bindings.get("GATEWAY_CONFIG");
  const isUnset = typeof text !== "string" || text.trim() === "";
  const json = isUnset ? success(DEFAULT) : parseJson(text);
  if (!json.ok) return failure([problem('must be JSON, such as {"deployments":[{"name":"main"}]}')]);
  const parsed = schema.safeParse(json.value);
  if (!parsed.success) return failure(parsed.error.issues.map((issue) => problem(describeIssue(issue))));
  const others = z.object(proxyVariables).safeParse(env);
  if (!others.success)
    return failure(others.error.issues.map(({ path, message }) => ({ variable: String(path[0]), message })));

  const images = readImages(parsed.data.images, bindings);
  const secrets = new Map<string, string>();
  const deployments: DeploymentSettings[] = [];
  const broken: BrokenDeployment[] = [];
  const indexes = new Map<DeploymentSettings, number>();
  parsed.data.deployments.forEach((value, index) => {
    const read = deploymentSchema.safeParse(value);
    const problems = read.success
      ? [
          ...problemsAmong(read.data, index, [...indexes.keys()]),
          ...problemsOfSets(read.data, index, images),
          ...fillSecrets(read.data, index, bindings, secrets),
        ]
      : read.error.issues.map((issue) => describeIssue(issue, ["deployments", index]));
    if (read.success && problems.length === 0) deployments.push(read.data);
    else {
      const match = readMatch(value);
      broken.push({ index, ...(match && { match }), problems: problems.map(problem) });
    }
    if (read.success) indexes.set(read.data, index);
  });
  const problems = [...images.problems.values()].map(problem);
  if (deployments.length === 0) return failure([...broken.flatMap((each) => each.problems), ...problems]);
  const relayerNode = bindings.get("REGISTRY_RELAYER_NODE");
  const environment = bindings.get("ENVIRONMENT");
  return success({
    deployments,
    broken,
    problems,
    indexes,
    images: images.sources,
    secrets,
    relayerNode: typeof relayerNode === "string" ? relayerNode.trim() : "",
    proxies: readProxyTrust(env),
    environment: typeof environment === "string" ? environment : "",
    isDevelopment: environment === "development",
  });
}

export const readGatewayConfig: (env: object) => ConfigResult<GatewayConfig> = oncePerIsolate(parseGatewayConfig);

interface Images {
  readonly sources: Readonly<Record<string, ImageSource>>;
  /** The problems by the name of the wrong descriptor set. */
  readonly problems: ReadonlyMap<string, string>;
}

function readImages(values: Readonly<Record<string, unknown>>, bindings: ReadonlyMap<string, unknown>): Images {
  const sources = new Map<string, ImageSource>();
  const problems = new Map<string, string>();
  for (const [name, value] of Object.entries(values)) {
    const read = imageSchema.safeParse(value);
    const [issue] = read.error?.issues ?? [];
    if (issue !== undefined) problems.set(name, describeIssue(issue, ["images", name]));
    if (!read.success) continue;
    const binding = bindings.get(read.data.binding);
    if (binding === undefined || binding === null || typeof binding === "string")
      problems.set(
        name,
        `/images/${escapePointer(name)}: the binding ${read.data.binding} does not exist; add it to wrangler.toml`,
      );
    else sources.set(name, read.data);
  }
  return { sources: Object.fromEntries(sources), problems };
}

/** The faults of a profile, given those before it. */
function problemsAmong(
  settings: DeploymentSettings,
  index: number,
  before: readonly DeploymentSettings[],
): readonly string[] {
  const { name, match } = settings;
  if (before.some((other) => other.name === name))
    return [`/deployments/${index}/name: must be unique; an earlier deployment already has the name "${name}"`];
  const cover = before.find((other) => covers(other.match, match));
  if (cover === undefined) return [];
  return [
    `/deployments/${index}/match: no request can reach "${name}", because "${cover.name}" comes first and answers ` +
      `${describeMatch(cover.match)}; put "${name}" first, or give one of them its own match, ` +
      'such as {"host":"api.example"} or {"mount":"/chain"}',
  ];
}

function problemsOfSets({ sets }: DeploymentSettings, index: number, images: Images): readonly string[] {
  return sets.flatMap((set, at) => {
    const wrong = images.problems.get(set);
    if (wrong !== undefined) return [wrong];
    if (set === BUILT_IN_SET || set === FILE_SET || Object.hasOwn(images.sources, set)) return [];
    return [`/deployments/${index}/sets/${at}: must be ${BUILT_IN_SET}, ${FILE_SET} or a name in images`];
  });
}

/** Adds the secrets that the profile names, and returns the missing ones. */
function fillSecrets(
  settings: DeploymentSettings,
  index: number,
  bindings: ReadonlyMap<string, unknown>,
  secrets: Map<string, string>,
): readonly string[] {
  return [...secretsOf(settings, index)].flatMap(([binding, pointer]) => {
    const value = bindings.get(binding);
    if (typeof value !== "string" || value === "")
      return [`${pointer}: the secret ${binding} is not bound; set it with: wrangler secret put ${binding}`];
    secrets.set(binding, value);
    return [];
  });
}

export function problem(message: string): ConfigProblem {
  return { variable: "GATEWAY_CONFIG", message };
}

/** A description of a valid value for each type. */
const examples: Readonly<Record<string, string>> = {
  string: 'a string, such as "main"',
  number: "a number, such as 1",
  int: "a whole number, such as 1",
  boolean: "true or false",
  array: "a list, such as []",
  object: "an object, such as {}",
  record: "an object, such as {}",
};

/** Where and what, without the value itself, which may be a secret. */
function describeIssue(issue: z.core.$ZodIssue, under: readonly PropertyKey[] = []): string {
  return `${pointerOf([...under, ...issue.path])}: ${wordsOf(issue)}`;
}

function wordsOf(issue: z.core.$ZodIssue): string {
  // A schema's own message is better than a general one.
  if (!/^(?:Invalid|Unrecognized|Too )/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return `must be ${examples[issue.expected] ?? issue.expected}`;
    case "unrecognized_keys":
      return `unknown member ${issue.keys.map((key) => `"${key}"`).join(", ")}; docs/query-gateway-configuration.md lists the known members`;
    case "invalid_value":
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return `must be at least ${issue.minimum}`;
    default:
      return issue.message;
  }
}

/** RFC 6901. */
function pointerOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "the whole" : path.map((part) => `/${escapePointer(String(part))}`).join("");
}

function escapePointer(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Each named secret, with its pointer. */
function secretsOf({ gate, nodes }: DeploymentSettings, index: number): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const keys = gate.mode === "none" ? [] : gate.keys;
  keys.forEach(({ secret }, at) => found.set(secret, `/deployments/${index}/gate/keys/${at}/secret`));
  nodes.forEach(({ headers }, at) => {
    for (const [name, secret] of Object.entries(headers))
      found.set(secret, `/deployments/${index}/nodes/${at}/headers/${escapePointer(name)}`);
  });
  return found;
}

export type DeploymentMatch = DeploymentSettings["match"];

/** Whether every request that matches `later` matches `earlier` too. */
function covers(earlier: DeploymentMatch, later: DeploymentMatch): boolean {
  const isSameHost = earlier.host === undefined || earlier.host === later.host;
  const { mount } = earlier;
  return isSameHost && (mount === undefined || later.mount === mount || later.mount?.startsWith(`${mount}/`) === true);
}

function describeMatch({ host, mount }: DeploymentMatch): string {
  const paths = mount === undefined ? "every path" : `every path below ${mount}`;
  return host === undefined ? `${paths} of every host` : `${paths} of ${host}`;
}

/** The match of a wrong profile. Undefined if the match itself is wrong: then it blocks no other profile. */
function readMatch(value: unknown): DeploymentMatch | undefined {
  const found = z.object({ match: matchSchema }).safeParse(value);
  return found.success ? found.data.match : undefined;
}

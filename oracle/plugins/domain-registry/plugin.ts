/**
 * The plugin domain-registry: gives the model the registry's data. On if there is a registry: at the service binding `REGISTRY`, at
 * `REGISTRY_URL`, or in the same Worker, which passes it in.
 */
import * as z from "zod";
import { defineOraclePlugin, type PluginDefinition } from "../../framework/plugin.ts";
import { createRegistryClient, type RegistryAddress } from "./registry-client.ts";
import { createRegistryTools } from "./tools.ts";

export interface DomainRegistryOptions {
  /** The registry of the same Worker, reading for `reader`, a user's DID; receives the isolate's own environment. */
  readonly fetch?: (request: Request, env: Env, reader: string) => Promise<Response>;
}

/** Base address of a registry at a binding or in the same Worker; never resolved or connected to. */
const INSIDE = "https://registry.internal";

const isUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && ["https:", "http:"].includes(url.protocol) && url.username === "" && url.password === "";
};
const text = z
  .string()
  .optional()
  .transform((value) => value?.trim() || undefined);
const binding = z.custom<{ fetch(request: Request): Promise<Response> }>(
  (value) => typeof (value as { fetch?: unknown } | null)?.fetch === "function",
  { error: "must be a service binding" },
);

const settings = z.object({
  DOMAIN_REGISTRY_ENABLED: z.enum(["true", "false"]).optional(),
  REGISTRY: binding.optional(),
  REGISTRY_URL: text.refine((value) => value === undefined || isUrl(value), { error: "must be an address" }),
  REGISTRY_READ_KEY: text,
});
type Settings = z.output<typeof settings>;
type Variables = Partial<Record<keyof Settings | "REGISTRY_PUBLIC_READS", unknown>>;

export function createDomainRegistryPlugin(options: DomainRegistryOptions = {}): PluginDefinition<Settings> {
  return defineOraclePlugin<Settings>({
    name: "domain-registry",
    version: "1.0.0",
    manifest: {
      title: "Domain registry",
      summary: "Registered domains (digital twins of organisations, projects, assets) and whether they are verified.",
      whenToUse: ["the user asks about a domain, a DID, or what is verified and why"],
      whenNotToUse: ["internet domain names and DNS"],
      examples: [
        {
          user: "Is there a clean cooking project?",
          tool: "search_domains",
          args: { query: "clean cooking", type: "Project" },
        },
        {
          user: "Show me did:ixo:entity:0123456789abcdef0123456789abcdef",
          tool: "get_domain_card",
          args: { did: "did:ixo:entity:0123456789abcdef0123456789abcdef" },
        },
        {
          user: "Why is did:ixo:entity:0123456789abcdef0123456789abcdef not verified?",
          tool: "explain_verification",
          args: { did: "did:ixo:entity:0123456789abcdef0123456789abcdef" },
        },
      ],
      tags: ["registry", "verification"],
      category: "data",
      visibility: "always",
    },
    configSchema: settings,
    autoDetectHint: "REGISTRY or REGISTRY_URL",
    autoDetect(env) {
      const { DOMAIN_REGISTRY_ENABLED: enabled, REGISTRY, REGISTRY_URL, REGISTRY_PUBLIC_READS } = env as Variables;
      if (enabled === "false") return false;
      if (REGISTRY !== undefined || (REGISTRY_URL ?? "") !== "") return true;
      return options.fetch !== undefined && (enabled === "true" || isPublic(REGISTRY_PUBLIC_READS));
    },
    tools: createRegistryTools(({ env }) => createRegistryClient(addressOf(env, settings.parse(env), options))),
  });
}

/**
 * Whether the domains of the same Worker are public (docs/reference/registry.md, RG-19), and the oracle's users may therefore read
 * them. If the operator has closed them, the operator must explicitly admit the oracle's users.
 */
function isPublic(reads: unknown): boolean {
  return typeof reads !== "string" || reads.trim() === "" || /\bgraphql\b/.test(reads);
}

/** An explicit setting overrides what is detected. */
function addressOf(
  env: Env,
  { REGISTRY, REGISTRY_URL, REGISTRY_READ_KEY: key }: Settings,
  options: DomainRegistryOptions,
): RegistryAddress {
  if (REGISTRY !== undefined) return { base: INSIDE, key, fetch: (request) => REGISTRY.fetch(request) };
  if (REGISTRY_URL !== undefined) {
    return { base: REGISTRY_URL.replace(/\/+$/, ""), key, fetch: (request) => fetch(request) };
  }
  const { fetch: read } = options;
  if (read === undefined) throw new Error("domain-registry needs REGISTRY or REGISTRY_URL");
  return { base: INSIDE, key: undefined, fetch: (request, reader) => read(request, env, reader) };
}

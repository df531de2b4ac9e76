/** The three tools. Each answers with the verified state of the result, or with a sentence for the model. */
import * as z from "zod";
import { tool, type PluginTool, type ToolContext } from "../../framework/tools.ts";
import type { Result } from "../../../platform/result.ts";
import { explainVerification } from "./explanation.ts";
import {
  card,
  domain,
  domainPage,
  proposal,
  proposalPage,
  votingRules,
  type Card,
  type Domain,
  type Proposal,
} from "./records.ts";
import type { RegistryClient } from "./registry-client.ts";

/** Default number of domains in a search. */
const USUAL_DOMAINS = 5;
export const MOST_DOMAINS = 20;
/** The registry's maximum length of a query, characters. */
const QUERY_LENGTH = 200;
const TYPE_LENGTH = 64;
/** How much of a description the model and a card need, UTF-16 units. */
const DESCRIPTION_LENGTH = 500;

const did = z
  .string()
  .regex(/^did:[a-z0-9]+:[A-Za-z0-9._:%-]{1,200}$/, {
    error: "must be a DID such as did:ixo:entity:<32 hexadecimal digits>",
  })
  .describe("The domain's DID");

const UNKNOWN = "The registry has no domain with this DID. Search for it by name with search_domains.";

/** `registryOf`: the registry of the call's environment. */
export function createRegistryTools(
  registryOf: (ctx: Pick<ToolContext, "env">) => RegistryClient,
): readonly PluginTool[] {
  return [
    tool(
      async ({ query, type, limit = USUAL_DOMAINS }, ctx) => {
        const parameters = new URLSearchParams({
          q: query,
          limit: String(limit),
          ...(type === undefined ? {} : { type }),
        });
        const found = await registryOf(ctx).get(`/v1/domains?${parameters.toString()}`, domainPage, ctx);
        return found.ok ? (found.value?.data ?? []).map(summaryOf) : found.error;
      },
      {
        name: "search_domains",
        description:
          "Finds domains (organisations, projects, assets, protocols and other registered things) in the domain registry by words of their name, description and the like. All words must match. Returns did, name, type, status and whether each is verified; always tell the user whether it is.",
        schema: z.object({
          query: z.string().trim().min(1).max(QUERY_LENGTH).describe("Words to find, without operators"),
          type: z
            .string()
            .trim()
            .min(1)
            .max(TYPE_LENGTH)
            .optional()
            .describe("Only domains of this type, such as Project"),
          limit: z
            .int()
            .min(1)
            .max(MOST_DOMAINS)
            .optional()
            .describe(`Maximum number of domains; ${USUAL_DOMAINS} by default`),
        }),
        effect: "read",
        foreign: true,
      },
    ),
    tool(
      async ({ did: id }, ctx) => {
        const found = await registryOf(ctx).get(`/v1/domains/${encodeURIComponent(id)}/card`, card, ctx);
        if (!found.ok) return found.error;
        if (found.value === undefined) return UNKNOWN;
        const shown = cardOf(found.value.credentialSubject);
        ctx.emit("render_component", {
          componentName: "DomainCard",
          args: shown,
          status: "done",
          eventId: ctx.toolCallId,
        });
        return shown;
      },
      {
        name: "get_domain_card",
        description:
          "Reads the card of one domain: its statements about itself, its status, and whether it is verified. Shows it to the user as a card where their client can. Always tell whether it is verified; the domain's statements about itself are checked only if it is.",
        schema: z.object({ did }),
        effect: "read",
        foreign: true,
      },
    ),
    tool(({ did: id }, ctx) => explain(registryOf(ctx), id, ctx), {
      name: "explain_verification",
      description:
        "Explains why a domain is verified or not: its state, the open vote and its tally, what is missing (votes, quorum, time), and what the user can do next. Call it when the user asks why, when or how a domain is verified.",
      schema: z.object({ did }),
      effect: "read",
    }),
  ];
}

async function explain(registry: RegistryClient, id: string, ctx: ToolContext): Promise<unknown> {
  const path = `/v1/domains/${encodeURIComponent(id)}`;
  const found = await registry.get(path, domain, ctx);
  if (!found.ok) return found.error;
  if (found.value === undefined) return UNKNOWN;
  const { openProposalId } = found.value;
  const [vote, rules] = await Promise.all([
    openProposalId === null
      ? newestProposal(registry, path, ctx)
      : registry.get(`/v1/proposals/${encodeURIComponent(openProposalId)}`, proposal, ctx),
    openProposalId === null ? registry.get("/v1/verification-rules", votingRules, ctx) : undefined,
  ]);
  if (!vote.ok) return vote.error;
  if (rules?.ok === false) return rules.error;
  return explainVerification({
    domain: found.value,
    proposal: vote.value,
    rules: rules?.value,
    userDid: ctx.user.did,
    now: Date.parse(ctx.user.currentTime),
  });
}

async function newestProposal(
  registry: RegistryClient,
  path: string,
  ctx: ToolContext,
): Promise<Result<Proposal | undefined, string>> {
  const page = await registry.get(`${path}/proposals?limit=1`, proposalPage, ctx);
  return page.ok ? { ok: true, value: page.value?.data[0] } : page;
}

function summaryOf({ id, name, type, status, verificationStatus }: Domain) {
  return { name, verified: verificationStatus === "Verified", type, status, verificationStatus, did: id };
}

const shownTexts = ["name", "description", "location", "image", "logo", "url", "website"] as const;

function cardOf(subject: Card) {
  const texts = shownTexts.flatMap((member): [string, string][] => {
    const text = subject[member];
    return text === undefined ? [] : [[member, text.slice(0, DESCRIPTION_LENGTH).toWellFormed()]];
  });
  return {
    did: subject.id,
    ...Object.fromEntries(texts),
    type: subject.domainType,
    status: subject.status,
    verificationStatus: subject.verificationStatus,
    verified: subject.verificationStatus === "Verified",
    ...(subject.verifiedAt === undefined ? {} : { verifiedAt: subject.verifiedAt }),
    ...(subject.changedSinceVerification === undefined
      ? {}
      : { changedSinceVerification: subject.changedSinceVerification }),
    updatedAt: subject.updatedAt,
  };
}

/**
 * Calls of servers that require a UCAN invocation: finds the invocation that the user's client sent for this tool, verifies it,
 * marks it as used, and passes it on to the server.
 */
import type { PluginKv } from "../../framework/storage.ts";
import type { ToolContext } from "../../framework/tools.ts";
import { fullName } from "./tool-names.ts";

/** Digits of an expiry in a key, so that keys sort by time. */
const EXPIRY_DIGITS = 12;
/** How many keys of expired tokens a call deletes. */
const DELETED_AT_ONCE = 20;

/** The token to pass on; undefined when there is none, it does not permit this call, or it was used before. */
export async function claimInvocation(
  tool: { readonly server: string; readonly name: string; readonly modelName: string },
  ctx: ToolContext,
  now: number,
): Promise<string | undefined> {
  const { mcpInvocations } = ctx.request;
  const token = ownOf(mcpInvocations, fullName(tool.server, tool.name)) ?? ownOf(mcpInvocations, tool.modelName);
  if (token === undefined) return undefined;
  const verified = await ctx.ucan.verifyInvocation(token, {
    can: "mcp/call",
    with: `ixo:oracle:${ctx.identity.entityDid}:mcp/${tool.server}/${tool.name}`,
  });
  if (!verified.ok) return refused(verified.error.message);
  const { cid, issuer, root, ownExpiration } = verified.value;
  if (issuer !== ctx.user.did && root !== ctx.user.did) return refused("it is another user's");
  // Stored for the user: only they can use the token, or its issuer and root, who could mint others anyway.
  const key = `used/${String(Math.floor(ownExpiration)).padStart(EXPIRY_DIGITS, "0")}/${cid}`;
  if (!(await claim(ctx.kv, key, ctx.toolCallId))) return refused("it was used before");
  ctx.background(forgetExpired(ctx.kv, Math.floor(now / 1000)));
  return token;

  function refused(reason: string): undefined {
    ctx.logger.info("mcp-invocation-refused", { server: tool.server, reason });
  }
}

/** A read that was lost with its process is retried with its id and its token. */
async function claim(kv: PluginKv, key: string, toolCallId: string): Promise<boolean> {
  return (await kv.setIfAbsent(key, toolCallId)) || (await kv.get(key)) === toolCallId;
}

async function forgetExpired(kv: PluginKv, nowSeconds: number): Promise<void> {
  const { keys } = await kv.list("used/");
  const expired = keys.filter((key) => Number(key.split("/")[1]) < nowSeconds).slice(0, DELETED_AT_ONCE);
  for (const key of expired) await kv.delete(key);
}

function ownOf(values: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

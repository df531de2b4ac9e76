/**
 * A sign-in that waits for its user: its last page shows a code, which the user types into their own chat. This ties the browser
 * that signed in to the person in the chat, unless that person gives the code away. A link that is sent to somebody else is useless
 * without the code.
 */
import * as z from "zod";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { RuntimeContext } from "../../framework/context.ts";
import { sameSecret } from "../../framework/same-secret.ts";
import type { PluginTool } from "../../framework/tools.ts";
import { signInParts } from "./oauth.ts";
import { grant, grantsOf, type Grant } from "./oauth-grants.ts";
import type { SignInParts } from "./oauth-sign-in.ts";
import { singleUse, type SingleUse } from "./oauth-single-use.ts";
import type { McpServer } from "./settings.ts";
import { maySignIn, withoutBrowser } from "./sign-in.ts";
import { modelName } from "./tool-names.ts";

/** Digits of a code. */
export const CODE_DIGITS = 8;
/** Maximum tries of a code per sign-in. */
export const CODE_TRIES = 3;

const waiting = z.object({ server: z.string(), code: z.string(), tries: z.int(), grant });
type Waiting = z.output<typeof waiting>;

/** `none`: no sign-in waits, or it has expired. */
type CodeProblem = "wrong" | "none";

function waitingOf({ kvOf, ...parts }: SignInParts, did: string): SingleUse<Waiting> {
  return singleUse({ ...parts, kv: kvOf(did), did, kind: "confirmation", schema: waiting });
}

/** Stores the grant for ten minutes until its code is entered; returns the code, in two groups. */
export async function awaitCode(parts: SignInParts, did: string, server: string, granted: Grant): Promise<string> {
  const code = randomDigits();
  await waitingOf(parts, did).add({ server, code, tries: CODE_TRIES, grant: granted });
  return `${code.slice(0, CODE_DIGITS / 2)} ${code.slice(CODE_DIGITS / 2)}`;
}

/**
 * Stores the grant with this code. The record is taken before its code is compared, so that concurrent tries do not exceed the
 * limit.
 */
export async function enterCode(
  parts: SignInParts,
  did: string,
  server: string,
  typed: string,
): Promise<Result<null, CodeProblem>> {
  const records = waitingOf(parts, did);
  const id = await records.newest(0, (each) => each.server === server);
  const found = id === undefined ? undefined : await records.take(id);
  if (found === undefined) return failure("none");
  if (!(await sameSecret(typed.replace(/\D/g, ""), found.code))) {
    if (found.tries > 1) await records.add({ ...found, tries: found.tries - 1 });
    return failure("wrong");
  }
  await grantsOf(parts.kvOf(did), parts.sealing, did).save(server, found.grant);
  return success(null);
}

/** A tool for the model, since the code is typed into the chat. */
export async function confirmTool(server: McpServer, ctx: RuntimeContext): Promise<PluginTool> {
  const { name } = server;
  return {
    name: await modelName(name, "confirm_sign_in"),
    description: `Completes a sign-in to ${name} with the code that the user was shown after it. Call it with a code that the user has typed, never with one from elsewhere.`,
    schema: z.object({ code: z.string().min(1).max(40).describe(`${CODE_DIGITS} digits`) }),
    effect: "write",
    async handler(args) {
      if (!maySignIn(ctx)) return withoutBrowser(name);
      const { code } = args as { readonly code: string };
      const entered = await enterCode(
        signInParts(ctx, () => ctx.kv),
        ctx.user.did,
        name,
        code,
      );
      if (entered.ok) return `The user is signed in to ${name}. Its tools are available from the next message on.`;
      return entered.error === "wrong"
        ? "That code does not match the code on the page. Ask the user to look again."
        : `No sign-in to ${name} waits for a code. The user has to sign in again.`;
    },
  };
}

function randomDigits(): string {
  const [value = 0] = crypto.getRandomValues(new BigUint64Array(1));
  return String(BigInt(value) % 10n ** BigInt(CODE_DIGITS)).padStart(CODE_DIGITS, "0");
}

/**
 * A server's question to the user during a call: a form, or an address to open. The question is sent to the user's page as
 * `mcp_elicitation`; it is declined if there is no answer in time. A form never asks for a secret.
 */
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import * as z from "zod";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../platform/json.ts";
import type { ToolContext } from "../../framework/tools.ts";
import { formOf, type Form } from "./elicitation-form.ts";
import type { McpServer } from "./settings.ts";

/** Time limit for the user, milliseconds. */
export const ELICITATION_MS = 120_000;
/** Maximum characters shown of a server's message. */
export const MESSAGE_LENGTH = 2_000;
/** Maximum characters of an address that a user is asked to open. */
const URL_LENGTH = 2_048;
const ELICITATION = "mcp_elicitation";

const answered = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.custom<JsonValue>().optional(),
});

export interface ElicitationCall {
  readonly server: Pick<McpServer, "name">;
  readonly tool: string;
  readonly ctx: Pick<ToolContext, "askUser" | "notice" | "logger" | "session">;
  /** Fires when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

const declined: ElicitResult = { action: "decline" };

/** Never rejects: the server always gets an answer. */
export async function answerElicitation(
  params: ElicitRequest["params"],
  { server, tool, ctx, signal }: ElicitationCall,
): Promise<ElicitResult> {
  const decline = (reason: string, note?: string): ElicitResult => {
    if (note !== undefined) ctx.notice(note, "mcp_elicitation_declined");
    ctx.logger.info("mcp-elicitation-declined", { server: server.name, tool, reason });
    return declined;
  };
  // There is no page to show it on.
  if (!ctx.session.capabilities.page) return decline("no_page");
  if (signal.aborted) return { action: "cancel" };
  const question = questionOf(params);
  if (question === "secret")
    return decline(
      "secret",
      `${server.name} asked for a secret in a form. The user was not asked: never give a secret in a chat.`,
    );
  if (question === undefined) return decline("unreadable");
  const given = await ask(question, { server, tool, ctx, signal });
  if ("none" in given) return given.none === "aborted" ? { action: "cancel" } : decline(given.none);
  const answer = answered.safeParse(given.value);
  if (!answer.success) return decline("unreadable_answer");
  const { action, content } = answer.data;
  if (action !== "accept") return { action };
  if (question.form === undefined) return { action };
  const read = question.form.read(content);
  if (read.ok) return { action, content: read.value };
  return decline("content_refused", `Your answer to ${server.name} does not match its form, so it was not sent.`);
}

interface Question {
  readonly args: JsonObject;
  readonly form?: Form;
}

function questionOf(params: ElicitRequest["params"]): Question | "secret" | undefined {
  const message = params.message.slice(0, MESSAGE_LENGTH);
  if (params.mode === "url")
    return isOpenable(params.url) ? { args: { mode: "url", message, url: params.url } } : undefined;
  const form = formOf(params.requestedSchema, params.message);
  if (!form.ok) return form.error === "secret" ? "secret" : undefined;
  return { args: { mode: "form", message, schema: form.value.schema }, form: form.value };
}

type Given = { readonly value: JsonValue } | { readonly none: "unanswered" | "no_page" | "aborted" };

async function ask({ args }: Question, { server, tool, ctx, signal }: ElicitationCall): Promise<Given> {
  const aborted = Promise.withResolvers<Given>();
  const abort = (): void => aborted.resolve({ none: "aborted" });
  signal.addEventListener("abort", abort);
  try {
    const asked = ctx
      .askUser(ELICITATION, { server: server.name, tool, ...args }, { timeoutMs: ELICITATION_MS })
      .then((result): Given => {
        const isLost = isJsonObject(result) && result["code"] === "FRONTEND_OUTCOME_UNKNOWN";
        return result === undefined || isLost ? { none: "unanswered" } : { value: result };
      })
      // No page is connected, or the connected page is gone.
      .catch((): Given => ({ none: "no_page" }));
    return await Promise.race([asked, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** The browser opens the address, never this Worker; without https, the owner of the page is unknown. */
function isOpenable(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || text.length > URL_LENGTH) return false;
  return url.protocol === "https:" && url.username === "" && url.password === "";
}

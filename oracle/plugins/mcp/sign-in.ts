/** The answer of a tool whose server requires a sign-in, and the tool that represents a server's unknown tools. */
import type { RuntimeContext } from "../../framework/context.ts";
import type { PluginTool } from "../../framework/tools.ts";
import type { ServerAuthorization } from "./authorization.ts";
import type { McpServer, McpSettings } from "./settings.ts";
import { modelName } from "./tool-names.ts";

/**
 * Whether the turn may use the user's sign-ins, and show a sign-in link: the user is one person, and their client shows links to
 * them alone. In a shared place, other readers could open the link and sign in for everyone.
 */
export function maySignIn({ user, session }: Pick<RuntimeContext, "user" | "session">): boolean {
  return user.isPersonal && session.capabilities.openLinks;
}

/** Sends the sign-in link to the user's pages, and tells the model that it must wait. */
export function signInOutput(
  { name, confirmSignIn }: Pick<McpServer, "name" | "confirmSignIn">,
  url: string,
  ctx: Pick<RuntimeContext, "emit" | "user" | "session">,
): string {
  if (!maySignIn(ctx)) return withoutBrowser(name);
  ctx.emit("mcp_auth_required", { server: name, url });
  const shown = `The user has to sign in to ${name} first. They have been shown a link`;
  return confirmSignIn
    ? `${shown} whose last page shows a code. Ask them to type that code here, and complete the sign-in with it.`
    : `${shown}; call the tool again once they have signed in.`;
}

/** For a phone: at most 120 characters, with a name of 32. */
export function withoutBrowser(server: string): string {
  return `${server} needs you to sign in with a browser. Please use it from the web application.`;
}

export async function signInTool(
  server: McpServer,
  ctx: RuntimeContext<McpSettings>,
  authorization: ServerAuthorization,
): Promise<PluginTool> {
  return {
    name: await modelName(server.name, "sign_in"),
    description: `Signs the user in to ${server.name}, whose tools are unknown until then. Call it when the user wants something from ${server.name}.`,
    schema: { type: "object", properties: {} },
    effect: "read",
    async handler() {
      if (!maySignIn(ctx)) return withoutBrowser(server.name);
      const answer = await authorization.headersFor(server, ctx);
      if (answer.kind === "sign-in") return signInOutput(server, answer.url, ctx);
      if (answer.kind === "headers")
        return `The user is signed in to ${server.name}. Its tools are available from the next message on.`;
      return `Signing in to ${server.name} is not possible at the moment. Try again later.`;
    },
  };
}

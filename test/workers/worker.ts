/** The Worker under test, with its objects' parts replaced by those that tests bring. */
import { defineChatSession } from "../../durable-objects/chat-session.ts";
import { chatSettings } from "../support/chat-settings.ts";
export { RateLimiter } from "../../durable-objects/rate-limiter.ts";
export { UserVault } from "../../durable-objects/user-vault.ts";
export class ChatSession extends defineChatSession(async () => chatSettings()) {}
export default { fetch: () => new Response("test") };

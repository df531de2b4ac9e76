import { DurableObject } from "cloudflare:workers";
export class ChatSession extends DurableObject<Env> {}
export class UserVault extends DurableObject<Env> {}
export class RateLimiter extends DurableObject<Env> {}
export default { fetch: () => new Response("skeleton") };

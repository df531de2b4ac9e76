/**
 * Replaces `cloudflare:workers` in unit tests (vitest.config.ts): the base class, so that our own object classes run unchanged in
 * Node.
 */
export class DurableObject {
  readonly ctx: unknown;
  readonly env: unknown;

  constructor(ctx: unknown, env: unknown) {
    this.ctx = ctx;
    this.env = env;
  }
}

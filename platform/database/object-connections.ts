/** Durable Objects whose calls each share a connection to PostgreSQL. */
import { withConnections } from "./connection-scope.ts";
import type { DatabaseBindings } from "./database-of.ts";

/** The members of an object that every Durable Object has; they are protected, so no type names them. */
interface ObjectContext {
  readonly ctx: { waitUntil(work: Promise<unknown>): void };
  readonly env: Pick<DatabaseBindings, "HYPERDRIVE">;
}

/** Returns the class itself. Each call of a method by the runtime now has its own scope of connections. */
export function sharingConnections<Class extends { readonly prototype: object }>(objectClass: Class): Class {
  const { prototype } = objectClass;
  for (const [name, { value, ...rest }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (name === "constructor" || typeof value !== "function") continue;
    const method = value as (this: unknown, ...parameters: unknown[]) => unknown;
    Object.defineProperty(prototype, name, {
      ...rest,
      value(this: ObjectContext, ...parameters: unknown[]): unknown {
        if (this.env.HYPERDRIVE === undefined) return method.apply(this, parameters);
        return withConnections(
          this.env,
          async () => method.apply(this, parameters),
          (work) => this.ctx.waitUntil(work),
        );
      },
    });
  }
  return objectClass;
}

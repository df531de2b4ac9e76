/** A database whose process is killed at a certain step: every later step fails too, and no cleanup of the caller reaches it. */
import type { Database, Statement } from "../../../platform/database/database.ts";

export interface Dying {
  readonly database: Database;
  /** Counts a step of another part; throws once the process is dead. */
  step(): void;
  /** Whether the process was killed. */
  dead(): boolean;
}

/** `steps`: how many steps succeed. */
export function dyingDatabase(real: Database, steps: number): Dying {
  let taken = 0;
  const originals = new WeakMap<object, Statement>();

  function step(): void {
    taken += 1;
    if (taken > steps) throw new Error("killed");
  }

  function wrap(statement: Statement): Statement {
    const wrapped = new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: readonly never[]) => wrap(target.bind(...values));
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return async (...values: readonly unknown[]) => {
          step();
          return (member as (...values: readonly unknown[]) => unknown).apply(target, [...values]);
        };
      },
    });
    originals.set(wrapped, statement);
    return wrapped;
  }

  const database = new Proxy(real, {
    get(target, name) {
      if (name === "prepare") return (sql: string) => wrap(target.prepare(sql));
      if (name !== "batch") return Reflect.get(target, name) as unknown;
      return async (statements: readonly Statement[]) => {
        step();
        return target.batch(statements.map((statement) => originals.get(statement) ?? statement));
      };
    },
  });
  return { database, step, dead: () => taken > steps };
}

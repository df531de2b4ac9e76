/** The bare Durable Object: one table, one row to read, rows to write, streams to send. */
import { DurableObject } from "cloudflare:workers";
import { acceptRun, answerRun, makeTables, reportRun } from "./turn-statements.ts";
import { eventStream, inBatches, modelFrames, pacedFrames } from "./streams.ts";

export interface BareEnv {
  readonly BARE: DurableObjectNamespace<BareObject>;
  readonly DATABASE: D1Database;
  /** The database of the measured Worker. */
  readonly REGISTRY: D1Database;
  /** PostgreSQL instead, if the measured Worker uses it. */
  readonly HYPERDRIVE?: { readonly connectionString: string };
}

/** Approximate size of a turn's row, UTF-16 units. */
const ROW_SIZE = 200;
/** Milliseconds between two chunks of a paced stream. */
const PACE_MS = 1;

export class BareObject extends DurableObject<BareEnv> {
  readonly #sql = this.ctx.storage.sql;

  constructor(context: DurableObjectState, env: BareEnv) {
    super(context, env);
    this.#sql.exec("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
    this.#sql.exec("INSERT OR IGNORE INTO rows (id, text) VALUES (1, 'the row')");
  }

  async read(): Promise<unknown> {
    return this.#sql.exec("SELECT text FROM rows WHERE id = 1").one();
  }

  /** Only a hop, like the call to the object that counts requests. */
  async pass(): Promise<void> {}

  /** The minimum of a session's step: one row read, one written. The text must be new: SQLite skips an equal one. */
  async step(text: string): Promise<unknown> {
    const row = await this.read();
    this.#sql.exec(
      "INSERT INTO rows (id, text) VALUES (2, ?) ON CONFLICT (id) DO UPDATE SET text = excluded.text",
      text,
    );
    return row;
  }

  async write(count: number): Promise<number> {
    for (let row = 0; row < count; row += 1) {
      this.#sql.exec("INSERT INTO rows (text) VALUES (?)", "x".repeat(ROW_SIZE));
    }
    return count;
  }

  /** The hops of a turn: some writes, a read from D1, the other writes in one transaction, a call to another object. */
  async turn(count: number): Promise<number> {
    const half = Math.floor(count / 2);
    await this.write(half);
    await this.env.DATABASE.prepare("SELECT 1").first();
    this.ctx.storage.transactionSync(() => void this.write(count - half));
    await this.env.BARE.getByName("index").write(1);
    return count;
  }

  /** The statements of a turn, on the real tables, with the real calls. */
  async sameTurn(user: string): Promise<number> {
    const { storage } = this.ctx;
    makeTables(this.#sql);
    const run = acceptRun(this.#sql);
    await this.env.DATABASE.prepare("SELECT 1").first();
    answerRun({ sql: this.#sql, transactionSync: (work) => storage.transactionSync(work) }, run);
    await this.env.BARE.getByName(user).report();
    return run;
  }

  async report(): Promise<void> {
    makeTables(this.#sql);
    reportRun(this.#sql);
  }

  async keep(frames: readonly string[]): Promise<void> {
    await this.ctx.storage.put("frames", frames);
  }

  async stream(): Promise<ReadableStream<Uint8Array>> {
    return eventStream((await this.#kept()).values());
  }

  async batches(): Promise<ReadableStream<Uint8Array>> {
    return eventStream(inBatches(await this.#kept()));
  }

  async paced(chunks: number): Promise<ReadableStream<Uint8Array>> {
    return eventStream(pacedFrames(chunks, PACE_MS));
  }

  async model(chunks: number): Promise<ReadableStream<Uint8Array>> {
    return eventStream(modelFrames(chunks));
  }

  /** Read from storage, since the object may be evicted between two rounds. */
  async #kept(): Promise<readonly string[]> {
    return (await this.ctx.storage.get<readonly string[]>("frames")) ?? [];
  }
}

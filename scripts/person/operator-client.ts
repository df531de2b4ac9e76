/** The operators' routes on people: of the oracle with ADMIN_TOKEN, of the phone gateway with USSD_OPERATOR_TOKEN. */
import { readErrorBody } from "../../shared/error-body.ts";
import { isThisMachine } from "../server-address.ts";
import type { Surface } from "./erased-files.ts";

/** The program's dependencies on its process. */
export interface PersonProcess {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The variables of the local server. */
  readonly localVariables: () => ReadonlyMap<string, string>;
  readonly standardInput: () => Promise<string>;
  /** Throws if the file cannot be read. */
  readonly readFile: (path: string) => Promise<string>;
  readonly print: (line: string) => void;
  readonly note: (line: string) => void;
  readonly fetch: typeof fetch;
  readonly wait: (seconds: number) => Promise<void>;
}

const surfaces: Readonly<Record<Surface, { readonly variable: string; readonly root: string }>> = {
  oracle: { variable: "ADMIN_TOKEN", root: "/people" },
  phone: { variable: "USSD_OPERATOR_TOKEN", root: "/api/ussd/ops/people" },
};

export function tokenVariable(surface: Surface): string {
  return surfaces[surface].variable;
}

/** A refusal of the server, with a sentence. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

export interface OperatorClient {
  /** A GET without a body. Throws `Refused`. */
  ask(path: string, body?: object): Promise<Response>;
}

/** Undefined without a token. A token of `.dev.vars` is sent only to this machine's own server. */
export function operatorClient(url: string, surface: Surface, process: PersonProcess): OperatorClient | undefined {
  const { variable, root } = surfaces[surface];
  const local = isThisMachine(url) ? process.localVariables().get(variable) : undefined;
  const token = (process.environment[variable] ?? local ?? "").trim();
  if (token === "") return undefined;
  return {
    async ask(path, body) {
      for (;;) {
        const response = await process.fetch(`${url}${root}/${path}`, {
          method: body === undefined ? "GET" : "POST",
          headers: {
            Authorization: `Bearer ${token}`,
            ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          // A redirect would send the token elsewhere.
          redirect: "error",
        });
        if (response.ok) return response;
        const seconds = Number(response.headers.get("Retry-After"));
        if (response.status !== 429 || !(seconds > 0)) throw await refusalOf(response);
        process.note(`Rate limit reached; continuing in ${seconds} s.`);
        await process.wait(seconds);
      }
    },
  };
}

async function refusalOf(response: Response): Promise<Refused> {
  const { sentence = "the server refused" } = readErrorBody(await response.text(), new Headers());
  return new Refused(response.status, `${sentence} (${response.status})`);
}

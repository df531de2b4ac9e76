/** Prints the routes of a running gateway as it serves them, with prefixes and without disabled methods. */
import { unreachable } from "../server-address.ts";

export interface RoutesPlatform {
  readonly fetch: (url: string) => Promise<Response>;
  readonly print: (line: string) => void;
}

/** The members of the OpenAPI document that are read. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary?: string }>>>>;
  readonly "x-legacy-aliases"?: Readonly<Record<string, string>>;
}

/** Characters. A few paths are twice as long, and would push all other methods off the screen. */
const WIDEST_COLUMN = 64;
const REASONS = 'it is gated and "/openapi.json" is not in gate.open, or its GATEWAY_CONFIG is wrong';

/** The error; undefined on success. */
export async function printRoutes(url: string, { fetch, print }: RoutesPlatform): Promise<string | undefined> {
  let response: Response;
  try {
    response = await fetch(`${url}/openapi/query-gateway.json`);
  } catch (error) {
    return unreachable(url, error);
  }
  if (!response.ok) return `${url} returns no OpenAPI document of its gateway (HTTP ${response.status}): ${REASONS}`;
  const { paths, "x-legacy-aliases": aliases = {} } = (await response.json()) as Document;
  const rows = [
    ...Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { summary }]) =>
        summary === undefined ? [] : [[method.toUpperCase(), path, summary] as const],
      ),
    ),
    ...Object.entries(aliases).map(([path, target]) => ["alias", path, target] as const),
  ];
  const column = Math.min(WIDEST_COLUMN, Math.max(0, ...rows.map(([, path]) => path.length)));
  for (const [method, path, target] of rows) print(`${method.padEnd(7)} ${path.padEnd(column)}  ${target}`);
  return undefined;
}

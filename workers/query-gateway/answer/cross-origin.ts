/** Which pages of a browser may read a deployment's answers (contract D, section 12). Without a list no header says a word. */
import { ANY_ORIGIN } from "../deployments/settings.ts";

export interface CrossOrigin {
  readonly origins: readonly string[];
  readonly credentials: boolean;
  /** How long a browser may keep a preflight's answer, seconds. */
  readonly maxAge: number;
}

const ALLOWED_HEADERS = "Content-Type, Authorization, X-API-Key, x-cosmos-block-height, grpc-timeout, if-none-match";
const EXPOSED_HEADERS =
  "Grpc-Metadata-X-Cosmos-Block-Height, X-Cosmos-Block-Height, ETag, Age, Cache-Status, Retry-After, X-Request-Id";

export function addCrossOrigin(headers: Headers, request: Request, settings: CrossOrigin | undefined): void {
  if (settings === undefined) return;
  const allowed = allowedOrigin(headers, request, settings.origins);
  if (allowed === undefined) return;
  headers.set("Access-Control-Allow-Origin", allowed);
  if (settings.credentials) headers.set("Access-Control-Allow-Credentials", "true");
  headers.set("Access-Control-Expose-Headers", EXPOSED_HEADERS);
  if (request.method !== "OPTIONS") return;
  headers.set("Access-Control-Allow-Methods", headers.get("Allow") ?? "GET, HEAD, OPTIONS");
  headers.set("Access-Control-Allow-Headers", ALLOWED_HEADERS);
  headers.set("Access-Control-Max-Age", String(settings.maxAge));
}

/** An answer for every origin is the same for all of them, so caches need not tell them apart. */
function allowedOrigin(headers: Headers, request: Request, origins: readonly string[]): string | undefined {
  if (origins.includes(ANY_ORIGIN)) return ANY_ORIGIN;
  headers.append("Vary", "Origin");
  const origin = request.headers.get("Origin");
  return origin !== null && origins.includes(origin) ? origin : undefined;
}

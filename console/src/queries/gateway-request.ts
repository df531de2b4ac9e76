/** The request of a form, for sending and copying. Keys are added separately, and are in no copy. */
import type { AccessKind, Parameter } from "./gateway-catalogue.ts";
import { filledPath } from "./path-template.ts";
import type { QueryForm } from "./query-form.ts";

export interface GatewayRequest {
  readonly method: string;
  /** Path and query, below this origin. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly access: AccessKind;
  readonly body?: string;
}

export function requestOf(form: QueryForm, parameters: readonly Parameter[]): GatewayRequest {
  const pairs = parameters
    .filter(({ place }) => place === "query")
    .flatMap((parameter) => (form.values[parameter.name] ?? []).flatMap((value) => pairOf(parameter, value)));
  const path = filledPath(form.path, form.values, parameters);
  return {
    method: form.method,
    target: `/${path.replace(/^\/+/, "")}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}`,
    headers: {
      ...(form.body !== "" && { "Content-Type": "application/json" }),
      ...(form.height !== "" && { "x-cosmos-block-height": form.height }),
      ...(form.deadline !== "" && { "Grpc-Timeout": `${form.deadline}m` }),
    },
    access: form.access,
    ...(form.body !== "" && { body: form.body }),
  };
}

function pairOf({ name, kind }: Parameter, value: string): readonly string[] {
  if (value === "") return [];
  if (kind !== "map") return [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`];
  const [key = "", ...rest] = value.split("=");
  return [`${encodeURIComponent(`${name}[${key}]`)}=${encodeURIComponent(rest.join("="))}`];
}

/** The header for a protected chain profile. `secret` of basic access is `user:password`. */
export function accessHeaders(access: AccessKind, secret: string): Readonly<Record<string, string>> {
  if (access === "none" || secret === "") return {};
  if (access === "apiKey") return { "X-API-Key": secret };
  if (access === "bearer") return { Authorization: `Bearer ${secret}` };
  return { Authorization: `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(secret)))}` };
}

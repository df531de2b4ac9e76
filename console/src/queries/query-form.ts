/** The user's query, as in the screen's address; never a key, which stays in sessionStorage. */
import type { AccessKind, Catalogue, Parameter, QueryPath } from "./gateway-catalogue.ts";
import { recognise, variablesOf, type Values } from "./path-template.ts";

export interface QueryForm {
  readonly method: string;
  /** A listed template, or any path. Empty until one is selected. */
  readonly path: string;
  readonly values: Values;
  /** Digits; empty for the latest. */
  readonly height: string;
  /** Milliseconds in digits; empty for the gateway's default. */
  readonly deadline: string;
  readonly access: AccessKind;
  readonly body: string;
}

export const emptyForm: QueryForm = {
  method: "GET",
  path: "",
  values: {},
  height: "",
  deadline: "",
  access: "none",
  body: "",
};

/** Prefix of a parameter's name, so that none of them is a member of the form. */
const PARAMETER = "p.";
/** Marks the query as sent, so that reopening the address shows its answer. */
const SENT = "sent";
const accessKinds: readonly AccessKind[] = ["none", "apiKey", "bearer", "basic"];

export function formOfSearch(search: URLSearchParams): QueryForm {
  const values = noValues();
  for (const name of new Set(search.keys()))
    if (name.startsWith(PARAMETER)) values[name.slice(PARAMETER.length)] = search.getAll(name);
  const text = (name: string): string => search.get(name) ?? "";
  return {
    // The gateway has no other methods, and the address is untrusted.
    method: search.get("method") === "POST" ? "POST" : "GET",
    path: text("path"),
    values,
    height: text("height"),
    deadline: text("deadline"),
    access: accessKinds.find((each) => each === text("access")) ?? "none",
    body: text("body"),
  };
}

/** Without a prototype: the names are untrusted, and any other object would have `constructor`. */
function noValues(): Record<string, readonly string[]> {
  return Object.create(null) as Record<string, readonly string[]>;
}

export function isSent(search: URLSearchParams): boolean {
  return search.get(SENT) === "1";
}

export function searchOfForm(form: QueryForm, sent: boolean): URLSearchParams {
  const search = new URLSearchParams();
  for (const name of ["path", "method", "height", "deadline", "access", "body"] as const)
    if (form[name] !== emptyForm[name]) search.set(name, form[name]);
  for (const [name, values] of Object.entries(form.values))
    for (const value of values) if (value !== "") search.append(PARAMETER + name, value);
  if (sent) search.set(SENT, "1");
  return search;
}

/** The form for a listed path, or for other text: a path with its values, or a whole URL of any host. */
export function formOfText(text: string, before: QueryForm, catalogue: Catalogue): QueryForm {
  const trimmed = text.trim();
  const exact = catalogue.find(trimmed);
  if (exact !== undefined) return formOfPath(exact, before);
  if (trimmed === "") return { ...before, method: "GET", path: "" };
  const [pathPart = "", queryPart = ""] = withoutHost(trimmed).split("?", 2);
  const path = pathPart.startsWith("/") ? pathPart : `/${pathPart}`;
  const asked = noValues();
  const pairs = new URLSearchParams(queryPart);
  for (const name of new Set(pairs.keys())) asked[name] = pairs.getAll(name);
  const known = path.includes("{") ? undefined : recognise(catalogue.paths, path);
  if (known === undefined) return { ...before, method: "GET", path, values: asked };
  return { ...formOfPath(known.query, before), values: { ...asked, ...known.values } };
}

/** A listed path, with the previous values that it has parameters for. */
export function formOfPath(query: QueryPath, before: QueryForm): QueryForm {
  const names = query.parameters.map(({ name }) => name);
  return {
    ...before,
    method: query.method,
    path: query.path,
    values: Object.fromEntries(Object.entries(before.values).filter(([name]) => names.includes(name))),
    access: query.access === "none" ? before.access : query.access,
    body: query.takesBody ? before.body : "",
  };
}

/** The fields of the form: the parameters of the listed path, and others in the address. */
export function parametersOf(form: QueryForm, catalogue: Catalogue): readonly Parameter[] {
  const query = catalogue.find(form.path, form.method);
  const variables = variablesOf(form.path);
  const listed = (query?.parameters ?? []).filter(({ name, place }) => place === "query" || variables.includes(name));
  const others = [...new Set([...variables, ...Object.keys(form.values)])].filter(
    (name) => !listed.some((each) => each.name === name),
  );
  return [
    ...listed,
    ...others.map((name) => ({
      name,
      place: variables.includes(name) ? ("path" as const) : ("query" as const),
      kind: "text" as const,
      choices: [],
      isMulti: false,
    })),
  ];
}

export type FieldProblemKind = "missing" | "notInteger" | "notBase64";

/** Errors of fields before sending; the gateway checks the rest. */
export function problemsOf(
  form: QueryForm,
  parameters: readonly Parameter[],
): Readonly<Record<string, FieldProblemKind>> {
  const problems = Object.create(null) as Record<string, FieldProblemKind>;
  for (const { name, place, kind } of parameters) {
    const [value = ""] = form.values[name] ?? [];
    if (value === "" && place === "path") problems[name] = "missing";
    else if (value !== "" && kind === "integer" && !/^-?\d+$/.test(value)) problems[name] = "notInteger";
    else if (value !== "" && kind === "bytes" && !/^[\w+/-]+={0,2}$/.test(value)) problems[name] = "notBase64";
  }
  for (const name of ["height", "deadline"] as const)
    if (form[name] !== "" && !/^\d{1,19}$/.test(form[name])) problems[name] = "notInteger";
  return problems;
}

function withoutHost(text: string): string {
  return text.replace(/^https?:\/\/[^/]*/i, "").replace(/#.*$/, "");
}

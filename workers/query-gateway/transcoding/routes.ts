/**
 * All routes of a chain profile: the rules of its descriptor sets under the prefix, again under legacy prefixes, then
 * aliases. Their order decides among equals. A route that cannot be served is named with its reason; the caller decides
 * how severe that is.
 */
import { failure, success, type Result } from "../../../platform/result.ts";
import { bindRule, bindAtFirstUse, type BoundRule, type BoundMethod, type HttpRule } from "./http-rule.ts";
import type { TranscodingLimits } from "./limits.ts";
import { createRouteTable, type Routable, type RouteTable } from "./paths/route-table.ts";
import { parseTemplate } from "./paths/template.ts";

export interface Route extends BoundRule, Routable {
  /** The method of the rule. */
  readonly bound: BoundMethod;
  readonly isAlias: boolean;
  /** Only on legacy prefixes and aliases: the route under the chain's current path. */
  readonly successor?: Route;
  /** Whether responses point to the successor. An operator's own alias is deprecated only if configured. */
  readonly isDeprecated: boolean;
}

export interface RouteOptions {
  /** Replaces the leading `ixo` of a rule's template; can have several segments. */
  readonly protocolPrefix: string;
  /** Served too, as deprecated. */
  readonly legacyPrefixes: readonly string[];
  /** The built-in aliases of older releases whose methods exist. */
  readonly legacyIxo: boolean;
  /** The operator's own, served at exactly the path that they name. */
  readonly aliases: readonly Alias[];
}

interface RefusedRoute {
  readonly source: "prefix" | "rule" | "alias";
  /** `package.Service/Method` and the template, or the prefix. */
  readonly where: string;
  readonly reason: string;
}

export interface RoutePlan {
  readonly table: RouteTable<Route>;
  readonly routes: readonly Route[];
  readonly refused: readonly RefusedRoute[];
}

/** `methods` in the order of sets, files and rpcs; of two with one name the first wins. */
export function planRoutes(
  methods: readonly BoundMethod[],
  { protocolPrefix, legacyPrefixes, legacyIxo, aliases }: RouteOptions,
  limits: TranscodingLimits,
): RoutePlan {
  const refused: RefusedRoute[] = [];
  const byPath = new Map<string, BoundMethod>();
  for (const bound of methods) if (!byPath.has(bound.path)) byPath.set(bound.path, bound);

  const prefixes = [...new Set([protocolPrefix, ...legacyPrefixes])].filter((prefix) => {
    const isServed = isPrefix(prefix);
    if (!isServed) refused.push({ source: "prefix", where: prefix, reason: "a prefix consists of literal segments" });
    return isServed;
  });

  const rules: Route[] = [];
  for (const bound of byPath.values()) {
    for (const rule of bound.rules) {
      if (isUnderIxo(rule.template) && !prefixes.includes(protocolPrefix)) continue;
      const route = toRoute(bound, rule, underPrefix(rule.template, protocolPrefix), {});
      if (route.ok) rules.push(route.value);
      else refused.push({ source: "rule", where: `${bound.path} ${rule.template}`, reason: route.error });
    }
  }

  const others = prefixes.filter((prefix) => prefix !== protocolPrefix);
  const legacy = rules.flatMap((successor) => {
    const { rule, bound } = successor;
    return isUnderIxo(rule.template)
      ? others.flatMap((prefix) =>
          ifServed(toRoute(bound, rule, underPrefix(rule.template, prefix), { successor, isDeprecated: true })),
        )
      : [];
  });

  const aliased: Route[] = [];
  const firstRoutes = new Map(rules.toReversed().map((route) => [route.bound.path, route]));
  const addAlias = (alias: Alias, path: string) => {
    const route = toAlias(firstRoutes.get(alias.method), alias, path);
    if (route.ok) aliased.push(route.value);
    else refused.push({ source: "alias", where: `${alias.method} ${path}`, reason: route.error });
  };
  for (const alias of legacyIxo ? legacyAliases.filter(({ method }) => firstRoutes.has(method)) : []) {
    const paths = isUnderIxo(alias.path) ? prefixes.map((prefix) => underPrefix(alias.path, prefix)) : [alias.path];
    for (const path of paths) addAlias({ ...alias, deprecated: true }, path);
  }
  for (const alias of aliases) addAlias(alias, alias.path);

  const routes = [...rules, ...legacy, ...aliased];
  return { table: createRouteTable(routes, limits), routes, refused };
}

function isPrefix(prefix: string): boolean {
  if (prefix === "") return false;
  const template = parseTemplate(`/${prefix}`);
  return template.ok && template.value.verb === "" && template.value.segments.every(({ kind }) => kind === "literal");
}

function isUnderIxo(template: string): boolean {
  return template === "/ixo" || template.startsWith("/ixo/");
}

function underPrefix(template: string, prefix: string): string {
  return isUnderIxo(template) ? `/${prefix}${template.slice("/ixo".length)}` : template;
}

function ifServed(route: Result<Route, string>): readonly Route[] {
  return route.ok ? [route.value] : [];
}

interface RouteKind {
  readonly params?: Readonly<Record<string, string>>;
  readonly isAlias?: boolean;
  readonly isDeprecated?: boolean;
  readonly successor?: Route;
}

function toRoute(
  bound: BoundMethod,
  rule: HttpRule,
  path: string,
  { params = {}, isAlias = false, isDeprecated = false, successor }: RouteKind,
): Result<Route, string> {
  const template = parseTemplate(path);
  if (!template.ok) return template;
  const variables = template.value.variables.map((variable) => {
    const field = new Map(Object.entries(params)).get(variable.path.join("."));
    return field === undefined ? variable : { ...variable, path: field.split(".") };
  });
  const renamed = { ...template.value, variables };
  const kind = { bound, httpMethod: rule.verb, template: renamed, isAlias, isDeprecated, successor };
  // An operator's alias can name any field, so it is checked before anything is served.
  if (bound.isChecked === true && Object.keys(params).length === 0) {
    return success(bindAtFirstUse(bound, rule, renamed, kind));
  }
  const binding = bindRule(bound.method, rule, renamed);
  return binding.ok ? success({ ...binding.value, ...kind }) : binding;
}

/** An alias uses body and response of its method's first route. */
function toAlias(successor: Route | undefined, alias: Alias, path: string): Result<Route, string> {
  if (successor === undefined) return failure("the method has no route in the sets of this deployment");
  const { params = {}, deprecated = false } = alias;
  return toRoute(successor.bound, successor.rule, path, { params, isAlias: true, isDeprecated: deprecated, successor });
}

interface Alias {
  /** A template, as in a rule. */
  readonly path: string;
  /** `package.Service/Method`. */
  readonly method: string;
  /** The field that a variable fills, if its name differs: `{"did": "id"}` for `/did/{did}`. */
  readonly params?: Readonly<Record<string, string>>;
  /** Whether responses point to the current path. */
  readonly deprecated?: boolean;
}

const QUERY = "v1beta1.Query";

export const legacyAliases: readonly Alias[] = [
  { path: "/ixo/claim", method: `ixo.claims.${QUERY}/ClaimList` },
  { path: "/ixo/claim/{id}", method: `ixo.claims.${QUERY}/Claim` },
  { path: "/ixo/collection", method: `ixo.claims.${QUERY}/CollectionList` },
  { path: "/ixo/collection/{id}", method: `ixo.claims.${QUERY}/Collection` },
  { path: "/ixo/dispute", method: `ixo.claims.${QUERY}/DisputeList` },
  { path: "/ixo/dispute/{proof}", method: `ixo.claims.${QUERY}/Dispute` },
  { path: "/ixo/bonds", method: `ixo.bonds.${QUERY}/Bonds` },
  { path: "/ixo/bonds_detailed", method: `ixo.bonds.${QUERY}/BondsDetailed` },
  { path: "/ixo/entity/config", method: `ixo.entity.${QUERY}/Params` },
  { path: "/ixo/did", method: `ixo.iid.${QUERY}/IidDocuments` },
  { path: "/ixo/allDidDocs", method: `ixo.iid.${QUERY}/IidDocuments` },
  { path: "/ixo/did/{did}", method: `ixo.iid.${QUERY}/IidDocument`, params: { did: "id" } },
  { path: "/did/{did}", method: `ixo.iid.${QUERY}/IidDocument`, params: { did: "id" } },
  { path: "/ixo/token/config", method: `ixo.token.${QUERY}/Params` },
  { path: "/ixo/token/{minter}", method: `ixo.token.${QUERY}/TokenList` },
  { path: "/ixo/token/{minter}/{contract_address}", method: `ixo.token.${QUERY}/TokenDoc` },
];

/**
 * Paths of older releases of the chain whose answers today's methods still give (contract D, section 10.2). Those whose
 * answer had another shape, or no successor, are not here: they are 404. Variables are named for the field they fill.
 */

export interface Alias {
  /** A template, as in a rule. */
  readonly path: string;
  /** `package.Service/Method`. */
  readonly method: string;
  /** The field that a variable fills where its name is another: `{"did": "id"}` for `/did/{did}`. */
  readonly params?: Readonly<Record<string, string>>;
  /** Whether answers point to the path of today. */
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

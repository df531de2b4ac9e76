/** The permissions that an oracle requests from its users on the chain: the document `#orz` of its entity. */
import type { OracleEntity } from "./chain-records.ts";
import { memberOf } from "./json-request.ts";
import { findResource, readDocument, type DocumentReader } from "./linked-documents.ts";

/** The permissions that an oracle requests on the chain. */
export interface IAuthzConfig {
  /** Type URLs of the messages that the oracle wants to send on behalf of the user. */
  requiredPermissions: string[];
  /** The user's account. */
  granterAddress?: string;
  /** The oracle's account. */
  granteeAddress: string;
  /** Days until a grant expires. */
  expirationDays?: number;
  /** The spending limit. Amounts are whole numbers as text. */
  spendLimit?: Array<{ denom: string; amount: string }>;
  oracleName: string;
}

/** Throws if the oracle has no such document, or an incomplete one. */
export async function readAuthzConfig(
  entity: OracleEntity,
  granterAddress: string,
  reader: DocumentReader,
): Promise<IAuthzConfig> {
  const resource = findResource(entity, "#orz");
  if (resource === undefined)
    throw new Error(`The oracle ${entity.did} has published no authorization settings (#orz)`);
  const document = await readDocument(resource, reader);
  const config = parsed(document);
  if (typeof config === "string") throw new Error(`The authorization settings of ${entity.did} are invalid: ${config}`);
  return { ...config, granterAddress };
}

/** The settings, or a description of the error. */
function parsed(document: unknown): IAuthzConfig | string {
  const [permissions, grantee, name] = ["requiredPermissions", "granteeAddress", "oracleName"].map((member) =>
    memberOf(document, member),
  );
  if (!Array.isArray(permissions) || !permissions.every((permission) => typeof permission === "string"))
    return "requiredPermissions is not a list of strings";
  if (typeof grantee !== "string" || grantee === "") return "granteeAddress is missing";
  if (typeof name !== "string" || name === "") return "oracleName is missing";
  const [days, limit] = [memberOf(document, "expirationDays"), memberOf(document, "spendLimit")];
  if (days !== undefined && typeof days !== "number") return "expirationDays is not a number";
  if (limit !== undefined && !isSpendLimit(limit)) return "spendLimit is not a list of amounts";
  return {
    requiredPermissions: permissions,
    granteeAddress: grantee,
    oracleName: name,
    ...(days === undefined ? {} : { expirationDays: days }),
    ...(limit === undefined ? {} : { spendLimit: limit }),
  };
}

function isSpendLimit(value: unknown): value is { denom: string; amount: string }[] {
  return (
    Array.isArray(value) &&
    value.every((coin) => {
      const amount = memberOf(coin, "amount");
      return typeof memberOf(coin, "denom") === "string" && typeof amount === "string" && /^\d+$/.test(amount);
    })
  );
}

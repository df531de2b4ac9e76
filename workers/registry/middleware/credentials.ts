/**
 * Reads what a request presents as proof of who asks (contract/registry.md section 9): `Authorization: Bearer` or
 * `X-API-Key`. Whether it is worth anything is `keys/find-caller.ts`'s matter.
 */
import { success, type Result } from "../../platform/result.ts";
import { refused, unauthenticated } from "../failures.ts";

const BEARER = /^bearer +([\x21-\x7e]+) *$/i;
const BARE = /^[\x21-\x7e]+$/;

/** The presented secret, or undefined when the request carries none. */
export function presentedSecret(headers: Headers): Result<string | undefined> {
  const authorization = headers.get("Authorization");
  const apiKey = headers.get("X-API-Key")?.trim();
  const bearer = authorization === null ? undefined : BEARER.exec(authorization)?.[1];
  if (authorization !== null && bearer === undefined) return unauthenticated("Authorization must be: Bearer <API key>");
  if (apiKey !== undefined && !BARE.test(apiKey)) return unauthenticated("X-API-Key must hold one API key");
  if (bearer !== undefined && apiKey !== undefined && bearer !== apiKey) {
    return refused("conflicting_credentials", "Authorization and X-API-Key hold different keys; send one of them", {
      details: ["Authorization", "X-API-Key"].map((header) => ({
        header,
        reason: "conflicting_credentials",
        message: "Differs from the other header",
      })),
    });
  }
  return success(bearer ?? apiKey);
}

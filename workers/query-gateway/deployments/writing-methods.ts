/** Which methods may change something, so that no second node is asked when the first has failed. */
import type { BoundMethod } from "../transcoding/http-rule.ts";
import { covers } from "./disabled-methods.ts";

/** The one method of a chain's query services that writes. */
const builtIn: readonly string[] = ["cosmos.tx.v1beta1.Service/BroadcastTx"];
const TRANSACTION_SERVICE = /(?:^|\.)Msg\//;

/** `once`: `package.Service/Method`, or a start of one and `*`. */
export function writingMethods(once: readonly string[]): (method: BoundMethod) => boolean {
  const entries = [...builtIn, ...once];
  return ({ path }) => TRANSACTION_SERVICE.test(path) || entries.some((entry) => covers(entry, path));
}

/** POST carries the queries whose request is too large for a URL. Other methods say that they change something. */
export function isReadVerb(httpMethod: string): boolean {
  return httpMethod === "GET" || httpMethod === "POST";
}

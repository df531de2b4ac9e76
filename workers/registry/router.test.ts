/** `Allow` of a 405. */
import { expect, test } from "vitest";
import { methodsAt } from "./router.ts";

const routes = [
  { method: "ALL", path: "/*" },
  { method: "GET", path: "/v1/voters" },
  { method: "GET", path: "/v1/voters/:did" },
  { method: "PUT", path: "/v1/voters/:did" },
  { method: "DELETE", path: "/v1/voters/:did" },
  { method: "POST", path: "/v1/proposals/:pid/votes" },
];

test.each<[string, readonly string[]]>([
  ["/v1/voters", ["GET", "HEAD"]],
  ["/v1/voters/did:x:a", ["DELETE", "GET", "HEAD", "PUT"]],
  ["/v1/proposals/p/votes", ["POST"]],
  ["/v1/voters/", []],
  ["/v1/voters/a/b", []],
  ["/v1", []],
  ["/", []],
])("%s allows %j", (path, methods) => {
  expect(methodsAt(routes, path)).toEqual(methods);
});

/** Valid addresses of attachments; an invalid address never becomes a request. */
import { expect, test } from "vitest";
import { parseFileSource } from "./file-source.ts";

const NO_SERVER = "its mxc address does not name a server";
const NO_ID = "its mxc address has no valid media id";
const NO_ADDRESS = "its address is neither an mxc nor an https one";

test.each([
  ["mxc://matrix.org/abc_DEF-1", "matrix.org", "abc_DEF-1"],
  ["mxc://localhost:8448/a", "localhost:8448", "a"],
  ["mxc://1.2.3.4/a", "1.2.3.4", "a"],
  ["mxc://[2001:db8::1]:8448/a", "[2001:db8::1]:8448", "a"],
])("%s is media [OR-315]", (address, server, mediaId) => {
  expect(parseFileSource(address)).toEqual({ ok: true, value: { kind: "matrix", server, mediaId } });
});

test("a link is a link, whatever its target [OR-315]", () => {
  expect(parseFileSource("https://example.org/a.pdf")).toMatchObject({ ok: true, value: { kind: "link" } });
});

test.each([
  ["mxc:///a", NO_SERVER],
  ["mxc://../a", NO_SERVER],
  ["mxc://./a", NO_SERVER],
  ["mxc://a b/c", NO_SERVER],
  ["mxc://user@host/c", NO_SERVER],
  ["mxc://host%2f..%2f/c", NO_SERVER],
  ["mxc://host:99999999/c", NO_SERVER],
  ["mxc://host?x/c", NO_SERVER],
  ["mxc://host/", NO_ID],
  ["mxc://host/..", NO_ID],
  ["mxc://host/a/b", NO_ID],
  ["mxc://host/../../admin", NO_ID],
  ["mxc://host/a?x=1", NO_ID],
  ["mxc://host/a#b", NO_ID],
  ["mxc://host/a%2fb", NO_ID],
  ["mxc://host/a\nb", NO_ID],
  ["mxc://host/ü", NO_ID],
  ["mxc://host", NO_ADDRESS],
  ["MXC://host/a", NO_ADDRESS],
  ["ftp://host/a", NO_ADDRESS],
  ["file:///etc/passwd", NO_ADDRESS],
  ["data:text/plain,x", NO_ADDRESS],
  ["//host/a", NO_ADDRESS],
  ["a.pdf", NO_ADDRESS],
])("%j is refused: %s [OR-315]", (address, reason) => {
  expect(parseFileSource(address)).toEqual({ ok: false, error: reason });
});

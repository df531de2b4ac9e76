import { expect, test } from "vitest";
import { sessionsOf, withNewest, type IChatSession, type SessionPage } from "./session-lists.ts";

const session = (sessionId: string, title = ""): IChatSession => ({
  sessionId,
  title,
  lastUpdatedAt: "",
  createdAt: "",
  oracleName: "",
});
const page = (total: number, ...ids: string[]): SessionPage => ({ sessions: ids.map((id) => session(id)), total });
const ids = (pages: readonly SessionPage[] | undefined): string | undefined =>
  pages &&
  sessionsOf(pages)
    .map(({ sessionId }) => sessionId)
    .join("");

test("a session on two pages is listed once, at its first position [SD-133]", () => {
  expect(ids([page(4, "a", "b"), page(4, "b", "c")])).toBe("abc");
});

test("the newest page alone updates titles and adds sessions, and no session is lost [SD-133]", () => {
  const pages = [page(5, "a", "b"), page(5, "c", "d"), page(5, "e")];
  expect(ids(withNewest(pages, page(5, "d", "a")))).toBe("dabce");
  expect(ids(withNewest(pages, page(6, "n", "a")))).toBe("nabcde");
  const titled = withNewest(pages, { sessions: [session("a", "Weather"), session("b")], total: 5 });
  expect(titled?.[0]?.sessions[0]?.title).toBe("Weather");
  expect(ids(withNewest([page(5, "a", "b")], page(5, "c", "a")))).toBe("cab");
});

test("if a session was removed or is missing, all pages are read again [SD-133]", () => {
  const pages = [page(3, "a", "b"), page(3, "c")];
  expect(withNewest(pages, page(2, "a", "b"))).toBeUndefined();
  expect(withNewest(pages, page(6, "x", "y"))).toBeUndefined();
});

import { expect, test } from "vitest";
import { waitingServers } from "./waiting-servers.ts";

const human = { type: "human" as const };
const call = (name: string, output: string) => ({
  type: "ai" as const,
  toolCalls: [{ name, id: "c", args: {}, output }],
});
const asks = "The user has to sign in to calendar first. They have been shown a link.";

test("a server waits for its user while a tool of the last turn reports it, even after a reload [CN-144]", () => {
  expect(waitingServers([human, call("calendar__sign_in", asks)], [])).toEqual(["calendar"]);
  expect(
    waitingServers([human, call("calendar__list", asks)], [{ server: "calendar", url: "https://a.test" }]),
  ).toEqual(["calendar"]);
  expect(waitingServers([human, call("calendar__sign_in", asks), human], [])).toEqual([]);
  expect(waitingServers([human, call("notes__read", asks), call("calendar__list", "3 events")], [])).toEqual([]);
});

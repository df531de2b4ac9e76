/** The server is killed during replies, as a page in a real browser sees it. */
import { randomInt } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { expectWhole, openConversation } from "../../support/sdk/conversation-page.ts";
import { disposeAfterTests } from "../../support/server/dispose-after-tests.ts";
import { startSdkPages, type SdkPages } from "../../support/sdk/sdk-pages.ts";

/** The answer to `/slow <parts> <ms>`. */
const said = (parts: number): string => Array.from({ length: parts }, (_, index) => `part ${index + 1} `).join("");

describe.runIf(hasBrowser)("a conversation in a browser", () => {
  let pages: SdkPages;
  const started = disposeAfterTests();
  beforeAll(async () => {
    pages = started(await startSdkPages());
  });

  test("replies are whole after 20 kills of the server during them [SD-243]", async () => {
    let kills = 0;
    let turns = 0;
    const user = await pages.signUp();
    const sessionId = await user.newSession();
    const conversation = await openConversation(pages, user, { settings: { sessionId } });
    while (kills < 20) {
      turns += 1;
      const parts = 100;
      await conversation.send(`/slow ${parts} 25`);
      // A run is resumed three times at most.
      for (let kill = 1; kill <= 3 && kills < 20; kill += 1) {
        await conversation.textOf(kill * 80 + randomInt(60), turns);
        // A kill after its end would show nothing.
        if ((await conversation.state()).status === "ready") break;
        await pages.server.kill();
        await pages.server.startAgain();
        kills += 1;
      }
      await conversation.ready(turns * 2);
      expect((await conversation.state()).messages.at(-1)?.text).toBe(said(parts));
    }
    expect(conversation.traffic.posts()).toHaveLength(turns);
    await expectWhole(user, sessionId, conversation);
  });
});

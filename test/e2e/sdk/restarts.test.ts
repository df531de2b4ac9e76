/** The server killed in the middle of replies, as a page in a real browser sees it. */
import { randomInt } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { expectWhole, openConversation } from "../../support/sdk/conversation-page.ts";
import { disposeAfterTests } from "../../support/server/dispose-after-tests.ts";
import { startSdkPages, type SdkPages } from "../../support/sdk/sdk-pages.ts";

/** What `/slow <parts> <ms>` answers. */
const said = (parts: number): string => Array.from({ length: parts }, (_, index) => `part ${index + 1} `).join("");

describe.runIf(hasBrowser)("a conversation in a browser", () => {
  let pages: SdkPages;
  const started = disposeAfterTests();
  beforeAll(async () => {
    pages = started(await startSdkPages());
  });

  test("the server killed 20 times in the middle of replies: each is whole [SD-243]", async () => {
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
        // Past its end a kill would tell nothing.
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

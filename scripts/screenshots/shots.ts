/** The pictures of the README and the documents: the content of each, and how the console is brought there. */
import type { Locator, Page } from "playwright-core";
import { chatTexts } from "../../console/src/texts/chat.ts";
import type { TestBrowser } from "../../test/support/browser/browser.ts";
import { log, quiet, say } from "../../test/support/console/chat-page.ts";
import { openConsolePage, type ConsolePageOptions, type Theme } from "../../test/support/console/console-page.ts";
import { drawn } from "../../test/support/console/every-look.ts";
import type { RunningServer } from "../../test/support/server/running-server.ts";
import type { Image } from "./image-files.ts";
import { handset, recordPhone, showRecord } from "./phone-recording.ts";
import type { Programme } from "./programme.ts";
import { recordReload } from "./reload-recording.ts";

/** The parts with which a picture is taken. */
export interface Studio {
  readonly server: RunningServer;
  readonly browser: TestBrowser;
  readonly programme: Programme;
}

export interface Shot {
  /** The file's name, without its extension. */
  readonly name: string;
  readonly take: (studio: Studio) => Promise<Image>;
}

/** CSS pixels. The handset is upright where there is this much height. */
const PHONE_WINDOW = { width: 1100, height: 1040 };
const SCREEN = { width: 1120, height: 840 };
const RELOAD_WINDOW = { width: 960, height: 600 };

interface StillOptions {
  readonly path: (programme: Programme) => string;
  readonly theme?: Theme;
  readonly window?: typeof SCREEN;
  readonly ready?: (page: Page, studio: Studio) => Promise<unknown>;
  /** Only this part of the page. */
  readonly part?: (page: Page) => Locator;
}

function stillOf(name: string, { path, theme = "light", window = SCREEN, ready, part }: StillOptions): Shot {
  return {
    name,
    async take(studio) {
      const options = { path: path(studio.programme), theme, deviceScaleFactor: 2, ...window };
      return onPage(studio, options, async (page) => {
        await ready?.(page, studio);
        await settled(page);
        return (part?.(page) ?? page).screenshot();
      });
    },
  };
}

async function onPage<Result>(
  studio: Studio,
  options: ConsolePageOptions,
  use: (page: Page) => Promise<Result>,
): Promise<Result> {
  const opened = await openConsolePage(studio, options);
  try {
    return await use(opened.page);
  } finally {
    await opened.close();
  }
}

/** Nothing is loading, and no field has a cursor. */
async function settled(page: Page): Promise<void> {
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
  await page.evaluate("document.activeElement?.blur()");
  await drawn(page);
}

const proposal = ({ openProposal }: Programme): string => `/votes/${openProposal}`;
const tally = (page: Page): Promise<unknown> => page.getByText("Kigali biogas plant").first().waitFor();

async function conversation(page: Page): Promise<void> {
  const answers = log(page).getByRole("article", { name: chatTexts.oracle });
  await say(page, chatTexts.whatIsDomain);
  await answers.getByText("did:ixo:protocol/clean-cooking", { exact: true }).waitFor();
  await quiet(page);
  await say(page, "Why is Kigali biogas plant not verified?");
  await answers.filter({ hasText: "What is missing" }).waitFor();
  await quiet(page);
}

export const shots: readonly Shot[] = [
  stillOf("vote", { path: proposal, ready: tally }),
  stillOf("vote-dark", { path: proposal, ready: tally, theme: "dark" }),
  stillOf("home", { path: () => "/", ready: tally }),
  stillOf("chat", { path: () => "/chat", ready: conversation }),
  stillOf("queries", {
    path: () => "/queries?path=/ixo/token/params&sent=1",
    ready: (page) => page.getByRole("tree").waitFor(),
  }),
  stillOf("phone", {
    path: () => "/phone",
    window: PHONE_WINDOW,
    ready: (page, { programme }) => showRecord(page, programme),
    part: handset,
  }),
  {
    name: "phone-recording",
    take: (studio) =>
      onPage(studio, { path: "/phone", ...PHONE_WINDOW, deviceScaleFactor: 1.5 }, (page) => recordPhone(page)),
  },
  {
    name: "reload-recording",
    take: (studio) => onPage(studio, { path: "/chat", ...RELOAD_WINDOW }, recordReload),
  },
];

/** The console's phone: a recording of a call whose line drops, and a call that looks up a domain, for a picture. */
import type { Locator, Page } from "playwright-core";
import { guideTo } from "../../console/src/phone/guide.ts";
import { drawn } from "../../test/support/console/every-look.ts";
import type { Frame } from "./image-files.ts";
import type { Programme } from "./programme.ts";

const NAME = "Ada Banda";
const PIN = "43219";

/** Milliseconds within which a screen must appear. */
const SCREEN_LIMIT = 30_000;

/** Milliseconds that a frame is shown: a key press, a screen to read, and the last screen. */
const KEY = 500;
const SCREEN = 1600;
const LAST_SCREEN = 4000;

export function handset(page: Page): Locator {
  return page.getByRole("group", { name: "Handset of phone 1" });
}

/** Records a caller who opens an account. The line drops during the form, and the next call continues it. */
export async function recordPhone(page: Page): Promise<readonly Frame[]> {
  const frames: Frame[] = [];
  const phone = phoneOn(page);
  const watch = async (milliseconds: number, caption: string): Promise<void> => {
    await drawn(page);
    frames.push({ picture: await handset(page).screenshot(), milliseconds, caption });
  };
  const answer = async (typed: string, expected: string, caption: string): Promise<void> => {
    await phone.type(typed);
    await watch(KEY, caption);
    await phone.send(expected);
    await watch(SCREEN, caption);
  };
  await watch(SCREEN, "A caller dials");
  await phone.dial("Know More");
  await watch(SCREEN, "A caller dials");
  await answer("2", "No, create my account", "and opens an account");
  await answer("2", "full name", "and opens an account");
  await answer(NAME, "email", "and opens an account");
  await phone.drop();
  await watch(SCREEN, "The line drops");
  await phone.dial("9. Continue");
  await watch(SCREEN, "The caller dials again");
  await answer("9", "email", "and continues the form");
  await answer("00", "Create a 5-digit PIN", "and continues the form");
  await answer(PIN, "Confirm", "and continues the form");
  await phone.type(PIN);
  await phone.send("Your Customer ID");
  await watch(LAST_SCREEN, "The account exists once");
  return frames;
}

/** Leaves the phone at the screen with the status of the domain under vote. */
export async function showRecord(page: Page, { underVote }: Programme): Promise<void> {
  const phone = phoneOn(page);
  const answer = async (typed: string, expected: string): Promise<void> => {
    await phone.type(typed);
    await phone.send(expected);
  };
  const customerId = await newAccount(phone);
  await phone.dial("Know More");
  await answer("2", "Yes, log me in");
  await answer("1", "Customer ID");
  await answer(customerId, "PIN");
  await answer(PIN, "Continue");
  await answer("1", "Services");
  await answer("3", "record's status");
  await answer("2", "record's number");
  await answer(guideTo(underVote)?.number ?? "", "Status:");
}

/** Opens an account, leaves the menus, and returns the customer id. */
async function newAccount(phone: Phone): Promise<string> {
  const answer = async (typed: string, expected: string): Promise<void> => {
    await phone.type(typed);
    await phone.send(expected);
  };
  await phone.dial("Know More");
  await answer("2", "No, create my account");
  await answer("2", "full name");
  await answer(NAME, "email");
  await answer("00", "Create a 5-digit PIN");
  await answer(PIN, "Confirm");
  await answer(PIN, "Your Customer ID");
  const [customerId = ""] = /C[0-9A-Z]{9}/.exec(await phone.text()) ?? [];
  // After a hang-up, the next call would show the Customer ID again.
  await answer("*", "Goodbye");
  return customerId;
}

interface Phone {
  dial(expected: string): Promise<void>;
  type(text: string): Promise<void>;
  send(expected: string): Promise<void>;
  drop(): Promise<void>;
  text(): Promise<string>;
}

function phoneOn(page: Page): Phone {
  const section = page.getByRole("region", { name: "Phone 1" });
  const display = section.getByRole("status", { name: "Display" });
  const button = (name: string): Locator => section.getByRole("button", { name, exact: true });
  const press = async (name: string, expected: string): Promise<void> => {
    await button(name).click();
    const shown = display.filter({ hasText: expected }).waitFor({ timeout: SCREEN_LIMIT });
    await shown.catch(async (error: unknown) => {
      throw new Error(`"${expected}" is not on the display, which shows: ${await display.innerText()}`, {
        cause: error,
      });
    });
  };
  return {
    dial: (expected) => press("Dial", expected),
    type: (text) => section.locator("input.phone-line").fill(text),
    send: (expected) => press("Send", expected),
    drop: () => press("Drop the line", "Press Dial"),
    text: () => display.innerText(),
  };
}

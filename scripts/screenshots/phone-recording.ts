/**
 * A caller looks up a domain on the console's phone, over a line that drops: as a recording, or to the last screen for a picture.
 */
import type { Locator, Page } from "playwright-core";
import { guideTo } from "../../console/src/phone/guide.ts";
import { drawn } from "../../test/support/console/every-look.ts";
import type { Frame } from "./image-files.ts";
import type { Programme } from "./programme.ts";

const NAME = "Ada Banda";
const PIN = "43219";

/** Milliseconds that a frame is shown: a key press, a screen to read, and the last screen. */
const KEY = 500;
const SCREEN = 1600;
const LAST_SCREEN = 4000;

/** Takes a frame of the phone. */
type Watch = (milliseconds: number, caption: string) => Promise<void>;
const unwatched: Watch = () => Promise.resolve();

export function handset(page: Page): Locator {
  return page.getByRole("group", { name: "Handset of phone 1" });
}

export async function recordPhone(page: Page, programme: Programme): Promise<readonly Frame[]> {
  const frames: Frame[] = [];
  const watch: Watch = async (milliseconds, caption) => {
    await drawn(page);
    frames.push({ picture: await handset(page).screenshot(), milliseconds, caption });
  };
  await lookUp(page, programme, watch);
  return frames;
}

/** Leaves the phone at the screen with the domain's status. */
export async function showRecord(page: Page, programme: Programme): Promise<void> {
  await lookUp(page, programme, unwatched);
}

async function lookUp(page: Page, { underVote }: Programme, watch: Watch): Promise<void> {
  const phone = phoneOn(page);
  const customerId = await newAccount(phone);
  const number = guideTo(underVote)?.number ?? "";

  await watch(SCREEN, "A caller dials");
  await phone.dial("Know More");
  await watch(SCREEN, "A caller dials");
  const answer = async (typed: string, expected: string, caption: string): Promise<void> => {
    await phone.type(typed);
    await watch(KEY, caption);
    await phone.send(expected);
    await watch(SCREEN, caption);
  };
  await answer("2", "Yes, log me in", "and logs in");
  await answer("1", "Customer ID", "and logs in");
  await answer(customerId, "PIN", "and logs in");
  await answer(PIN, "Continue", "and logs in");
  await answer("1", "Services", "and looks up a project");
  await answer("3", "record's status", "and looks up a project");
  await answer("2", "record's number", "and looks up a project");
  await phone.drop();
  await watch(SCREEN, "The line drops");
  await phone.dial("Continue where you left off");
  await watch(SCREEN, "The caller dials again");
  await answer("9", "record's number", "and continues on the same screen");
  await phone.type(number);
  await watch(SCREEN, "and continues on the same screen");
  await phone.send("Status:");
  await watch(LAST_SCREEN, "The project is under vote");
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
    await display.filter({ hasText: expected }).waitFor();
  };
  return {
    dial: (expected) => press("Dial", expected),
    type: (text) => section.locator("input.phone-line").fill(text),
    send: (expected) => press("Send", expected),
    drop: () => press("Drop the line", "Press Dial"),
    text: () => display.innerText(),
  };
}

/** Texts that all screens share. */
import { grouped } from "./number.ts";

export const kitTexts = {
  loading: "Loading",
  retry: "Try again",
  close: "Close",
  cancel: "Cancel",
  before: "Before",
  after: "After",
  copied: "Copied",
  notCopied: "The browser blocked copying. Select the text and copy it yourself.",
  signIn: "Sign in",
  waitsForNetwork: "This waits until you are online.",
  waitsForSignIn: "This waits until you sign in again.",
  failed: (status: number) => `The server answered ${status} without a reason.`,
  needsKey: {
    apiKey: "This needs a registry API key",
    operatorToken: "This needs the operator's token",
    phoneOperatorToken: "This needs the phone operator's token",
    gatewaySecret: "This needs the secret of this deployment",
  },
  waitFor: (seconds: number) => `Wait ${seconds} s before you try again.`,
  previous: "Previous page",
  unexpected: "This screen failed. Reload the page; you stay signed in.",
  reload: "Reload",
};

/** Texts of the viewer of JSON values. */
export const jsonTreeTexts = {
  more: (remaining: number, slice: number) =>
    `Show ${grouped(Math.min(remaining, slice))} more of ${grouped(remaining)}`,
};

/** Types of JSON in plain words. */
const types: Readonly<Record<string, string>> = {
  string: "a text",
  object: "a JSON object",
  array: "a list",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
};

/** Sentences about a form field's errors. */
export const formTexts = {
  required: "This is required.",
  type: (type: string) => `This must be ${types[type] ?? type}.`,
};

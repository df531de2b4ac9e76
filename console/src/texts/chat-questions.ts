/** Words of the chat for what the oracle asks its user: approvals, forms, sign-ins. */
import { plural } from "./number.ts";

export const questionTexts = {
  title: "May the oracle do this?",
  effect: (tool: string) =>
    `It will run “${tool}” with the values below, in your name. Nothing happens before you decide.`,
  effectAlone: (tool: string) =>
    `It will run “${tool}”, which takes no values, in your name. Nothing happens before you decide.`,
  approve: "Approve and run it",
  refuse: "Refuse: do not run it",
  approved: "You have approved it.",
  refused: "You have refused it. It is not run.",
  /** What a tool that this console knows does. */
  tools: {
    remember: "Remember a fact",
    forget: "Forget a fact",
    forget_everything: "Forget everything that you asked to remember",
    set_user_preferences: "Change your preferences",
  } as Readonly<Record<string, string>>,
  values: "Values",
  asText: "as text",
  blankText: "blank text",
  formTitle: (server: string) => `The service “${server}” asks you to fill this in`,
  formLimit: "Without an answer within two minutes, the oracle declines for you. Never enter a password here.",
  submit: (server: string) => `Send this to ${server}`,
  sent: "Your answer is sent.",
  choose: "Choose",
  faults: {
    missing: "Fill this in.",
    number: "Enter a number.",
    integer: "Enter a whole number.",
    least: (least: number) => `Enter ${least} or more.`,
    largest: (most: number) => `Enter ${most} or less.`,
    shortest: (least: number) => `Enter at least ${plural(least, "character", "characters")}.`,
    longest: (most: number) => `Enter at most ${plural(most, "character", "characters")}.`,
    fewest: (least: number) => `Choose at least ${least}.`,
    most: (most: number) => `Choose at most ${most}.`,
    email: "Enter an e-mail address.",
    url: "Enter a whole address, such as https://example.org.",
  },
  openPage: (host: string) => `Open ${host}`,
  opened: "I have done it",
  decline: "Decline",
  declined: "You have declined.",
  answerAgain: "Your answer did not count; the oracle still waits for one. Answer again.",
  over: "A question is over: it was answered elsewhere, or nobody waits for it any more.",
  signIn: (server: string) => `Sign in to ${server}`,
  signInLead: (server: string) =>
    `The oracle needs you to sign in to ${server}. That opens in another tab; afterwards, come back here.`,
  signedIn: (server: string) => `You are signed in to ${server}.`,
  askAgain: "Ask again",
};

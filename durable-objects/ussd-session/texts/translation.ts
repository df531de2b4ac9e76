/** The texts that a language must provide. English is the pattern. */
import type { english } from "./en.ts";

export type TextKey = keyof typeof english.texts;

export type MessageKey = keyof typeof english.messages;

/** The registry's verification status. */
export type VerificationState = keyof typeof english.verification;

export type InfoTopic = keyof typeof english.info;

export type NoticeTopic = keyof typeof english.notices;

/** Why an input was rejected, or what has just happened. The short form is shown if the long one does not fit. */
export interface MessageText {
  readonly long: string;
  readonly short: string;
}

export interface Translation {
  readonly texts: Readonly<Record<TextKey, string>>;
  readonly messages: Readonly<Record<MessageKey, MessageText>>;
  readonly verification: Readonly<Record<VerificationState, string>>;
  readonly info: Readonly<Record<InfoTopic, string>>;
  readonly notices: Readonly<Record<NoticeTopic, string>>;
}

/**
 * The SMS that reports a change of an account to its owner: what happened, when, and which account, by the end of its
 * id. It never contains a PIN or another customer's number. Only the message about a new account contains the whole
 * customer id, because the phone should keep it. workers/ussd/sms decides who receives it, and when.
 */
import { foldToGsm7 } from "./characters.ts";
import { dictionaryOf, fill, supportValue, type Language } from "./dictionary.ts";
import type { NoticeTopic } from "./translation.ts";

export interface SecurityNotice {
  readonly topic: NoticeTopic;
  readonly customerId: string;
  /** Unix milliseconds: when it happened, which may be hours before the message arrives. */
  readonly at: number;
  /** Duration of a lock in whole minutes. */
  readonly minutes: number;
}

/** The values of a deployment in its messages. */
export interface NoticeSettings {
  readonly app: string;
  /** The operator's phone number; undefined if none is configured. */
  readonly supportPhone?: string | undefined;
}

export type SecurityNoticeText = (notice: SecurityNotice, language: Language, settings: NoticeSettings) => string;

/** Characters of a customer id: enough to distinguish a phone's accounts, too few to log in with. */
const SHOWN_OF_ID = 4;
/** The part of an ISO 8601 time up to the minute. */
const MINUTE_LENGTH = "2026-11-21T09:00".length;

/** At most one SMS of 160 septets, if the name of the service is in the GSM alphabet. */
export const securityNoticeText: SecurityNoticeText = (
  { topic, customerId, at, minutes },
  language,
  { app, supportPhone },
) => {
  const dictionary = dictionaryOf(language);
  const time = `${new Date(at).toISOString().slice(0, MINUTE_LENGTH).replace("T", " ")} UTC`;
  const account = `..${customerId.slice(-SHOWN_OF_ID)}`;
  const values = { app, account, id: customerId, time, minutes, ...supportValue(dictionary, supportPhone) };
  return foldToGsm7(fill(dictionary.notices[topic], values));
};

/**
 * The SMS that reports a change of an account to its owner: what happened, when, and which account, by the end of its id.
 * Never a PIN, a whole customer id or another number. Who receives it, and when: workers/ussd/sms.
 */
import { foldToGsm7 } from "./characters.ts";
import { dictionaryOf, fill, type Language, type NoticeTopic } from "./dictionary.ts";

export interface SecurityNotice {
  readonly topic: NoticeTopic;
  readonly customerId: string;
  /** Unix milliseconds: when it happened, which may be hours before the message arrives. */
  readonly at: number;
  /** Of a lock; whole minutes. */
  readonly minutes: number;
}

export type SecurityNoticeText = (notice: SecurityNotice, language: Language, app: string) => string;

/** Characters of a customer id: enough to distinguish a phone's accounts, too few to log in with. */
const SHOWN_OF_ID = 4;
/** Of an ISO 8601 time: up to the minute. */
const MINUTE_LENGTH = "2026-11-21T09:00".length;

/** At most one SMS of 160 septets, as long as the name of the service is in the GSM alphabet. */
export const securityNoticeText: SecurityNoticeText = ({ topic, customerId, at, minutes }, language, app) => {
  const time = `${new Date(at).toISOString().slice(0, MINUTE_LENGTH).replace("T", " ")} UTC`;
  const account = `..${customerId.slice(-SHOWN_OF_ID)}`;
  return foldToGsm7(fill(dictionaryOf(language).notices[topic], { app, account, time, minutes }));
};

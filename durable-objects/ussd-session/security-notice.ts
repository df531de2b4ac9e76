/**
 * What an SMS says of an act on an account (decisions/004): what happened, when, and by its end which account. Never a
 * PIN, a whole customer id or another's number. Who gets it, and when, is workers/ussd/sms/security-notices.ts.
 */
import { foldToGsm7 } from "./characters/folding.ts";
import { fill, type NoticeTopic } from "./i18n/dictionary.ts";
import { dictionaryOf, type Language } from "./i18n/languages.ts";

export interface SecurityNotice {
  readonly topic: NoticeTopic;
  readonly customerId: string;
  /** Unix milliseconds: when it happened, which may be hours before the message arrives. */
  readonly at: number;
  /** Of a lock; whole minutes. */
  readonly minutes: number;
}

export type SecurityNoticeText = (notice: SecurityNotice, language: Language, app: string) => string;

/** Characters of a customer id: enough to tell a phone's accounts apart, too few to log in with. */
const SHOWN_OF_ID = 4;
/** Of an ISO 8601 time: up to the minute. */
const MINUTE_LENGTH = "2026-11-21T09:00".length;

/** At most one SMS of 160 septets, as long as the name of the service is in the GSM alphabet. */
export const securityNoticeText: SecurityNoticeText = ({ topic, customerId, at, minutes }, language, app) => {
  const time = `${new Date(at).toISOString().slice(0, MINUTE_LENGTH).replace("T", " ")} UTC`;
  const account = `..${customerId.slice(-SHOWN_OF_ID)}`;
  return foldToGsm7(fill(dictionaryOf(language).notices[topic], { app, account, time, minutes }));
};

/** What a session is made of: its rules and everything that it takes from its platform. */
import type { Logger } from "../../workers/platform/log.ts";
import type { ObjectStorage } from "../schema.ts";
import type { ConversationParts } from "./conversation.ts";
import type { Language } from "./i18n/languages.ts";
import type { AccountsPort, DigestPort, StatisticsPort } from "./ports.ts";
import type { UssdSessionRpc } from "./rpc.ts";
import type { TextRules } from "./input/text-meaning.ts";

export interface SessionRules extends Pick<TextRules, "replayWindowMs" | "directDial"> {
  readonly textMode: TextRules["mode"];
  /** Milliseconds without a request until the session expires, and for which an END is remembered. */
  readonly lifetimeMs: number;
  /** Milliseconds for which a draft can be fetched; 0: nothing is kept. */
  readonly resumeWindowMs: number;
  readonly defaultLanguage: Language;
}

export interface SessionParts {
  readonly storage: ObjectStorage;
  /** Empties the storage and calls the alarm off. */
  erase(): Promise<void>;
  readonly rules: SessionRules;
  readonly conversation: ConversationParts;
  readonly accounts: AccountsPort;
  readonly digests: DigestPort;
  readonly statistics: StatisticsPort;
  /** The object of another session. */
  neighbour(name: string): Pick<UssdSessionRpc, "takeDraft">;
  /** Whether this phone may send another request now; absent without such a limit. */
  readonly brake?: ((phoneNumber: string) => Promise<boolean>) | undefined;
  /** Whether messages can be sent. */
  readonly sms: boolean;
  /** Unix milliseconds. */
  clock(): number;
  after(milliseconds: number, work: () => void): () => void;
  /** Unguessable, and never the same twice. */
  newSeed(): string;
  /** Lets the alarm ring at this time, Unix milliseconds, if not before. */
  wake(at: number): void;
  background(work: Promise<unknown>): void;
  readonly log: Logger;
}

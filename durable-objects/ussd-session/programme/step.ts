/** The state of a programme, and the steps between a programme and the session that runs it. */
import type { Message } from "../texts/dictionary.ts";
import type { Part } from "./screen-schemas.ts";
import type { Answer } from "./service-call.ts";

/** Plain data, stored with the session. It never contains a PIN. */
export interface ProgrammeState {
  readonly screen: string;
  readonly language: string;
  readonly page: number;
  readonly values: Readonly<Record<string, string>>;
  /** The screens to which `0` leads, oldest first; the last one is the current screen. */
  readonly trail: readonly string[];
  /** What the session does now; the screen of a wait is shown meanwhile. */
  readonly pending?: "call" | "pin" | "go" | "login" | undefined;
  /** PIN questions so far: a part of the key of each call, so a confirmation orders once. */
  readonly confirmations: number;
  /** The PIN was right, and the caller has seen no screen since. */
  readonly confirmed: boolean;
  /** Calls and parts since the last screen. */
  readonly hops: number;
  readonly message?: Message | undefined;
}

export type Step =
  | { readonly kind: "show" | "end" | "wait"; readonly state: ProgrammeState }
  | {
      readonly kind: "call";
      readonly state: ProgrammeState;
      readonly service: string;
      readonly isWrite: boolean;
      /** Equal for a repeated request, and different after each confirmation. */
      readonly key: string;
      readonly members: Readonly<Record<string, string>>;
    }
  /** The PIN is in this step alone, and only for the check. */
  | { readonly kind: "pin"; readonly state: ProgrammeState; readonly reveal: () => string }
  | { readonly kind: "login"; readonly state: ProgrammeState }
  | {
      readonly kind: "go";
      readonly state: ProgrammeState;
      readonly part: Part;
      /** With the caller's draft. */
      readonly resumes: boolean;
      /** The text of an SMS. */
      readonly text?: string;
    };

export type Outcome =
  | ({ readonly kind: "call" } & Answer)
  | { readonly kind: "pin"; readonly is: "right" | "revoked" }
  | { readonly kind: "pin"; readonly is: "wrong" | "locked"; readonly message: Message }
  | { readonly kind: "login"; readonly is: "valid" | "revoked" | "unknown" }
  | {
      readonly kind: "go";
      readonly is: "done" | "back" | "failed" | "revoked";
      readonly message?: Message | undefined;
      /** The language that the caller has chosen. */
      readonly language?: string | undefined;
    };

/**
 * Where a session is: the innermost machine that has a screen, its state, what it shows (contract/ussd.md section 8).
 * The parts of the parent are read through their snapshots, so this is the one place that goes by their names.
 */
import type { AnyActorRef } from "xstate";
import type { Notice } from "../i18n/dictionary.ts";
import { creationSteps } from "./account-creation.ts";
import { accountMenuSteps } from "./account-menu.ts";
import { askOracleSteps } from "./ask-oracle.ts";
import { changePinSteps } from "./change-pin.ts";
import { domainStatusSteps } from "./domain-status.ts";
import { knowMoreSteps } from "./know-more.ts";
import { languageSteps } from "./language.ts";
import { loginSteps } from "./login.ts";
import { myDomainsSteps } from "./my-domains.ts";
import type { Step, Steps } from "./step.ts";
import { ussdSteps } from "./ussd.ts";

export interface Place {
  /** The innermost machine. */
  readonly actor: AnyActorRef;
  /** Its name and its state's. */
  readonly part: string;
  readonly state: string;
  /** From the parent down: `login.pinEntry`. */
  readonly path: string;
  readonly step: Step<never>;
  readonly context: unknown;
  readonly notice: Notice | undefined;
  /** An effect is at work. */
  readonly pending: boolean;
  /** The effect is the oracle's, which may take longer. */
  readonly oracle: boolean;
}

const stepsOf: Readonly<Record<string, Steps<never>>> = {
  ussdMachine: ussdSteps,
  knowMoreService: knowMoreSteps,
  accountMenu: accountMenuSteps,
  login: loginSteps,
  accountCreation: creationSteps,
  myDomains: myDomainsSteps,
  domainStatus: domainStatusSteps,
  askOracle: askOracleSteps,
  changePin: changePinSteps,
  language: languageSteps,
};

interface MachineView {
  readonly value: string;
  readonly machine: { readonly id: string };
  readonly context: { readonly notice?: Notice };
  readonly children: Readonly<Record<string, AnyActorRef | undefined>>;
  hasTag(tag: string): boolean;
}

/** A part that waits for its effect has the effect for a child; that is no machine. */
function viewOf(actor: AnyActorRef): MachineView | undefined {
  const snapshot: unknown = actor.getSnapshot();
  return typeof snapshot === "object" && snapshot !== null && "machine" in snapshot
    ? (snapshot as MachineView)
    : undefined;
}

export function placeOf(root: AnyActorRef): Place {
  const path: string[] = [];
  for (let actor = root; ;) {
    const view = viewOf(actor);
    if (view === undefined) throw new Error("not a machine");
    path.push(view.value);
    const inner = Object.values(view.children).find((child) => child !== undefined && viewOf(child) !== undefined);
    if (inner !== undefined) {
      actor = inner;
      continue;
    }
    const part = view.machine.id;
    const step = stepsOf[part]?.[view.value];
    if (step === undefined) throw new Error(`no screen for ${path.join(".")}`);
    return {
      actor,
      part,
      state: view.value,
      path: path.join("."),
      step,
      context: view.context,
      notice: view.context.notice,
      pending: view.hasTag("pending"),
      oracle: view.hasTag("oracle"),
    };
  }
}

/** The context with what names a person, and what the oracle said to them, left out. */
export function maskedContext(context: unknown): unknown {
  if (typeof context !== "object" || context === null) return context;
  return mask(context);
}

const MASK = "***";
const NAMING = new Set(["name", "customerId", "answer", "email"]);

function mask(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mask);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(
    ([name, member]) => [name, NAMING.has(name) ? MASK : mask(member)] as const,
  );
  return Object.fromEntries(members);
}

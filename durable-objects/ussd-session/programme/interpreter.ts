/**
 * Runs a programme: pure functions from a state and an input to a state and a step. They store nothing and call nothing. A session
 * object shows screens, makes calls, checks PINs and runs parts, and resumes here with the outcome.
 */
import { EXIT_KEY, readInput, type TypedInput } from "../input/typed-input.ts";
import { sanitise, type ScreenLimit } from "../texts/characters.ts";
import type { Message } from "../texts/dictionary.ts";
import { inputKindOf, readAnswer } from "./answers.ts";
import { hasRole, isSeen, offeredOptions, textFor, type Facts, type SeenScreen } from "./file-screen.ts";
import { screenNamed, type Programme } from "./programme.ts";
import { CHECK_AGAIN_KEY, replyOf, sightOf } from "./reply.ts";
import type { CallScreen, GoScreen } from "./screen-schemas.ts";
import { answeredValues, sentMembers, type Answer } from "./service-call.ts";
import type { Outcome, ProgrammeState, Step } from "./step.ts";

/** Screens that `0` remembers. */
const TRAIL_LENGTH = 30;
/** Calls and parts without a screen between them; the checker refuses a file that could have more. */
const MOST_HOPS = 20;

/** The first screen of a call. */
export function startProgramme(programme: Programme, language: string, facts: Facts): Step {
  const state: ProgrammeState = {
    screen: programme.start,
    language: programme.languages.includes(language) ? language : (programme.languages[0] ?? "en"),
    page: 1,
    values: {},
    trail: [],
    confirmations: 0,
    confirmed: false,
    hops: 0,
  };
  return arrive(programme, state, programme.start, facts);
}

/** Applies one input. */
export function enterInput(
  programme: Programme,
  before: ProgrammeState,
  input: string,
  facts: Facts,
  limit: ScreenLimit,
): Step {
  const { message: _, ...state } = before;
  const cleaned = sanitise(input);
  if (cleaned === EXIT_KEY || cleaned === EXIT_KEY.repeat(2)) return leave(programme, state);
  if (state.pending !== undefined) return enterWaiting(state, cleaned);
  const screen = seenScreen(programme, state.screen);
  const typed = readInput(cleaned, "ask" in screen ? inputKindOf(screen) : "menu", ["00", "98"]);
  switch (typed.kind) {
    case "exit":
      return leave(programme, state);
    case "empty":
      return refused(state, { key: "empty" });
    case "too-long":
      return refused(state, { key: "tooLong" });
    case "back":
      return state.page > 1 ? shown({ ...state, page: state.page - 1 }) : back(programme, state, screen, facts);
    case "more": {
      const { page, pages } = replyOf(programme, state, facts, limit);
      return page < pages ? shown({ ...state, page: page + 1 }) : entered(programme, state, screen, cleaned, facts);
    }
    case "skip":
    case "value":
      return entered(programme, state, screen, cleaned, facts, typed);
  }
}

function entered(
  programme: Programme,
  state: ProgrammeState,
  screen: SeenScreen,
  value: string,
  facts: Facts,
  typed?: TypedInput,
): Step {
  if (!("ask" in screen)) {
    const chosen = offeredOptions(screen, facts).find(({ key }) => key === value);
    return chosen === undefined
      ? refused(state, { key: "invalidSelection" })
      : arrive(programme, state, chosen.to, facts);
  }
  if (screen.ask === "pin") {
    if (!/^\d{4,6}$/.test(value)) return refused(state, { key: "loginPinFormat" });
    return { kind: "pin", state: { ...state, pending: "pin" }, reveal: () => value };
  }
  const isSkipped = typed?.kind === "skip" && screen.optional === true;
  const answer = isSkipped ? ({ ok: true, value: "" } as const) : readAnswer(screen, value, facts.today);
  if (!answer.ok) return refused(state, answer.error);
  const target = screen.ask === "choice" ? screen.choices.find(({ key }) => key === value)?.to : undefined;
  const values = { ...state.values, [screen.save]: answer.value };
  return arrive(programme, { ...state, values }, target ?? screen.to, facts);
}

/** Continues with what the session has found out. */
export function resumeProgramme(programme: Programme, before: ProgrammeState, outcome: Outcome, facts: Facts): Step {
  if (before.pending !== outcome.kind) throw new Error(`a programme waits for ${before.pending}, not ${outcome.kind}`);
  const { pending: _, ...state } = before;
  switch (outcome.kind) {
    case "call":
      return called(programme, state, outcome, facts);
    case "pin":
      return judged(programme, state, outcome, facts);
    case "login":
      if (outcome.is === "valid") return arrive(programme, state, state.screen, facts, true);
      if (outcome.is === "revoked") return restart(programme, state, facts);
      return returned(state, { key: "unavailable" });
    case "go":
      return handedBack(programme, state, outcome, facts);
  }
}

function called(programme: Programme, state: ProgrammeState, answer: Answer, facts: Facts): Step {
  const screen = screenNamed(programme, state.screen);
  if (!("call" in screen)) throw new Error("the screen makes no call");
  const isWrite = programme.services.get(screen.call)?.write === true;
  const after = { ...state, confirmed: state.confirmed && !isWrite };
  if (!answer.ok) {
    const { errors = {} } = screen;
    const own = answer.error !== undefined && Object.hasOwn(errors, answer.error) ? errors[answer.error] : undefined;
    return arrive(programme, after, own ?? screen.failed, facts);
  }
  const values = answeredValues(programme, screen, answer.members);
  if (values === undefined) return arrive(programme, after, screen.failed, facts);
  return arrive(programme, { ...after, values: { ...state.values, ...values } }, screen.to, facts);
}

function judged(
  programme: Programme,
  state: ProgrammeState,
  outcome: Extract<Outcome, { kind: "pin" }>,
  facts: Facts,
): Step {
  const screen = screenNamed(programme, state.screen);
  if (!("ask" in screen) || screen.ask !== "pin") throw new Error("the screen asks for no PIN");
  switch (outcome.is) {
    case "right":
      return arrive(programme, { ...state, confirmed: true }, screen.to, facts);
    case "wrong":
      return refused(state, outcome.message);
    case "locked":
      return arrive(programme, { ...state, message: outcome.message }, screen.locked, facts);
    case "revoked":
      return restart(programme, state, facts);
  }
}

function handedBack(
  programme: Programme,
  state: ProgrammeState,
  { is, message, language }: Extract<Outcome, { kind: "go" }>,
  facts: Facts,
): Step {
  if (is === "revoked") return restart(programme, state, facts);
  const screen = screenNamed(programme, state.screen);
  if (!("go" in screen) || screen.go === "resume") throw new Error("the screen runs no part");
  const isKnown = language !== undefined && programme.languages.includes(language);
  const after = { ...state, message, ...(isKnown ? { language } : {}) };
  const target = is === "done" ? screen.done : is === "back" && "back" in screen ? screen.back : screen.failed;
  return arrive(programme, after, target, facts);
}

/** Enters a screen. @param checked the login was checked for this screen. */
function arrive(programme: Programme, before: ProgrammeState, name: string, facts: Facts, checked = false): Step {
  if (before.hops > MOST_HOPS) throw new Error("a programme runs in circles");
  const screen = screenNamed(programme, name);
  if (isSeen(screen)) {
    if ((screen.login && facts.person === null) || !hasRole(screen.role, facts))
      return restart(programme, before, facts);
    if (screen.login && !checked && !isLoginChecked(programme, before))
      return { kind: "login", state: { ...before, screen: name, pending: "login" } };
    const isPin = "ask" in screen && screen.ask === "pin";
    return shown({
      ...before,
      screen: name,
      page: 1,
      trail: trailTo(before.trail, name, programme.start),
      confirmations: before.confirmations + (isPin ? 1 : 0),
      confirmed: false,
      hops: 0,
    });
  }
  if ("end" in screen) return { kind: "end", state: { ...before, screen: name, page: 1 } };
  const state = { ...before, screen: name, hops: before.hops + 1 };
  if ("call" in screen) return callStep(programme, state, screen);
  return goStep(programme, state, screen, facts);
}

/** While a caller stays on screens that need the login, the session checks it at each step. */
function isLoginChecked(programme: Programme, { trail }: ProgrammeState): boolean {
  const current = programme.screens.get(trail.at(-1) ?? "");
  return current !== undefined && isSeen(current) && current.login === true;
}

function callStep(programme: Programme, state: ProgrammeState, screen: CallScreen): Step {
  const service = programme.services.get(screen.call);
  const isWrite = service?.write === true;
  if (isWrite && !state.confirmed) throw new Error("a write has no PIN before it");
  return {
    kind: "call",
    state: { ...state, pending: "call" },
    service: screen.call,
    isWrite,
    key: `${state.screen}.${state.confirmations}`,
    members: sentMembers(screen, state.values),
  };
}

function goStep(programme: Programme, state: ProgrammeState, screen: GoScreen, facts: Facts): Step {
  if (screen.go === "resume") {
    if (facts.draft === null) return restart(programme, state, facts);
    const target = facts.draft === "account" ? screen.account : screen.question;
    const step = arrive(programme, state, target, facts);
    return step.kind === "go" ? { ...step, resumes: true } : step;
  }
  const pending = { ...state, pending: "go" } as const;
  if (screen.go !== "sms") return { kind: "go", state: pending, part: screen.go, resumes: false };
  const text = textFor(screen.about, sightOf(programme, state, facts));
  return { kind: "go", state: pending, part: "sms", resumes: false, text };
}

function back(programme: Programme, state: ProgrammeState, screen: SeenScreen, facts: Facts): Step {
  if (screen.back === "none") return refused(state, { key: "invalidSelection" });
  const target = screen.back ?? state.trail.at(-2);
  return target === undefined ? refused(state, { key: "invalidSelection" }) : arrive(programme, state, target, facts);
}

/** The caller waits for a call: its one option changes nothing, and leaving undoes nothing. */
function enterWaiting(state: ProgrammeState, input: string): Step {
  if (input === "0") {
    const { pending: _, ...rest } = state;
    return returned(rest);
  }
  return input === CHECK_AGAIN_KEY
    ? { kind: "wait", state }
    : { kind: "wait", state: { ...state, message: { key: input === "" ? "empty" : "invalidSelection" } } };
}

/** The last screen that the caller has seen. */
function returned(state: ProgrammeState, message?: Message): Step {
  const screen = state.trail.at(-1) ?? state.screen;
  return shown({ ...state, screen, message, page: 1, confirmed: false, hops: 0 });
}

function restart(programme: Programme, state: ProgrammeState, facts: Facts): Step {
  const start = { ...state, trail: [], message: { key: "loginAgain" } } as const;
  return arrive(programme, start, programme.start, facts);
}

function leave(programme: Programme, state: ProgrammeState): Step {
  const { pending: _, ...rest } = state;
  return { kind: "end", state: { ...rest, screen: programme.exit ?? "", page: 1 } };
}

function refused(state: ProgrammeState, message: Message): Step {
  return shown({ ...state, message });
}

function shown(state: ProgrammeState): Step {
  return { kind: "show", state };
}

/** A screen that the caller has come from ends the trail again, and so does the first screen. */
function trailTo(trail: readonly string[], name: string, start: string): readonly string[] {
  if (name === start) return [name];
  const known = trail.lastIndexOf(name);
  return known === -1 ? [...trail, name].slice(-TRAIL_LENGTH) : trail.slice(0, known + 1);
}

function seenScreen(programme: Programme, name: string): SeenScreen {
  const screen = screenNamed(programme, name);
  if (!isSeen(screen)) throw new Error("the screen is not shown");
  return screen;
}

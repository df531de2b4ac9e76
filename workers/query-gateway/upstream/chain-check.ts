/**
 * Checks whether a node belongs to the profile's chain and is at its head, by its latest block, which every kind of
 * node supports. The check runs in parallel with the first call to a node and is repeated from time to time. If the
 * profile names no chain, the nodes are compared with each other.
 */
import { create, type Message } from "@bufbuild/protobuf";
import * as z from "zod";
import { parseJson } from "../../../platform/json.ts";
import { reportedHeight, type NodeClient, type NodeTry, type UpstreamAnswer } from "./upstream.ts";
import type { ChainSettings } from "./chain-settings.ts";

export const LATEST_BLOCK = "cosmos.base.tendermint.v1beta1.Service/GetLatestBlock";

export interface ChainCheck {
  /**
   * Resolves to whether the node can be used for this call. A node that cannot report its chain can be used: its
   * methods show that it is the operator's.
   */
  readonly verify: (call: Pick<NodeTry, "signal">) => Promise<boolean>;
  /** It is known to be on another chain, and was checked recently. */
  readonly isElsewhere: () => boolean;
  /** The chain that it recently reported; undefined if it did not. */
  readonly chain: () => string | undefined;
  /** Whether its latest block agrees with the clock; undefined if unknown. */
  readonly isCurrent: () => boolean | undefined;
}

/** The parts of a node that the checks need. */
export interface CheckedNode {
  readonly client: Pick<NodeClient, "call">;
  readonly log: (event: string, members: Readonly<Record<string, string>>) => void;
  /** Called with the height of the latest block of a node on the right chain. */
  readonly noteHeight: (height: bigint) => void;
}

/** Milliseconds before a node that passed is checked again. */
export const CHECK_LASTS_MS = 600_000;
/** Milliseconds before a node that was on another chain, behind or unresponsive is checked again. */
export const RECHECK_MS = 30_000;
/** Milliseconds that a response waits for the check. */
const CHECK_TIMEOUT_MS = 2_000;
/** Milliseconds by which the latest block of a node at the head may differ from the clock: about a hundred blocks. */
const CURRENT_WITHIN_MS = 600_000;

interface Head {
  readonly chainId: string;
  readonly height?: bigint;
  /** Unix milliseconds. */
  readonly time?: number;
}

/**
 * The result of the last check. Values, not promises: the promise of a cancelled request would never settle for other
 * requests.
 */
interface Known {
  /** The head from the last successful check. */
  readonly head?: Head;
  readonly hasFailed: boolean;
  /** Determined at the check, because a stored block time is meaningless later. */
  readonly isCurrent?: boolean | undefined;
  /** Unix milliseconds. */
  readonly at: number;
}

interface NodeState extends CheckedNode {
  known?: Known;
  isLoggedAsOther: boolean;
}

/**
 * One check per node of a profile, in order. If the profile names no chain, the chain that most nodes report is the
 * right one, and in a tie the chain of the node listed first: all nodes are asked before the first response is sent.
 */
export function createChainChecks(
  { id, latestBlock }: ChainSettings,
  nodes: readonly CheckedNode[],
  clock: () => number,
): readonly ChainCheck[] {
  const states = nodes.map((node): NodeState => ({ ...node, isLoggedAsOther: false }));
  const expected = (): string | undefined => (id === "" ? mostCommon(states.map(chainOf)) : id);
  const isOther = (state: NodeState): boolean => {
    const reported = chainOf(state);
    return reported !== undefined && reported !== expected();
  };

  /** The known state of a node, unless it must be checked again. */
  function fresh(state: NodeState): Known | undefined {
    const { known } = state;
    if (known === undefined) return undefined;
    const isRight = !known.hasFailed && !isOther(state) && known.isCurrent !== false;
    return clock() < known.at + (isRight ? CHECK_LASTS_MS : RECHECK_MS) ? known : undefined;
  }

  /** `head` is absent if the check failed: then the result of an earlier check still holds. */
  function remember(state: NodeState, head: Head | undefined): void {
    const now = clock();
    if (head === undefined) {
      if (state.known?.hasFailed !== true) state.log("chain-unknown", { expected: id });
      state.known = { ...(state.known?.head && { head: state.known.head }), hasFailed: true, at: now };
      return;
    }
    const isCurrent = head.time === undefined ? undefined : Math.abs(now - head.time) <= CURRENT_WITHIN_MS;
    state.known = { head, hasFailed: false, isCurrent, at: now };
    logDifferences();
    if (head.height !== undefined && !isOther(state)) state.noteHeight(head.height);
  }

  /** One node's report can put another one in the minority. */
  function logDifferences(): void {
    const right = expected() ?? "";
    for (const state of states) {
      const differs = isOther(state);
      if (differs && !state.isLoggedAsOther)
        state.log("chain-differs", { expected: logged(right), reported: logged(chainOf(state) ?? "") });
      state.isLoggedAsOther = differs;
    }
  }

  async function check(state: NodeState, signal: AbortSignal): Promise<void> {
    if (fresh(state) !== undefined) return;
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    const timer = setTimeout(stop, CHECK_TIMEOUT_MS);
    signal.addEventListener("abort", stop, { once: true });
    const stopped = new Promise<undefined>((resolve) => {
      controller.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    try {
      const message = create(latestBlock.method.input);
      // Not the caller's deadline: a caller who gives a node no time must not decide for everyone else.
      const deadline = clock() + CHECK_TIMEOUT_MS;
      const answer = state.client.call({ bound: latestBlock, message, deadline, signal: controller.signal });
      const head = await Promise.race([answer.then((each) => (each.ok ? headOf(each.value) : undefined)), stopped]);
      if (!signal.aborted) remember(state, head);
    } catch {
      remember(state, undefined);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  return states.map((state) => ({
    async verify({ signal }) {
      const neverChecked = states.filter(({ known }) => known === undefined);
      await Promise.all([...new Set([state, ...(id === "" ? neverChecked : [])])].map((each) => check(each, signal)));
      return !isOther(state);
    },
    isElsewhere: () => fresh(state) !== undefined && isOther(state),
    chain: () => fresh(state)?.head?.chainId,
    isCurrent: () => fresh(state)?.isCurrent,
  }));
}

const chainOf = ({ known }: NodeState): string | undefined => known?.head?.chainId;

/** The first of them in a tie. */
function mostCommon(reported: readonly (string | undefined)[]): string | undefined {
  const counts = new Map<string, number>();
  for (const each of reported) if (each !== undefined) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].reduce<readonly [string, number] | undefined>(
    (most, each) => (most === undefined || each[1] > most[1] ? each : most),
    undefined,
  )?.[0];
}

/** Maximum characters of a node's own text in a log line. */
const LONGEST_LOGGED = 64;

const logged = (text: string): string => text.slice(0, LONGEST_LOGGED);

/** The needed parts of both forms of the response. */
const blockAnswer = z.object({
  block: z.object({
    header: z.object({ chain_id: z.string(), height: z.string().optional(), time: z.string().optional() }),
  }),
});

interface BlockMessage {
  readonly block?: {
    readonly header?: {
      readonly chainId: string;
      readonly height: bigint;
      readonly time?: { readonly seconds: bigint };
    };
  };
}

function headOf(answer: UpstreamAnswer): Head | undefined {
  if (answer.kind === "status") return undefined;
  if (answer.kind === "message") return headOfMessage(answer.message);
  const json = parseJson(answer.text);
  const parsed = blockAnswer.safeParse(json.ok ? json.value : undefined);
  if (!parsed.success) return undefined;
  const { chain_id: chainId, height, time } = parsed.data.block.header;
  return headWith(chainId, height, time === undefined ? Number.NaN : Date.parse(time));
}

function headOfMessage(message: Message): Head | undefined {
  const header = (message as Message & BlockMessage).block?.header;
  if (header === undefined) return undefined;
  const time = header.time === undefined ? Number.NaN : Number(header.time.seconds) * 1000;
  return headWith(header.chainId, String(header.height), time);
}

function headWith(chainId: string, height: string | undefined, time: number): Head | undefined {
  if (chainId === "") return undefined;
  const reported = reportedHeight(height);
  return {
    chainId,
    ...(reported !== undefined && { height: reported }),
    ...(Number.isFinite(time) && { time }),
  };
}

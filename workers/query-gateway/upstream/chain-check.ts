/**
 * Whether a node belongs to the deployment's chain, and whether it is at the head of it: by its latest block, which every
 * kind of node can be asked for. Requested in parallel with the first call to a node and again from time to time.
 */
import { create, type Message } from "@bufbuild/protobuf";
import * as z from "zod";
import { parseJson } from "../../platform/json.ts";
import type { BoundMethod } from "../transcoding/http-rule.ts";
import type { NodeClient, NodeTry, UpstreamAnswer } from "./upstream.ts";

export const LATEST_BLOCK = "cosmos.base.tendermint.v1beta1.Service/GetLatestBlock";

export interface ChainSettings {
  /** Empty: the deployment names no chain, and only the time of the block counts. */
  readonly id: string;
  /** `LATEST_BLOCK`, in some image. */
  readonly latestBlock: BoundMethod;
}

export interface ChainCheck {
  /**
   * Resolves to whether the node may be used for this call. A node that cannot report its chain may be: what it
   * serves shows that it is the operator's.
   */
  readonly verify: (call: Pick<NodeTry, "signal">) => Promise<boolean>;
  /** It is known to be on another chain, and was asked lately. */
  readonly isElsewhere: () => boolean;
  /** Its latest block is about as old as the clock says; undefined when unknown. */
  readonly isCurrent: () => boolean | undefined;
}

/** Milliseconds before a node that passed is checked again. */
export const CHECK_LASTS_MS = 600_000;
/** Milliseconds before a node that was on another chain, behind or did not answer is checked again. */
export const RECHECK_MS = 30_000;
/** Milliseconds that an answer waits for the check. */
const CHECK_TIMEOUT_MS = 2_000;
/** Milliseconds by which the latest block of a node at the head may differ from the clock: some hundred blocks. */
const CURRENT_WITHIN_MS = 600_000;

interface Head {
  readonly chainId: string;
  /** Unix milliseconds. */
  readonly time?: number;
}

interface Known {
  /** Of the last check that the node answered. */
  readonly head?: Head;
  readonly hasFailed: boolean;
  /** When it was checked: a stored block time means nothing later. */
  readonly isCurrent?: boolean | undefined;
  /** Unix milliseconds. */
  readonly until: number;
}

export function createChainCheck(
  { id, latestBlock }: ChainSettings,
  client: Pick<NodeClient, "call">,
  clock: () => number,
  log: (event: string, members: Readonly<Record<string, string>>) => void,
): ChainCheck {
  // Values, never promises: one that a cancelled request started would never resolve for others.
  let known: Known | undefined;
  const current = () => (known !== undefined && clock() < known.until ? known : undefined);
  const isOther = (head: Head | undefined) => head !== undefined && id !== "" && head.chainId !== id;

  /** `head` is absent when the check failed: then what an earlier one found out still holds. */
  function remember(head: Head | undefined): void {
    const now = clock();
    if (head === undefined) {
      if (known?.hasFailed !== true) log("chain-unknown", { expected: id });
      known = { ...(known?.head && { head: known.head }), hasFailed: true, until: now + RECHECK_MS };
      return;
    }
    if (isOther(head) && !isOther(known?.head))
      log("chain-differs", { expected: id, reported: head.chainId.slice(0, LONGEST_LOGGED) });
    const isCurrent = head.time === undefined ? undefined : Math.abs(now - head.time) <= CURRENT_WITHIN_MS;
    const isRight = !isOther(head) && isCurrent !== false;
    known = { head, hasFailed: false, isCurrent, until: now + (isRight ? CHECK_LASTS_MS : RECHECK_MS) };
  }

  return {
    async verify({ signal }) {
      const fresh = current();
      if (fresh !== undefined) return !isOther(fresh.head);
      const controller = new AbortController();
      const stop = (): void => controller.abort();
      const timer = setTimeout(stop, CHECK_TIMEOUT_MS);
      signal.addEventListener("abort", stop, { once: true });
      const stopped = new Promise<undefined>((resolve) => {
        controller.signal.addEventListener("abort", () => resolve(undefined), { once: true });
      });
      try {
        const message = create(latestBlock.method.input);
        // Not the caller's deadline: a caller who gives a node no time must not decide for everybody else.
        const deadline = clock() + CHECK_TIMEOUT_MS;
        const answer = client.call({ bound: latestBlock, message, deadline, signal: controller.signal });
        const head = await Promise.race([answer.then((each) => (each.ok ? headOf(each.value) : undefined)), stopped]);
        if (!signal.aborted) remember(head);
      } catch {
        remember(undefined);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
      }
      return !isOther(known?.head);
    },
    isElsewhere: () => isOther(current()?.head),
    isCurrent: () => current()?.isCurrent,
  };
}

/** Characters of a node's own words that a log line may have. */
const LONGEST_LOGGED = 64;

/** What both forms of the answer have of use. */
const blockAnswer = z.object({
  block: z.object({ header: z.object({ chain_id: z.string(), time: z.string().optional() }) }),
});

interface BlockMessage {
  readonly block?: {
    readonly header?: { readonly chainId: string; readonly time?: { readonly seconds: bigint } };
  };
}

function headOf(answer: UpstreamAnswer): Head | undefined {
  if (answer.kind === "status") return undefined;
  if (answer.kind === "message") return headOfMessage(answer.message);
  const json = parseJson(answer.text);
  const parsed = blockAnswer.safeParse(json.ok ? json.value : undefined);
  if (!parsed.success) return undefined;
  const { chain_id: chainId, time } = parsed.data.block.header;
  return headWith(chainId, time === undefined ? Number.NaN : Date.parse(time));
}

function headOfMessage(message: Message): Head | undefined {
  const header = (message as Message & BlockMessage).block?.header;
  if (header === undefined) return undefined;
  return headWith(header.chainId, header.time === undefined ? Number.NaN : Number(header.time.seconds) * 1000);
}

function headWith(chainId: string, time: number): Head | undefined {
  if (chainId === "") return undefined;
  return { chainId, ...(Number.isFinite(time) && { time }) };
}

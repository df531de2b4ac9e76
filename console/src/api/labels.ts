/** The labels of voters' and keys' DIDs. Concurrent lookups share one request. */
import { api } from "./api.ts";

/** Maximum DIDs per request. */
const MOST = 50;

interface Asked {
  readonly answer: Promise<string | null>;
  readonly resolve: (label: string | null) => void;
  readonly reject: (error: unknown) => void;
}

const waiting = new Map<string, Asked>();

/** Null for a DID without a label. */
export function labelOf(did: string): Promise<string | null> {
  if (waiting.size === 0) queueMicrotask(() => void askForWaiting());
  const asked = waiting.get(did) ?? newlyAsked();
  waiting.set(did, asked);
  return asked.answer;
}

function newlyAsked(): Asked {
  let [resolve, reject]: [Asked["resolve"], Asked["reject"]] = [() => undefined, () => undefined];
  const answer = new Promise<string | null>((...ends) => {
    [resolve, reject] = ends;
  });
  return { answer, resolve, reject };
}

async function askForWaiting(): Promise<void> {
  const asked = [...waiting];
  waiting.clear();
  for (let at = 0; at < asked.length; at += MOST) await answer(asked.slice(at, at + MOST));
}

async function answer(asked: readonly (readonly [did: string, Asked])[]): Promise<void> {
  try {
    const { data } = await api.GET("/v1/labels", { params: { query: { did: asked.map(([did]) => did) } } });
    const labels = new Map(data?.data.map(({ did, label }) => [did, label]));
    for (const [did, { resolve }] of asked) resolve(labels.get(did) ?? null);
  } catch (error) {
    for (const [, { reject }] of asked) reject(error);
  }
}

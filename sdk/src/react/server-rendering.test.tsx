import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import * as z from "zod";
import { OraclesProvider } from "./oracles-provider.tsx";
import { useAgAction } from "./use-ag-actions.ts";
import { useChat } from "./use-chat.ts";
import { useMessage } from "./use-message.ts";
import { useModels } from "./use-models.ts";
import { useOraclesConfig } from "./use-oracles-config.ts";
import { useOraclesContext } from "./use-oracles-context.ts";
import { useOracleSessions } from "./use-oracle-sessions.ts";

const wallet = { address: "ixo1", did: "did:x:user", matrix: { accessToken: "", homeServer: "" } };
const unused = () => Promise.reject(new Error("nothing is signed on a server"));
const place = { baseUrl: "http://localhost:1", wsUrl: "http://localhost:1" };

function Everything({ sessionId }: { sessionId: string }) {
  const options = { oracleDid: "did:x:oracle", sessionId, overrides: place, onPaymentRequiredError: () => {} };
  const chat = useChat(options);
  const message = useMessage("none", options);
  const { sessions } = useOracleSessions("did:x:oracle", place);
  const { models } = useModels("did:x:oracle", place);
  const { config, isReady } = useOraclesConfig("did:x:oracle", place);
  const { agActions } = useOraclesContext();
  useAgAction({ name: "a", description: "", parameters: z.object({}), handler: () => null });
  return (
    <p>
      {JSON.stringify({
        chat: [chat.status, chat.isLoading, chat.isConfigReady, chat.messages, chat.queue, chat.error],
        lists: [sessions, models, agActions, message ?? null],
        config: [config.apiUrl, config.model, isReady],
      })}
    </p>
  );
}

const draw = (sessionId: string): string =>
  renderToStaticMarkup(
    <OraclesProvider initialWallet={wallet} transactSignX={unused} createDelegation={unused} createInvocation={unused}>
      <Everything sessionId={sessionId} />
    </OraclesProvider>,
  ).replaceAll("&quot;", '"');

test("a server renders the provider and every hook without a browser, a request or a signature [SD-121]", () => {
  for (const name of ["window", "document", "localStorage", "indexedDB"]) {
    expect(Object.hasOwn(globalThis, name) && Reflect.get(globalThis, name) !== undefined, name).toBe(false);
  }
  expect(draw("s1")).toBe(
    '<p>{"chat":["ready",true,true,[],[],null],"lists":[[],[],[],null],"config":["http://localhost:1",null,true]}</p>',
  );
});

test("without a session, nothing is loading [SD-126]", () => {
  expect(draw("")).toContain('"chat":["ready",false,true,[],[],null]');
});

test("hooks outside the provider, and a provider without a wallet or a signer, name what is missing [SD-120]", () => {
  expect(() => renderToStaticMarkup(<Everything sessionId="" />)).toThrow(
    "useOraclesContext must be used within a OraclesProvider",
  );
  for (const props of [{ initialWallet: wallet }, { transactSignX: unused }]) {
    const incomplete = props as unknown as React.ComponentProps<typeof OraclesProvider>;
    expect(() => renderToStaticMarkup(<OraclesProvider {...incomplete} />)).toThrow(
      "initialWallet and transactSignX are required",
    );
  }
});

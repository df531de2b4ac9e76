/**
 * An application written for `@ixo/oracles-client-sdk` 1.4.0, with its import changed and nothing else: it uses every export and
 * every member of it as the published types have them. field-client-shapes.tsx has the shapes of messages and events,
 * field-client-services.tsx the services around the oracle. Compiled, never run.
 */
import { QueryClient } from "@tanstack/react-query";
import { useState, type PropsWithChildren, type ReactElement } from "react";
import * as z from "zod";
import {
  IDLE_RUN_STATE,
  OraclesProvider,
  renderMessageContent,
  useAgAction,
  useChat,
  useModels,
  useOraclesConfig,
  useOraclesContext,
  useOracleSessions,
  type AgAction,
  type AgActionConfig,
  type Attachment,
  type ChatRunState,
  type ChatStatus,
  type CreateDelegationFn,
  type CreateInvocationFn,
  type DelegationResult,
  type IBrowserToolParams,
  type IBrowserTools,
  type IChatOptions,
  type IChatSession,
  type IMatrixLoginProps,
  type IMessage,
  type InvocationResult,
  type IOraclesContextProps,
  type IOraclesProviderProps,
  type ISendMessageOptions,
  type IWalletProps,
  type ModelFamily,
  type ModelInfo,
  type ModelsResponse,
  type ModelTier,
  type StreamingMode,
  type ToolCallEvent,
  type UIComponentProps,
  type UseModelsResult,
} from "@twinedge/sdk";

const matrix: IMatrixLoginProps = { accessToken: "syt_x", homeServer: "matrix.example.com" };
const wallet: IWalletProps = { address: "ixo1abc", did: "did:ixo:ixo1abc", matrix };
const signed = { serialized: "base64", expiresAt: Date.now() + 60_000 };

const createDelegation: CreateDelegationFn = async (oracleDid: string): Promise<DelegationResult> => {
  void oracleDid;
  return signed;
};

const createInvocation: CreateInvocationFn = async (): Promise<InvocationResult> => signed;

/** The type as CosmJS defines it. */
interface EncodeObject {
  readonly typeUrl: string;
  readonly value: unknown;
}

interface Event {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
}

interface DeliverTxResponse {
  readonly height: number;
  readonly txIndex: number;
  readonly code: number;
  readonly transactionHash: string;
  readonly events: readonly Event[];
  readonly rawLog?: string;
  readonly msgResponses: Array<{ readonly typeUrl: string; readonly value: Uint8Array }>;
  readonly gasUsed: bigint;
  readonly gasWanted: bigint;
}

declare function signAndBroadcast(
  messages: readonly EncodeObject[],
  memo?: string,
): Promise<DeliverTxResponse | undefined>;

function Providers({ children }: PropsWithChildren): ReactElement {
  const props: IOraclesProviderProps = {
    initialWallet: wallet,
    transactSignX: async (messages, memo) => {
      const types: string[] = messages.map(({ typeUrl }) => typeUrl);
      return await signAndBroadcast(messages, memo ?? types.join());
    },
    createDelegation,
    createInvocation,
    queryClient: new QueryClient(),
  };
  return (
    <OraclesProvider {...props}>
      <OraclesProvider initialWallet={wallet} transactSignX={signAndBroadcast} createDelegation={createDelegation}>
        {children}
      </OraclesProvider>
    </OraclesProvider>
  );
}

const overrides = { baseUrl: "https://oracle.example.com", wsUrl: "https://ws.example.com" };

const tool: IBrowserToolParams = {
  toolName: "page_title",
  description: "The title of the page",
  schema: z.object({ upper: z.boolean().optional() }),
  fn: async (args) => ({ title: document.title, ...(args as { upper?: boolean }) }),
};

/** An application may have generic functions of the shape that the older types had. */
const generic = async <T,>(args: T): Promise<T> => args;

const browserTools: IBrowserTools = { page_title: tool, other: { ...tool, toolName: "other", fn: generic } };
const calledTool: Promise<unknown> = tool.fn({ upper: true });

function ToolCard({
  id,
  toolName,
  args,
  status,
  output,
  isLoading,
  requestId,
  sessionId,
  eventId,
}: UIComponentProps<ToolCallEvent>) {
  const texts: (string | undefined)[] = [id, toolName, status, output, requestId, sessionId, eventId];
  return (
    <pre aria-busy={isLoading}>
      {texts.join()} {JSON.stringify(args)}
    </pre>
  );
}

const uiComponents = {
  ToolCall: ToolCard,
  Error: ({ id, output, payload }: { id: string; output?: string; payload?: unknown }) => (
    <b id={id}>
      {output} {JSON.stringify(payload)}
    </b>
  ),
  AgActionToolCall: ({ actionName, args }: { actionName: string; args: unknown }) => (
    <i>
      {actionName} {JSON.stringify(args)}
    </i>
  ),
  WeatherWidget: ({ city, isLoading }: { city: string; isLoading?: boolean }) => <b>{isLoading ? "..." : city}</b>,
};

const options: IChatOptions = {
  oracleDid: "did:ixo:entity:oracle",
  sessionId: "session",
  onPaymentRequiredError: (claimIds: string[]) => claimIds.forEach((id) => id.toUpperCase()),
  browserTools,
  uiComponents,
  overrides,
  streamingMode: "throttled" satisfies StreamingMode,
  streamingThrottleMs: 100,
  historyPageSize: 10,
  model: "anthropic/claude",
};

export function Conversation(): ReactElement {
  const chat = useChat(options);
  const messages: IMessage[] = chat.messages;
  const loading: boolean[] = [chat.isLoading, chat.isSending, chat.isRealTimeConnected, chat.isConfigReady];
  const errors: (Error | null | undefined)[] = [chat.error, chat.sendMessageError];
  const status: ChatStatus | undefined = chat.status;
  const run: ChatRunState = chat.run;
  const attachment: Attachment = {
    mxcUri: "mxc://example.com/1",
    eventId: "$1",
    filename: "a.pdf",
    mimetype: "application/pdf",
    size: 10,
    category: "document",
  };
  const send = async (): Promise<void> => {
    await chat.sendMessage("hello");
    await chat.sendMessage("hello", { editorRoomId: "!room" }, [attachment]);
    await chat.refetchMessages();
    await chat.refetchMessages({ cancelRefetch: true });
    await chat.loadEarlier();
    await chat.abortStream();
  };
  const ended: "done" | "aborted" | "interrupted" | "failed" | "disconnected" | null = run.ended;
  return (
    <section aria-busy={loading.some(Boolean)}>
      {messages.map(({ id, type, content, toolCalls, reasoning, isComplete, isReasoning, ...rest }) => (
        <article key={id} className={type} hidden={isReasoning === true && isComplete !== true}>
          {renderMessageContent(content, uiComponents)}
          {typeof content === "string" ? content.trim() : null}
          {reasoning?.trim()}
          {toolCalls?.map((call) => `${call.name}${call.id}${call.status}${call.output}${call.error}`)}
          {rest.attachment?.filename}
          {rest.attachments?.map(({ filename }) => filename)}
          {rest.chunks?.toFixed()}
        </article>
      ))}
      <button onClick={() => void send()} disabled={status === "submitted" || status === "streaming"}>
        {errors.map((error) => error?.message)}
        {chat.hasEarlier && !chat.isLoadingEarlier ? ended : null}
        {run.reconnecting ? run.resumed.toFixed() : `${run.runId}${run.requestId}`}
        {IDLE_RUN_STATE.runId}
      </button>
    </section>
  );
}

export function Sessions(): ReactElement {
  const list = useOracleSessions("did:ixo:entity:oracle", { baseUrl: "https://oracle.example.com", limit: 5 });
  const sessions: IChatSession[] = list.sessions;
  const create = async (): Promise<string> => {
    const created: IChatSession = await list.createSession();
    await list.deleteSession(created.sessionId);
    const next = await list.fetchNextPage();
    const again = await list.refetch();
    const pages: { sessions: IChatSession[]; total?: number }[] = [
      ...(next.data?.pages ?? []),
      ...(again.data?.pages ?? []),
    ];
    return `${created.title}${pages.length}`;
  };
  const flags: boolean[] = [
    list.isLoading,
    list.hasNextPage,
    list.isFetchingNextPage,
    list.isCreatingSession,
    list.isCreateSessionError,
    list.isDeletingSession,
    list.isDeleteSessionError,
    list.isConfigReady,
  ];
  return (
    <ul onClick={() => void create()} aria-busy={flags.some(Boolean)} title={`${list.total}${list.error?.message}`}>
      {sessions.map((session) => (
        <li key={session.sessionId}>
          {session.title} {session.lastUpdatedAt} {session.createdAt} {session.oracleName} {session.roomId}
        </li>
      ))}
    </ul>
  );
}

export function Models(): ReactElement {
  const [model, setModel] = useState<string>();
  const result: UseModelsResult = useModels("did:ixo:entity:oracle", { baseUrl: "https://oracle.example.com" });
  const chosen: ModelInfo | undefined = result.models.find(({ id }) => id === model) ?? result.defaultModel;
  const family: ModelFamily | undefined = chosen?.family;
  const tier: ModelTier | undefined = chosen?.tier;
  const answer: ModelsResponse = { models: result.models, default: result.defaultModelId ?? "" };
  const { config, isLoading, isReady } = useOraclesConfig("did:ixo:entity:oracle", {
    baseUrl: "https://x.example.com",
  });
  const urls: (string | null | undefined)[] = [config.apiUrl, config.socketUrl];
  return (
    <button onClick={() => (result.error === null ? setModel(chosen?.id) : result.refetch())}>
      {family} {tier} {answer.default} {chosen?.label} {chosen?.blurb} {chosen?.badge} {chosen?.costLabel}
      {chosen?.vision} {chosen?.pricing.inputPerMillion.toFixed()} {chosen?.pricing.currency} {chosen?.isDefault}
      {isLoading || result.isLoading || !isReady ? null : urls.join()}
      {config.authConfig?.granteeAddress} {config.authConfig?.requiredPermissions.join()}
    </button>
  );
}

const tableAction: AgActionConfig<z.ZodObject<{ rows: z.ZodArray<z.ZodString> }>> = {
  name: "show_table",
  description: "Shows rows",
  parameters: z.object({ rows: z.array(z.string()) }),
  handler: ({ rows }) => rows.length,
};

export function Actions(): ReactElement {
  useAgAction(tableAction);
  useAgAction({
    name: "create_data_table",
    description: "Creates a table",
    parameters: z.object({ title: z.string().optional(), columns: z.array(z.object({ key: z.string() })) }),
    handler: async ({ columns, title }) => ({ success: true, rowCount: columns.length, title: title?.trim() }),
    render: ({ status, args, result, isLoading }) => {
      if (status !== "done" || isLoading === true || args?.columns === undefined) return null;
      return <b>{`${args.columns.map(({ key }) => key).join()} ${JSON.stringify(result)}`}</b>;
    },
  });
  const context: IOraclesContextProps = useOraclesContext();
  const action: AgAction = { name: "x", description: "", parameters: z.object({}), hasRender: true };
  const register = async (): Promise<void> => {
    context.registerAgAction(
      action,
      async (args: unknown) => args,
      (props) => <b>{String(props["status"])}</b>,
    );
    context.unregisterAgAction("x");
    const result: unknown = await context.executeAgAction("x", {});
    const { ok } = await context.authedRequest<{ ok: boolean }>(
      "https://oracle.example.com/delegation/status",
      "GET",
      { headers: { "x-request-id": "1" } },
      "did:ixo:entity:oracle",
    );
    const tokens: (string | null)[] = [await context.getDelegation("did:x:y"), await context.getInvocation("did:x:y")];
    const transaction = await context.transactSignX([{ typeUrl: "/x", value: {} }], "memo");
    const facts: [string | undefined, number | undefined] = [transaction?.transactionHash, transaction?.code];
    void [result, ok, tokens, facts];
  };
  const drawn: ReactElement | null | undefined = context.getAgActionRender("x")?.({ status: "done" });
  const names: string[] = context.agActions.map(({ name, hasRender }) => `${name}${hasRender}`);
  return (
    <button onClick={() => void register()}>
      {drawn} {names} {context.wallet?.did}
    </button>
  );
}

const sending: ISendMessageOptions = {
  oracleDid: "did:ixo:entity:oracle",
  sessionId: "session",
  overrides: { baseUrl: "https://oracle.example.com" },
  onPaymentRequiredError: () => {},
  browserTools,
  refetchQueries: async () => {},
  model: "x",
  onToolCall: async ({ toolCallData, requestId }) => void `${toolCallData.toolName}${toolCallData.status}${requestId}`,
  onActionCall: async ({ actionCallData }) => void `${actionCallData.toolCallId}${actionCallData.error}`,
  onError: async ({ error }) => void `${error.error}${error.kind}${error.retryable}`,
  onReasoning: async ({ reasoningData }) => void reasoningData.reasoningDetails?.map(({ text }) => text),
};

export const used = [Providers, calledTool, sending];

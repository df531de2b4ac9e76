/** The entry `@twinedge/sdk`: the provider and the hooks. */
export { OraclesProvider } from "./react/oracles-provider.tsx";
export { useOraclesContext } from "./react/use-oracles-context.ts";
export { useChat } from "./react/use-chat.ts";
export { IDLE_RUN_STATE } from "./core/chat.ts";
export { useMessage } from "./react/use-message.ts";
export { useOracleSessions } from "./react/use-oracle-sessions.ts";
export { useOraclesConfig } from "./react/use-oracles-config.ts";
export { useContractOracle } from "./react/use-contract-oracle.ts";
export { useMemoryEngine } from "./react/use-memory-engine.ts";
export { useGetOpenIdToken } from "./react/use-get-openid-token.ts";
export { getOpenIdToken } from "./matrix/openid-token.ts";
export { useLiveAgent } from "./live-agent/use-live-agent.ts";
export { useModels } from "./react/use-models.ts";
export { useAgAction, useAgActions } from "./react/use-ag-actions.ts";
export { renderMessageContent } from "./react/message-mapping.tsx";

export type { NetworkName } from "./core/chain-network.ts";
export type {
  ChatRunState,
  ChatStatus,
  PendingQuestion,
  PendingSignIn,
  QueuedMessage,
  StreamingMode,
} from "./core/chat.ts";
export type { InspectedEntry, TokenStore } from "./core/client-settings.ts";
export type { AgAction, AgActionConfig, IActionToolParams, IActionTools } from "./react/action-registry.ts";
export type {
  IBrowserToolParams,
  IBrowserTools,
  IChatOptions,
  IChatState,
  ISendMessageOptions,
  OracleOverrides,
} from "./react/chat-options.ts";
export type {
  AnyEvent,
  Attachment,
  BrowserToolCallEvent,
  IComponentMetadata,
  IMessage,
  MessageContent,
  MessagesMap,
  RenderComponentEvent,
  ToolCallEvent,
  UIComponentProps,
  UIComponents,
} from "./react/message-content.ts";
export type { IOraclesProviderProps } from "./react/oracles-provider.tsx";
export type { IChatSession } from "./react/session-lists.ts";
export type { UseChatResult } from "./react/use-chat.ts";
export type { ModelFamily, ModelInfo, ModelsResponse, ModelTier, UseModelsResult } from "./react/use-models.ts";
export type { SessionListOptions, UseOracleSessionsResult } from "./react/use-oracle-sessions.ts";
export type { OraclesConfig, UseOraclesConfigResult } from "./react/use-oracles-config.ts";
export type { IOraclesContextProps } from "./react/use-oracles-context.ts";
export type { ChatKey } from "./react/oracles-context.ts";
export type {
  CreateDelegationFn,
  CreateInvocationFn,
  DelegationResult,
  IMatrixLoginProps,
  InvocationResult,
  IWalletProps,
  TransactionFn,
  TransactionMessage,
  TransactionResult,
} from "./react/wallet.ts";
export type { OraclePrice, TAgentCard, TAgentCardService, TResolvedAgentCard } from "./matrix/agent-card.ts";
export type { IAuthzConfig } from "./matrix/authz-config.ts";
export type { IOpenIDToken } from "./matrix/matrix-rooms.ts";
export type { NetworkSettings } from "./matrix/network.ts";
export type { GetOpenIdTokenParams } from "./matrix/kept-openid-token.ts";
export type { IUseContractOracleProps, UseContractOracleResult } from "./react/use-contract-oracle.ts";
export type { UseGetOpenIdTokenResult } from "./react/use-get-openid-token.ts";
export type { UseMemoryEngineResult } from "./react/use-memory-engine.ts";

/** The package entry `twinedge/oracle`: the API for authors of oracles and plugins. Everything else is internal. */
import * as z from "zod";

export { createOracleApp } from "../create-oracle-app.ts";
export type { KeptData, StoredUser, StoredUserPage } from "../../oracle/framework/erasure.ts";
export { defineOraclePlugin, OraclePlugin } from "../../oracle/framework/plugin.ts";
export type { ManifestExample, PluginDefinition, PluginManifest, TurnPart } from "../../oracle/framework/plugin.ts";
export { admit, refuse } from "../../oracle/framework/admission.ts";
export type { Refusal, RefusalCode, RefusalOptions, RequestAdmission } from "../../oracle/framework/admission.ts";
export { readArgumentSchema } from "../../oracle/framework/argument-schema.ts";
export { OPERATOR_SECRET_LENGTH, route, SHORT_OPERATOR_SECRET } from "../../oracle/framework/plugin-routes.ts";
export type {
  PluginResponse,
  PluginRoute,
  RouteContext,
  RouteMiddleware,
  RoutePattern,
} from "../../oracle/framework/plugin-routes.ts";
export { tool, ToolError, type Visibility } from "../../oracle/framework/tools.ts";
export type {
  AgentTool,
  ClientSide,
  ClientSideTool,
  Effect,
  PluginTool,
  ToolContext,
  ToolOptions,
} from "../../oracle/framework/tools.ts";
export type {
  History,
  ModelFacts,
  OracleIdentity,
  OutsideContext,
  PluginContext,
  RequestContext,
  ResolvedIdentity,
  RunAuthority,
  RuntimeContext,
  ScheduleContext,
  UserStorage,
  VerifiedInvocation,
} from "../../oracle/framework/context.ts";
export type {
  AgentMiddleware,
  AgentState,
  AnsweredState,
  CallModel,
  CallTool,
  EndTurn,
  ToolCallRequest,
  ToolCallResult,
  TurnFailure,
} from "../../oracle/framework/middleware.ts";
export {
  KV_KEY_LENGTH,
  KV_KEYS_PER_PLUGIN,
  KV_PAGE_SIZE,
  KV_USER_BYTES,
  KV_VALUE_BYTES,
  KvLimitError,
} from "../../oracle/framework/storage.ts";
export { TEXT_ID_LENGTH, TEXT_LENGTH, TEXTS_FOUND, TEXTS_PER_PLUGIN } from "../../oracle/framework/storage.ts";
export type { Sealing } from "../../oracle/framework/sealed-texts.ts";
export type { KvExpiry, PluginBlobs, PluginKv, PluginTexts, StoredText } from "../../oracle/framework/storage.ts";
export type { StartedTurn, Turns, TurnStart } from "../../oracle/framework/turns.ts";
export type { EndedTurn, EndedTurnContext, SessionTitle } from "../../oracle/framework/ended-turn.ts";
export type { ModelUsage } from "../../oracle/model-usage.ts";
export { attachmentOf, attachmentPart } from "../../oracle/framework/attachments.ts";
export type { AttachmentReference, AttachmentRequest, UserPart } from "../../oracle/framework/attachments.ts";
export { fetchableAddress } from "../../oracle/framework/fetchable-address.ts";
export { guardedFetch, readLimited, REDIRECTS } from "../../oracle/framework/guarded-fetch.ts";
export type { FetchRefusal, GuardedRequest, GuardedResponse } from "../../oracle/framework/guarded-fetch.ts";
export { sameSecret } from "../../oracle/framework/same-secret.ts";
export type { Database, DatabaseMeta, DatabaseResult, Statement } from "../../platform/database/database.ts";
export { databaseOf } from "../../platform/database/database-of.ts";
export { isDatabaseFull } from "../../platform/database/database-size.ts";
export type { DatabaseBindings } from "../../platform/database/database-of.ts";
export { hexOf, sha256, sha256Hex } from "../../platform/digest.ts";
export { isJsonObject, parseJson, quoted, readStoredJson } from "../../platform/json.ts";
export type { JsonObject, JsonValue } from "../../platform/json.ts";
export { describeThrown } from "../../platform/log.ts";
export type { Logger } from "../../platform/log.ts";
export { pause } from "../../platform/pause.ts";
export { failure, success } from "../../platform/result.ts";
export type { Result } from "../../platform/result.ts";
export type { OracleApp } from "../create-oracle-app.ts";
export type {
  BootError,
  ErrorSource,
  ExcludedPlugin,
  Features,
  OracleAppOptions,
  OracleHooks,
  PluginStatus,
  PluginStatusChange,
} from "../../oracle/framework/app-options.ts";
export type { SharedState } from "../../oracle/framework/shared-state.ts";
export type { ModelCallRequest, ModelCallResult, ModelTool, ModelToolCall } from "../../oracle/framework/model-call.ts";
export type { PluginSubAgent } from "../../oracle/framework/sub-agents.ts";
/** This package's zod, for schemas; it must have the version of `zod` in an author's project. */
export { z };

/** The package entry `twinedge/oracle/testing`: the API for tests of plugins. The pool's Worker is `worker.ts`. */
export { createGate, scriptedModel } from "./scripted-model.ts";
export type { Beat, Gate, ScriptedModel } from "./scripted-model.ts";
export { testOracle } from "./test-oracle.ts";
export type { SayOptions, TestOracle, TestOracleOptions } from "./test-oracle.ts";
export type { ClientHandler, SocketEvent } from "./test-socket.ts";
export type { TestFrame, TestToolCall, TestTurn } from "./test-turn.ts";

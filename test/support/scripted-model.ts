/** The scripted model of the test kit, by the path that tests of the session know. */
import * as kit from "../../workers/oracle/testing/scripted-model.ts";

export type Beat = kit.Beat;
export type Gate = kit.Gate;
export type ScriptedModel = kit.ScriptedModel;
export const createGate = kit.createGate;
export const createScriptedModel = kit.createScriptedModel;

/** The Worker under test: the deployed one, with test seams injected where it takes its parts as arguments. */
export * from "../../workers/index.ts";
export { default } from "../../workers/index.ts";

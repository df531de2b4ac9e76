/** The names of the four surfaces, without other code: tools that run in Node read them without the Worker's types. */
export type SurfaceName = "registry" | "ussd" | "oracle" | "query-gateway";

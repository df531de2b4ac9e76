/** The oracle as it is deployed here: the bundled plugins, and everything else from the environment. */
import { createOracleApp } from "./create-oracle-app.ts";
import { userPreferencesSurface } from "./plugins/user-preferences/surface-plugin.ts";

export const oracle = createOracleApp({ config: { name: "Oracle" }, plugins: [userPreferencesSurface] });

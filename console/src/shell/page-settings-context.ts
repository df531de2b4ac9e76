/** The Worker's settings for this host, for components. */
import { createContext, useContext } from "react";
import type { PageSettings } from "../api/page-settings.ts";

export const PageSettingsContext = createContext<PageSettings>({
  environment: "production",
  surfaces: [],
  developmentSignIn: false,
});

export function usePageSettings(): PageSettings {
  return useContext(PageSettingsContext);
}

/** The page's entry. */
export const pageTitle = "Chat";

/**
 * Whether the server still has the page that is open. After two deployments, the files of an open page are gone, and the page that the
 * server has begins with another script.
 */

/** `away`: the server cannot be reached. `replaced`: it has another version of the console. */
export type PageState = "away" | "same" | "replaced";

export async function lookAtPage(): Promise<PageState> {
  const script = document.querySelector('script[type="module"]')?.getAttribute("src");
  try {
    const response = await fetch("/console");
    if (!response.ok) return "away";
    return typeof script !== "string" || (await response.text()).includes(`"${script}"`) ? "same" : "replaced";
  } catch {
    return "away";
  }
}

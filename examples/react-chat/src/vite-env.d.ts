/** The variables that Vite passes to the page. */
interface ImportMetaEnv {
  readonly VITE_ORACLE_URL?: string;
}
interface ImportMeta {
  readonly env: ImportMetaEnv;
}

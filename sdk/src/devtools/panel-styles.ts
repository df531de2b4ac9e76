/** How the panel looks. Inline, so that nothing reaches the page; `revert` keeps the page's own rules out. */
import type { CSSProperties } from "react";

const text: CSSProperties = {
  all: "revert",
  color: "#f3f4f6",
  fontFamily: "ui-monospace, SFMono-Regular, Menlo, monospace",
  fontSize: "12px",
  lineHeight: "1.5",
  boxSizing: "border-box",
};
const control: CSSProperties = {
  ...text,
  background: "#374151",
  border: "1px solid #9ca3af",
  borderRadius: "4px",
  padding: "4px 8px",
  minHeight: "28px",
  cursor: "pointer",
};

export const styles = {
  toggle: { ...control, position: "fixed", right: "12px", bottom: "12px", zIndex: 2147483000 },
  panel: {
    ...text,
    position: "fixed",
    right: "12px",
    bottom: "52px",
    zIndex: 2147483000,
    width: "min(520px, calc(100vw - 24px))",
    height: "min(420px, calc(100vh - 76px))",
    display: "flex",
    flexDirection: "column",
    background: "#111827",
    border: "1px solid #6b7280",
    borderRadius: "6px",
    overflow: "hidden",
  },
  bar: { ...text, display: "flex", gap: "8px", alignItems: "center", padding: "8px", background: "#1f2937" },
  title: { ...text, fontWeight: 700, margin: 0, flex: "1 1 auto" },
  label: { ...text, display: "flex", gap: "4px", alignItems: "center" },
  control,
  entries: { ...text, flex: "1 1 auto", overflow: "auto", margin: 0, padding: 0, minHeight: 0 },
  list: { ...text, listStyle: "none", margin: 0, padding: 0 },
  entry: { ...text, borderTop: "1px solid #374151", padding: "2px 8px" },
  summary: { ...text, cursor: "pointer", padding: "2px 0" },
  kind: { ...text, color: "#93c5fd" },
  faint: { ...text, color: "#d1d5db" },
  detail: { ...text, whiteSpace: "pre-wrap", overflowWrap: "anywhere", margin: "0 0 4px" },
  empty: { ...text, padding: "8px", margin: 0 },
} satisfies Record<string, CSSProperties>;

/** Line icons, 20 by 20, in the text's colour; they are decorative, so their meaning is in the text next to them. */
const shapes = {
  home: "M3 9.5 10 4l7 5.5M5 8.5V16h10V8.5M8.5 16v-4h3v4",
  registry: "M4 5.5h12M4 10h12M4 14.5h12M7 3.5v4M12.5 8v4M8.5 12.5v4",
  votes: "M4 10.5l3.5 3.5L16 5.5M3 17h14",
  phone:
    "M6.5 2.5h7a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1ZM8 5h4v4H8ZM8 12h.01M10 12h.01M12 12h.01M8 14.5h.01M10 14.5h.01M12 14.5h.01",
  chat: "M4 4h12v9H9l-4 3.5V13H4Z",
  queries: "M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM13 13l4 4",
  keys: "M7 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7ZM10.5 10H17.5v2.8M14 10v2.2",
  menu: "M3 5.5h14M3 10h14M3 14.5h14",
  close: "M5 5l10 10M15 5 5 15",
  check: "M4 10.5l4 4 8-9",
  copy: "M7 7V4h9v9h-3M4 7h9v9H4Z",
  warning: "M10 3 18 16.5H2ZM10 8v4M10 14.4h.01",
  info: "M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15ZM10 9.5V14M10 6.5h.01",
  plus: "M10 4v12M4 10h12",
  chevron: "M7.5 4.5 13 10l-5.5 5.5",
  back: "M12.5 4.5 7 10l5.5 5.5",
  refresh: "M15.5 7A6 6 0 1 0 16 11M16 3.5V7.5h-4",
  external: "M11 4h5v5M16 4l-7 7M14 12v4H4V6h4",
  user: "M10 3a3.2 3.2 0 1 0 0 6.4A3.2 3.2 0 0 0 10 3ZM3.5 17c.6-3.6 3.2-5.2 6.5-5.2s5.9 1.6 6.5 5.2",
  clock: "M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15ZM10 6v4.5l3 1.8",
  trash: "M4 6h12M8 6V4h4v2M6 6l.7 10.5h6.600L14 6",
  attach:
    "M15.5 9 9.7 14.8a3.2 3.2 0 0 1-4.500-4.500l6-6a2.100 2.100 0 0 1 3 3l-5.800 5.800a1 1 0 0 1-1.500-1.500L12 6.500",
  edit: "M4 16l.8-3.5L13 4.3 15.7 7l-8.2 8.2Z",
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
      <path
        d={shapes[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

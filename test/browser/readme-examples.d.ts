/** The code of sdk/README.md by heading, as `bundlePage` finds it: `readme:Cards for tool calls`. */
declare module "readme:*" {
  import type { FC, JSX, PropsWithChildren } from "react";
  export const SignedIn: FC<PropsWithChildren>;
  export const Message: FC<{ id: string }>;
  export const Waiting: FC;
  export const useTools: () => unknown;
  export const TableAction: FC;
  export const Messages: FC;
  export const Questions: FC;
  export const Chat: FC;
  export const Providers: FC<PropsWithChildren>;
  export const app: JSX.Element;
}

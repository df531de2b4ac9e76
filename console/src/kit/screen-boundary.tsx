/** Keeps a bug in one screen from taking the whole page with it. */
import { Component, type ReactNode } from "react";
import { kitTexts } from "../texts/kit.ts";

interface BoundaryProps {
  readonly children: ReactNode;
  /** Another screen gets a fresh try. */
  readonly resetKey: string;
}

export class ScreenBoundary extends Component<BoundaryProps, { readonly failedAt: string | undefined }> {
  override state = { failedAt: undefined };

  static getDerivedStateFromError(): { failedAt: string } {
    return { failedAt: "" };
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (before.resetKey !== this.props.resetKey && this.state.failedAt !== undefined)
      this.setState({ failedAt: undefined });
  }

  override render(): ReactNode {
    if (this.state.failedAt === undefined) return this.props.children;
    return (
      <div className="notice danger" role="alert">
        <div className="stack tight">
          <p>{kitTexts.unexpected}</p>
          <p>
            <button type="button" onClick={() => location.reload()}>
              {kitTexts.reload}
            </button>
          </p>
        </div>
      </div>
    );
  }
}

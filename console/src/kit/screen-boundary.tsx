/** Keeps a bug in one screen from taking the whole page with it. */
import { Component, type ReactNode } from "react";
import { kitTexts } from "../texts/kit.ts";

interface BoundaryProps {
  readonly children: ReactNode;
  /** When it changes, the children are shown again. */
  readonly resetKey: string;
}

export class ScreenBoundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (before.resetKey !== this.props.resetKey && this.state.hasFailed) this.setState({ hasFailed: false });
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
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

/** A command of the palette: what it is called, and what it does. */
export interface PaletteCommand {
  /** Unique among the commands of the palette. */
  readonly id: string;
  readonly title: string;
  readonly run: () => void;
}

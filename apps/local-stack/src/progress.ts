/** Where the supervisor tells what it does; `tools/progress.mjs` writes it to the terminal. */
export interface Progress {
  /** Does the work and writes a line with its time when it is done, or that it failed. */
  step<T>(title: string, work: () => Promise<T>): Promise<T>;
  /** Writes a line, or several. */
  say(text: string): void;
}

/** Where the supervisor tells what it does; `tools/progress.mjs` writes it to the terminal. */
export interface Progress {
  /**
   * Does the work and writes a line with its time when it is done, or that it failed; once the signal is aborted, that
   * it was cut short.
   */
  step<T>(title: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Writes a line, or several. */
  say(text: string): void;
}

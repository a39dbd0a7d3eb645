/** Exit codes: 1 something was refused or failed, 2 called or configured wrongly. */
export type FailureCode = 1 | 2;

/** Ends the command with a message for people. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: FailureCode = 1,
    /** What programs may want to know besides: the market's code, the path in the provider's file. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = 'CommandError';
  }
}

/** A failure of what the user wrote: on the command line, in the file, in the environment. */
export function misuse(message: string): CommandError {
  return new CommandError(message, 2);
}

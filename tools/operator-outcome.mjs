export const [refused, unasked] = [1, 2];

/** What ends the operator's tool: a line for people and the exit code. */
export class Outcome extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

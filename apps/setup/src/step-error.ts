/** Why a step cannot go on, in its operator's terms: there is no more to it than the message says. */
export class StepError extends Error {
  override readonly name = 'StepError';
}

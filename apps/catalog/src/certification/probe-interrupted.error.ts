/**
 * - `away`: dispatch could not be asked, or did not answer
 * - `cut_off`: nothing came, nor does from nearly any other endpoint: a line of our own is down
 * - `no_capacity`: dispatch has too many probes under way
 * - `busy`: the endpoint is full with requests of clients, so that nothing can be said of it now
 * - `fault`: dispatch cannot do what it is asked, or its answer cannot be handed on, and will hardly be able to some other time
 * - `passing`: the endpoint had what may pass, and is asked again after a while
 */
export type Interruption = 'away' | 'cut_off' | 'no_capacity' | 'busy' | 'fault' | 'passing';

/** Thrown when a probe came to no end for a reason that is not the endpoint's fault, or may pass: it is done again later, and nobody is refused. */
export class ProbeInterruptedError extends Error {
  constructor(
    readonly interruption: Interruption,
    options?: ErrorOptions,
    /** Of what is `passing`: how often it was tried by now, and when the server asked to come back. */
    readonly wait?: { readonly tries: number; readonly retryAfterMs?: number },
  ) {
    super(`the probe was interrupted: ${interruption}`, options);
    this.name = 'ProbeInterruptedError';
  }
}

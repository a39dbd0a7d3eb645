/**
 * - `away`: dispatch could not be asked, or did not answer
 * - `no_capacity`: dispatch has too many probes under way
 * - `busy`: the endpoint is full with requests of clients, so that nothing can be said of it now
 */
export type Interruption = 'away' | 'no_capacity' | 'busy';

/** Thrown when a probe came to no end for a reason that is not the endpoint's fault: it is done again later, and nobody is refused. */
export class ProbeInterruptedError extends Error {
  constructor(
    readonly interruption: Interruption,
    options?: ErrorOptions,
  ) {
    super(`the probe was interrupted: ${interruption}`, options);
    this.name = 'ProbeInterruptedError';
  }
}

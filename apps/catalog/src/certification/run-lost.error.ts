/** Thrown when a run is not this process's any more: it was abandoned, or another took it over. */
export class RunLostError extends Error {
  constructor(certificationId: string) {
    super(`${certificationId} is not run here any more`);
    this.name = 'RunLostError';
  }
}

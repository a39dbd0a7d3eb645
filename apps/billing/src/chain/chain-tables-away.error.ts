/** Thrown when the database, not the chain, is why what is known of the chain is not current: it was not read, or not written. */
export class ChainTablesAwayError extends Error {
  constructor(cause: unknown) {
    super('chain tables away', { cause });
    this.name = 'ChainTablesAwayError';
  }
}

/** For what a statement on those tables is rejected with. @throws ChainTablesAwayError */
export function tablesAway(error: unknown): never {
  throw error instanceof ChainTablesAwayError ? error : new ChainTablesAwayError(error);
}

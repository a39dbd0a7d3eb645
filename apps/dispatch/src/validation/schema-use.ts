/** What a request takes of the time that all have for schemas: the same object for all its attempts. */
export class SchemaUse {
  /** Of the processor's time. */
  spentMs = 0;

  /** @param wallet whose turn it takes; unless told its own */
  constructor(readonly wallet?: string) {}
}

/** What a request takes of the time that all have for schemas: the same object for all its attempts. */
export class SchemaUse {
  /** Of the processor's time. */
  spentMs = 0;
  /** Schemas with which a match took too long. With another value it may not, but this request has had its share. */
  readonly tooExpensive: object[] = [];

  /** @param wallet whose turn it takes; unless told its own */
  constructor(readonly wallet?: string) {}
}

/** What somebody else tells, until it is closed. */
export class Feed<Item> {
  closed = false;
  private readonly items: Item[] = [];
  private wake: () => void = () => undefined;

  push(item: Item): void {
    this.items.push(item);
    this.wake();
  }

  close = (): Promise<void> => {
    this.closed = true;
    this.wake();
    return Promise.resolve();
  };

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for (;;) {
      const next = this.items.shift();
      if (next !== undefined) yield next;
      else if (this.closed) return;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

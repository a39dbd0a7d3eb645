import type { Exchange } from '../exchange/exchange';

/** Replies that several cases look at, each asked for once. */
export class Specimens {
  private readonly taken = new Map<string, Promise<Exchange>>();

  /** @param take asks for it, the first time */
  of(name: string, take: () => Promise<Exchange>): Promise<Exchange> {
    const known = this.taken.get(name);
    if (known) return known;
    const asked = take();
    this.taken.set(name, asked);
    return asked;
  }
}

import { BoundedMap } from '@svc/collections';

/** As many are remembered. */
const MOST = 10_000;

/** Names of which something is remembered; those that came first go first. */
export class Remembered {
  private readonly names = new BoundedMap<string, true>(MOST);

  has(name: string): boolean {
    return this.names.has(name);
  }

  add(name: string): void {
    if (!this.names.has(name)) this.names.set(name, true);
  }

  delete(name: string): void {
    this.names.delete(name);
  }
}

/** As many are remembered. */
const MOST = 10_000;

/** Names of which something is remembered; those that came first go first. */
export class Remembered {
  private readonly names = new Set<string>();

  has(name: string): boolean {
    return this.names.has(name);
  }

  add(name: string): void {
    if (this.names.has(name)) return;
    const [oldest] = this.names;
    if (this.names.size >= MOST && oldest !== undefined) this.names.delete(oldest);
    this.names.add(name);
  }

  delete(name: string): void {
    this.names.delete(name);
  }
}

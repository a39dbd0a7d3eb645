import { BoundedMap } from '@svc/collections';

/** The last values by key, a limited number of them; what was asked for longest ago goes first. A value that fails is not kept. */
export class Recent<Value> {
  private readonly values: BoundedMap<string, Promise<Value>>;

  constructor(most: number) {
    this.values = new BoundedMap(most);
  }

  /** The value that is kept, or what `make` makes: once for all who ask meanwhile. @throws as `make` */
  get(key: string, make: () => Promise<Value>): Promise<Value> {
    const kept = this.values.get(key);
    const value = kept ?? make();
    this.values.set(key, value);
    if (kept) return kept;
    value.catch(() => this.values.get(key) === value && this.values.delete(key));
    return value;
  }
}

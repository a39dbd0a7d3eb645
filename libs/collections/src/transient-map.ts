/**
 * A map for what lives as long as a request. Once an entry is deleted, nothing in here leads to its value.
 *
 * Of a `Map` that is not so. Entries that come and go make V8 move it to a new table again and again, and each old table leads to its
 * successor, for iterators that are under way (`OrderedHashTable::Rehash`). As soon as one old table has reached the old generation, all
 * that follow it survive every minor collection, with whatever they held when they were left: of a busy server that is nearly each
 * request, until the next major collection. Here they hold empty boxes.
 */
export class TransientMap<Key extends string | number, Value> {
  private readonly boxes = new Map<Key, { value: Value | undefined }>();

  get size(): number {
    return this.boxes.size;
  }

  has(key: Key): boolean {
    return this.boxes.has(key);
  }

  get(key: Key): Value | undefined {
    return this.boxes.get(key)?.value;
  }

  set(key: Key, value: Value): void {
    const box = this.boxes.get(key);
    if (box) box.value = value;
    else this.boxes.set(key, { value });
  }

  /** @returns whether it was there */
  delete(key: Key): boolean {
    const box = this.boxes.get(key);
    if (!box) return false;
    box.value = undefined;
    return this.boxes.delete(key);
  }

  /** In the order in which their keys came. What is deleted meanwhile, or set under a new key, is treated as by a `Map`. */
  *entries(): Generator<[Key, Value], undefined> {
    for (const [key, { value }] of this.boxes) yield [key, value as Value];
  }

  *values(): Generator<Value, undefined> {
    for (const { value } of this.boxes.values()) yield value as Value;
  }
}

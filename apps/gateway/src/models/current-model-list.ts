import { setTimeout as delay } from 'node:timers/promises';
import type { CodedModelList } from './coded-model-list';

/** Changes of the catalogue come in bursts: they are gathered for this long, and shown together. A change must be visible within a second. */
const GATHER_MS = 150;

/**
 * The model list as it is served: made anew after changes, never while a client waits. A new list takes the old one's place when it
 * is compressed; only the first is served before it is.
 */
export class CurrentModelList {
  private list: CodedModelList | undefined;
  private changed = false;
  private making = false;

  /** @param make the list of this moment */
  constructor(
    private readonly make: () => CodedModelList,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** The catalogue changed. */
  renew(): void {
    this.changed = true;
    if (this.making) return;
    this.making = true;
    void this.follow();
  }

  get(): CodedModelList {
    return (this.list ??= this.make());
  }

  private async follow(): Promise<void> {
    while (this.changed) {
      if (this.list) await delay(GATHER_MS, undefined, { ref: false });
      this.changed = false;
      await this.replace();
    }
    this.making = false;
  }

  private async replace(): Promise<void> {
    try {
      const next = this.make();
      this.list ??= next;
      await next.compress();
      this.list = next;
    } catch (error) {
      this.onError(error);
    }
  }
}

/** An instance that still waits says so again within that time. */
const WISH_STANDS_MS = 500;

interface Wish {
  count: number;
  untilMs: number;
}

/** Which instances wish for places of an offer, as they last said. */
export class Wishes {
  private readonly byInstance = new Map<string, Wish>();

  /** An instance wishes for `count` places; for none any more with 0. */
  set(instanceId: string, count: number, nowMs: number): void {
    if (count > 0) this.byInstance.set(instanceId, { count, untilMs: nowMs + WISH_STANDS_MS });
    else this.byInstance.delete(instanceId);
  }

  /** It has got `more` places, from whomever. */
  granted(instanceId: string, more: number): void {
    const wish = this.byInstance.get(instanceId);
    if (!wish || more <= 0) return;
    wish.count -= more;
    if (wish.count <= 0) this.byInstance.delete(instanceId);
  }

  /** Whether somebody wishes, of those that are meant. */
  some(nowMs: number, isMeant: (instanceId: string) => boolean = () => true): boolean {
    for (const [instanceId, { untilMs }] of this.byInstance) {
      if (untilMs < nowMs) this.byInstance.delete(instanceId);
      else if (isMeant(instanceId)) return true;
    }
    return false;
  }

  /** Those who have fewest first. */
  fewestFirst(
    nowMs: number,
    heldBy: (instanceId: string) => number,
  ): { instanceId: string; count: number }[] {
    return [...this.byInstance]
      .filter(([, { untilMs }]) => untilMs >= nowMs)
      .map(([instanceId, { count }]) => ({ instanceId, count }))
      .sort((a, b) => heldBy(a.instanceId) - heldBy(b.instanceId));
  }
}

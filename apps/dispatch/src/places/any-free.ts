/** Wakes those who wait for one of several offers to have a place. */
export class AnyFree {
  private readonly waiting = new Map<string, Set<() => void>>();

  /** Resolves at the next notice of one of them, after `timeoutMs`, or when the signal is aborted. */
  wait(offerIds: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        for (const offerId of offerIds) this.forget(offerId, wake);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      signal?.addEventListener('abort', wake);
      for (const offerId of offerIds) {
        const waiting = this.waiting.get(offerId);
        if (waiting) waiting.add(wake);
        else this.waiting.set(offerId, new Set([wake]));
      }
    });
  }

  /** An offer has a place: whoever has waited longest is woken. */
  notify(offerId: string): void {
    const [first] = this.waiting.get(offerId) ?? [];
    first?.();
  }

  private forget(offerId: string, wake: () => void): void {
    const waiting = this.waiting.get(offerId);
    waiting?.delete(wake);
    if (waiting?.size === 0) this.waiting.delete(offerId);
  }
}

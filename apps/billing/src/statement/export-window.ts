import { USAGE_EXPORT } from '@svc/contracts';

/** What became of waiting: the receiver can take more, wants no more, is gone, or says nothing. */
export type Room = 'room' | 'stopped' | 'gone' | 'silent';

/**
 * Counts the chunks on their way to a receiver: at most a window of them, one more for each acknowledgement.
 */
export class ExportWindow {
  private onTheWay = 0;
  private ended: Room | undefined;
  private wake: (() => void) | undefined;

  constructor(private readonly silenceMs: number = USAGE_EXPORT.silenceMs) {}

  sent(): void {
    this.onTheWay++;
  }

  acknowledged(): void {
    if (this.onTheWay > 0) this.onTheWay--;
    this.wake?.();
  }

  end(reason: 'stopped' | 'gone'): void {
    this.ended ??= reason;
    this.wake?.();
  }

  /** Waits for room for one more chunk. */
  async room(): Promise<Room> {
    while (!this.ended && this.onTheWay >= USAGE_EXPORT.windowChunks) {
      const heard = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), this.silenceMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve(true);
        };
      });
      this.wake = undefined;
      if (!heard) this.ended = 'silent';
    }
    return this.ended ?? 'room';
  }
}

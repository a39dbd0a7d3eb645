import { USAGE_EXPORT } from '@svc/contracts';
import { within } from '@svc/time-limit';

/** What became of waiting: the receiver can take more, wants no more, is gone, or says nothing; or this process leaves. */
export type Room = 'room' | 'stopped' | 'gone' | 'silent' | 'leaving';

/** How long somebody who is gone may keep an export's place. */
const ASK_EVERY_MS = 1_000;

/** What may differ in specs. */
interface ExportWindowTimes {
  readonly silenceMs: number;
  readonly askEveryMs: number;
}

/**
 * Counts the chunks on their way to a receiver: at most a window of them, one more for each acknowledgement.
 */
export class ExportWindow {
  private onTheWay = 0;
  private ended: Room | undefined;
  private wake: (() => void) | undefined;

  /**
   * @param askPresence called again and again while there is no room: nothing is sent then, and only what is sent shows that nobody is
   *   there to get it
   */
  constructor(
    private readonly askPresence: () => void,
    private readonly times: ExportWindowTimes = {
      silenceMs: USAGE_EXPORT.silenceMs,
      askEveryMs: ASK_EVERY_MS,
    },
  ) {}

  sent(): void {
    this.onTheWay++;
  }

  acknowledged(): void {
    if (this.onTheWay > 0) this.onTheWay--;
    this.wake?.();
  }

  end(reason: 'stopped' | 'gone' | 'leaving'): void {
    this.ended ??= reason;
    this.wake?.();
  }

  /** Waits for room for one more chunk. */
  async room(): Promise<Room> {
    while (!this.ended && this.onTheWay >= USAGE_EXPORT.windowChunks) {
      if (!(await this.hears())) this.ended = 'silent';
    }
    return this.ended ?? 'room';
  }

  /** Waits for a word of the receiver. @returns false when none came in time */
  private async hears(): Promise<boolean> {
    const { silenceMs, askEveryMs } = this.times;
    const asking = setInterval(this.askPresence, askEveryMs);
    const heard = await within(silenceMs, new Promise<void>((resolve) => (this.wake = resolve)));
    clearInterval(asking);
    this.wake = undefined;
    return heard;
  }
}

import type { AttemptOutput } from '../attempt/attempt';
import { GatheredEvents } from '../live-run/gathered-events';
import type { ReplyOutput } from '../live-run/run-output';
import type { EventSink } from '../validation/chunk-writer';

/** Keeps what an attempt says until it is known that it is the one to be heard. */
export class StagedOutput implements AttemptOutput {
  private readonly held = new GatheredEvents();
  private isOpen = false;

  constructor(private readonly output: ReplyOutput) {}

  /** What is held is one read's worth: with its first token an attempt is heard or stopped. */
  get blocked(): boolean {
    return this.isOpen && this.output.blocked;
  }

  get keptBytes(): number {
    return this.isOpen ? (this.output.keptBytes ?? 0) : this.held.length;
  }

  readonly write: EventSink = (text, shell) => {
    if (this.isOpen) this.output.write(text, shell);
    else this.held.add(text, shell);
  };

  flushSoon(): void {
    if (this.isOpen) this.output.flushSoon();
  }

  rest(readOn: () => void): boolean {
    return this.isOpen && (this.output.rest?.(readOn) ?? false);
  }

  /** This one is heard. */
  open(): void {
    this.isOpen = true;
    this.held.moveTo(this.output.write);
  }
}

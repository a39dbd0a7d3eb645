import { packEvents } from '@svc/contracts';
import type { EventShell, PackedEvents } from '@svc/contracts';
import type { EventSink } from '../validation/chunk-writer';

/**
 * Events that wait to be sent together: those that are alike but for their texts, then ready ones. They are put together only when they go, at
 * one go: text that has grown piece by piece is slow to read.
 */
export class GatheredEvents {
  private shell: EventShell | undefined;
  private texts: string[] = [];
  private ready = '';
  private chars = 0;

  /** How many characters the client will get, about. */
  get length(): number {
    return this.chars;
  }

  /** How many bytes the client will get. */
  get bytes(): number {
    const shells = this.texts.length * (this.shell?.bytes ?? 0);
    return this.texts.reduce(
      (sum, text) => sum + Buffer.byteLength(text),
      shells + Buffer.byteLength(this.ready),
    );
  }

  readonly add: EventSink = (text, shell) => {
    this.chars += text.length + (shell?.bytes ?? 0);
    if (shell === undefined) this.ready += text;
    else if (this.ready === '' && (this.shell ??= shell) === shell) this.texts.push(text);
    else this.ready += shell.around([text]);
  };

  /** Hands everything on, and holds nothing any more. */
  moveTo(sink: EventSink): void {
    const { shell, texts, ready } = this;
    this.clear();
    for (const text of texts) sink(text, shell);
    if (ready !== '') sink(ready);
  }

  /**
   * All is still held afterwards.
   * @param mostBytes as the client gets them
   * @returns undefined where it is more, or packing would save nothing
   */
  pack(mostBytes: number): PackedEvents | undefined {
    const { shell, texts, ready } = this;
    if (shell === undefined || texts.length < 2) return undefined;
    const events = packEvents(shell, texts, ready);
    return events.bytes > mostBytes ? undefined : events;
  }

  /** @returns everything, as the client gets it */
  toString(): string {
    return (this.shell?.around(this.texts) ?? '') + this.ready;
  }

  clear(): void {
    this.shell = undefined;
    this.texts = [];
    this.ready = '';
    this.chars = 0;
  }
}

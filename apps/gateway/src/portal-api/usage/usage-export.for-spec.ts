import { USAGE_EXPORT } from '@svc/contracts';
import type { ExportUsageRequest } from '@svc/contracts';
import type { SvcError } from '@svc/errors';
import { refuseCall } from '@svc/testing';
import { headers } from 'nats';
import type { Msg, NatsConnection } from 'nats';

/** Exports as billing does: so many chunks, no more of them on their way than were acknowledged. */
export class FakeExports {
  /** What was asked for. */
  readonly asked: ExportUsageRequest[] = [];
  /** Chunks that went out. */
  sent = 0;
  /** Exports that their reader stopped. */
  stopped = 0;
  refusal: SvcError | undefined;
  chunks: string[] = [];
  /** Leaves this one out: a chunk that was lost. */
  lost: number | undefined;

  constructor(private readonly connection: NatsConnection) {
    connection.subscribe(USAGE_EXPORT.subject, {
      queue: USAGE_EXPORT.queue,
      callback: (_error, message) => this.answer(message),
    });
  }

  private answer(message: Msg): void {
    this.asked.push(message.json<ExportUsageRequest>());
    if (this.refusal) return refuseCall(message, this.refusal.payload);
    const inbox = message.reply ?? '';
    const answers = `_INBOX.billing.fake0001.export.${this.asked.length}`;
    let next = 0;
    const goOn = () => {
      const sequence = next++;
      const numbered = headers();
      numbered.set(USAGE_EXPORT.sequenceHeader, String(sequence));
      const chunk = this.chunks[sequence];
      if (chunk === undefined) numbered.set(USAGE_EXPORT.rowsHeader, '1');
      else this.sent++;
      if (sequence === this.lost) return goOn();
      const options = chunk === undefined ? { headers: numbered } : { headers: numbered, reply: answers };
      this.connection.publish(inbox, chunk ?? '', options);
    };
    this.connection.subscribe(answers, {
      callback: (_error, { data }) => {
        if (Buffer.from(data).toString() === USAGE_EXPORT.stop) this.stopped++;
        else if (next <= this.chunks.length) goOn();
      },
    });
    for (let first = 0; first < USAGE_EXPORT.windowChunks && next <= this.chunks.length; first++) goOn();
  }
}

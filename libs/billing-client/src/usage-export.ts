import { Readable } from 'node:stream';
import { USAGE_EXPORT } from '@svc/contracts';
import type { UsageLineSelection } from '@svc/contracts';
import { SvcError, internalError, noCapacity, parseErrorPayload } from '@svc/errors';
import { ERROR_CODE_HEADER, isNoResponders } from '@svc/messaging';
import type { InboxMessage, ReusableInbox, RpcClient } from '@svc/messaging';
import { within } from '@svc/time-limit';
import { assertOpen } from './assert-open';

/**
 * Usage as CSV (RFC 4180, UTF-8, a head line first), chunk by chunk as it is read: at most four chunks wait here, however many
 * rows there are. Leaving the loop early ends the export. Errors are SvcError; a chunk that was lost is one.
 */
export class UsageExport implements AsyncIterable<Uint8Array> {
  /** How many usage rows there were; known at the end. */
  rows: number | undefined;

  constructor(
    private readonly rpc: RpcClient,
    private readonly selection: UsageLineSelection,
  ) {}

  /** As a Node stream; destroying it ends the export. */
  readable(): Readable {
    return Readable.from(this, { objectMode: false });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    assertOpen(this.rpc);
    const arrivals = new Arrivals(this.rpc);
    let answers: string | undefined;
    let ended = false;
    try {
      this.rpc.publisher.publish(USAGE_EXPORT.subject, JSON.stringify(this.selection), {
        reply: arrivals.subject,
      });
      for (let expected = 0; ; expected++) {
        const message = await arrivals.next();
        const rows = readChunk(message, expected);
        if (rows !== undefined) {
          this.rows = rows;
          ended = true;
          return;
        }
        answers = message.reply;
        yield message.data;
        // Only now: whoever reads slowly is sent to slowly.
        if (answers !== undefined) this.rpc.publisher.publish(answers, USAGE_EXPORT.ack);
      }
    } catch (error) {
      ended = SvcError.is(error) && answers === undefined;
      throw error;
    } finally {
      if (ended) arrivals.close();
      else arrivals.stop(answers);
    }
  }
}

/** @returns how many rows there were, from the last message */
function readChunk(message: InboxMessage, expected: number): number | undefined {
  if (isNoResponders(message)) throw noCapacity('Billing does not answer; nothing was exported.');
  if (message.headers?.has(ERROR_CODE_HEADER)) {
    const payload = parseErrorPayload(parsed(message));
    throw payload ? new SvcError(payload) : internalError('The export failed.');
  }
  if (message.headers?.get(USAGE_EXPORT.sequenceHeader) !== String(expected)) {
    throw internalError('A part of the export was lost; ask for it again.');
  }
  const rows = message.headers.get(USAGE_EXPORT.rowsHeader);
  return rows === '' ? undefined : Number(rows);
}

function parsed(message: InboxMessage): unknown {
  try {
    return JSON.parse(Buffer.from(message.data).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** What has arrived of an export and was not read yet: no more than billing sends unacknowledged. */
class Arrivals {
  private readonly waiting: InboxMessage[] = [];
  private readonly inbox: ReusableInbox;
  private wake: (() => void) | undefined;
  private stopping = false;

  constructor(private readonly rpc: RpcClient) {
    this.inbox = rpc.inbox.openReusable(USAGE_EXPORT.queue, (message) => {
      if (this.stopping) return this.stop(message.reply);
      // That it came is the answer.
      if (message.headers?.has(USAGE_EXPORT.presenceHeader)) return;
      this.waiting.push(message);
      this.wake?.();
    });
  }

  get subject(): string {
    return this.inbox.subject;
  }

  /** @throws SvcError no_capacity when nothing comes for too long */
  async next(): Promise<InboxMessage> {
    const message = this.waiting.shift();
    if (message) return message;
    await within(USAGE_EXPORT.silenceMs, new Promise<void>((resolve) => (this.wake = resolve)));
    this.wake = undefined;
    const arrived = this.waiting.shift();
    if (!arrived) throw noCapacity('Billing sent nothing more; the export is not complete.');
    return arrived;
  }

  /** Tells billing to stop, now or as soon as it is known where to. */
  stop(answers: string | undefined): void {
    const known = answers ?? this.waiting.find(({ reply }) => reply !== undefined)?.reply;
    this.stopping = true;
    if (known === undefined) {
      setTimeout(() => this.close(), USAGE_EXPORT.silenceMs).unref();
      return;
    }
    this.rpc.publisher.publish(known, USAGE_EXPORT.stop);
    this.close();
  }

  close(): void {
    // Another chunk may be on its way.
    this.inbox.close({ quiet: false });
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import { USAGE_EXPORT } from '@svc/contracts';
import type { UsageLineSelection } from '@svc/contracts';
import { noCapacity } from '@svc/errors';
import { RpcClient, isNoResponders } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { headers } from 'nats';
import type { MsgHdrs } from 'nats';
import { ProjectionService } from '../receipt/projection.service';
import { ExportWindow } from './export-window';
import type { Room } from './export-window';
import { USAGE_CSV_HEAD, usageCsv } from './usage-csv';
import { UsageListStore } from './usage-list.store';
import type { UsagePosition } from './usage-list.store';

/** Some 250 kB: well within what a message may carry. */
const ROWS_A_CHUNK = 1_000;
/** Of the statements' connections one stays free for others. */
const MOST_AT_ONCE = 3;
/** Statements are a second behind, under lasting load half a minute; what takes longer to make up for is not for an export to do. */
const CATCH_UP_MS = 10_000;
const AGAIN_AFTER_S = 30;
const PRESENCE = headers();
PRESENCE.set(USAGE_EXPORT.presenceHeader, 'asked');

/**
 * Exports usage as a stream of CSV chunks to the caller's inbox. Each chunk is one page of its own, so that neither memory nor
 * a transaction grows with the table; the receiver's acknowledgements set the pace.
 */
@Injectable()
export class UsageExportService implements OnModuleDestroy {
  private readonly running = new Set<ExportWindow>();

  constructor(
    private readonly lines: UsageListStore,
    private readonly projection: ProjectionService,
    private readonly rpc: RpcClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** How many exports are under way. */
  get underWay(): number {
    return this.running.size;
  }

  onModuleDestroy(): void {
    for (const window of this.running) window.end('leaving');
  }

  /**
   * Sends the selection to `inbox`, with all that is in the ledger now; returns when the receiver has all of it, or wants
   * no more.
   * @throws SvcError no_capacity when too many exports are under way, statements are too far behind to have all of it, or this process
   *   ends before this one does
   */
  async send(selection: UsageLineSelection, inbox: string): Promise<void> {
    if (this.running.size >= MOST_AT_ONCE)
      throw noCapacity('Too many exports are under way; ask for this one again.');
    const window = new ExportWindow(() =>
      this.rpc.publisher.publish(inbox, '', { reply: answers.subject, headers: PRESENCE }),
    );
    this.running.add(window);
    // Callers may answer under this word, and nowhere else (`deploy/nats/nats.conf`).
    const answers = this.rpc.inbox.openReusable('export', (message) => {
      if (isNoResponders(message)) window.end('gone');
      else if (Buffer.from(message.data).toString('utf8') === USAGE_EXPORT.ack) window.acknowledged();
      else window.end('stopped');
    });
    try {
      if (!(await this.projection.project('statements', { deadlineMs: performance.now() + CATCH_UP_MS }))) {
        // Cut short by the process's end, it says nothing of how far they are.
        if (this.projection.stopped) throw isStopping();
        throw noCapacity('Statements are behind; ask for the export again.', AGAIN_AFTER_S);
      }
      const { room, rows } = await this.sendPages(selection, window, { inbox, answers: answers.subject });
      this.logger.info(
        { wallet: selection.wallet, rows, outcome: room === 'room' ? 'complete' : room },
        'usage exported',
      );
      // Who reads would wait for the rest.
      if (room === 'leaving') throw isStopping();
    } finally {
      answers.close({ quiet: false });
      this.running.delete(window);
    }
  }

  private async sendPages(
    selection: UsageLineSelection,
    window: ExportWindow,
    subjects: { inbox: string; answers: string },
  ): Promise<{ room: Room; rows: number }> {
    const { publisher } = this.rpc;
    let [rows, sequence] = [0, 0];
    let after: UsagePosition | undefined;
    for (;;) {
      const page = await this.lines.page(selection, after, ROWS_A_CHUNK);
      const last = page.at(-1);
      const room = await window.room();
      if (room !== 'room') return { room, rows };
      const text = (sequence === 0 ? USAGE_CSV_HEAD : '') + usageCsv(page);
      if (text !== '') {
        window.sent();
        publisher.publish(subjects.inbox, text, { reply: subjects.answers, headers: numbered(sequence++) });
        rows += page.length;
      }
      if (!last || page.length < ROWS_A_CHUNK) {
        const end = numbered(sequence);
        end.set(USAGE_EXPORT.rowsHeader, String(rows));
        publisher.publish(subjects.inbox, '', { headers: end });
        return { room, rows };
      }
      after = { createdAt: last.created_at, requestId: last.hold_id };
    }
  }
}

function isStopping(): Error {
  return noCapacity('Billing is stopping; ask for the export again.');
}

function numbered(sequence: number): MsgHdrs {
  const result = headers();
  result.set(USAGE_EXPORT.sequenceHeader, String(sequence));
  return result;
}

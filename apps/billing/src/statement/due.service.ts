import { Injectable } from '@nestjs/common';
import type { DueList, DueView, ListDuesRequest, ShowDueRequest, WalletDue } from '@svc/contracts';
import { notFound } from '@svc/errors';
import { pageOf } from '@svc/persistence';
import { CURSOR_FORMS, decodeCursor, encodeCursor } from './cursor';
import { DueListStore } from './due-list.store';
import type { DueLine } from './due-list.store';

const DUES_A_PAGE = 25;
const RECEIPTS_A_PAGE = 50;

/** What settlement asked one wallet for, and for which receipts. */
@Injectable()
export class DueService {
  constructor(private readonly dues: DueListStore) {}

  async list({ wallet, before, limit: most = DUES_A_PAGE }: ListDuesRequest): Promise<DueList> {
    const { items, last } = pageOf(await this.dues.page(wallet, before, most + 1), most);
    return { dues: await this.withBatches(items), next: last?.batchId ?? null };
  }

  /** @throws SvcError invalid_request: the wallet has no line in such a batch (404); the cursor is none */
  async show({ wallet, batchId, cursor, limit: most = RECEIPTS_A_PAGE }: ShowDueRequest): Promise<DueView> {
    const { time, word } = CURSOR_FORMS;
    const after = decodeCursor(cursor, [time, word, word]);
    const line = await this.dues.find(wallet, batchId);
    if (!line) throw notFound('The wallet has no line in such a batch.', 'batchId');
    const [[due], transactions, collected] = await Promise.all([
      this.withBatches([line]),
      this.dues.transactions(batchId),
      this.dues.collected(wallet, batchId, after, most + 1),
    ]);
    if (!due) throw new Error(`a line without its batch: ${batchId}`);
    const { items, last } = pageOf(collected, most);
    const next = last ? encodeCursor([last.createdAt, last.id, last.kind]) : null;
    return { ...due, transactions, collected: items, next };
  }

  private async withBatches(lines: readonly DueLine[]): Promise<WalletDue[]> {
    const batches = await this.dues.batches(lines.map(({ batchId }) => batchId));
    return lines.flatMap(({ batchId, line, receipts }) => {
      const batch = batches.get(batchId);
      return batch ? [{ batch, line, receipts }] : [];
    });
  }
}

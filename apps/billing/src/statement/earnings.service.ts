import { Injectable } from '@nestjs/common';
import type { EarningList, EarningSums, ListEarningsRequest } from '@svc/contracts';
import { pageOf } from '@svc/persistence';
import { BillingConfig } from '../billing.config';
import { CURSOR_FORMS, decodeCursor, encodeCursor } from './cursor';
import { EarningsStore } from './earnings.store';
import type { EarningSumsRow } from './earnings.store';
import { requireWholeHours } from './time-range';

const LINES_A_PAGE = 100;

/** What providers earned. */
@Injectable()
export class EarningsService {
  constructor(
    private readonly store: EarningsStore,
    private readonly config: BillingConfig,
  ) {}

  /** @throws SvcError invalid_request */
  async list(request: ListEarningsRequest): Promise<EarningList> {
    requireWholeHours(request);
    const after = decodeCursor(request.cursor, [CURSOR_FORMS.time, CURSOR_FORMS.word]);
    const most = request.limit ?? LINES_A_PAGE;
    const { lines, totals, account } = await this.store.page(request, after, most + 1);
    const { items, last } = pageOf(lines, most);
    const { credited = '0', released = '0', paid_out: paidOut = '0' } = account ?? {};
    const payable = BigInt(released) - BigInt(paidOut);
    return {
      lines: items.map((row) => ({ time: row.moment, model: row.model, ...sumsOf(row) })),
      totals: sumsOf(totals),
      account: { credited, released, paidOut, payable: String(payable > 0n ? payable : 0n) },
      shareBps: this.config.providerShareBps,
      next: last ? encodeCursor([last.moment, last.model]) : null,
    };
  }
}

function sumsOf(row: EarningSumsRow | undefined): EarningSums {
  return {
    requests: Number(row?.requests ?? 0),
    promptTokens: Number(row?.prompt_tokens ?? 0),
    completionTokens: Number(row?.completion_tokens ?? 0),
    credited: row?.credited ?? '0',
  };
}

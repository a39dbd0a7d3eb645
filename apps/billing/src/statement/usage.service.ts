import { Injectable } from '@nestjs/common';
import { isTimeUnit } from '@svc/contracts';
import type {
  ListUsageRequest,
  ShowUsageRequest,
  SummariseUsageRequest,
  UsageDetail,
  UsageDimension,
  UsageLine,
  UsageList,
  UsageSummary,
  UsageSums,
} from '@svc/contracts';
import { notFound } from '@svc/errors';
import { pageOf } from '@svc/persistence';
import { CURSOR_FORMS, decodeCursor, encodeCursor } from './cursor';
import { requireWholeHours } from './time-range';
import { UsageDetailStore } from './usage-detail.store';
import { UsageListStore } from './usage-list.store';
import type { UsagePosition, UsageRow } from './usage-list.store';
import { UsageSummaryStore } from './usage-summary.store';
import type { GroupRow, SumsRow } from './usage-summary.store';

const GROUPS_A_PAGE = 100;
const LINES_A_PAGE = 50;

/** What a wallet used. */
@Injectable()
export class UsageService {
  constructor(
    private readonly summaries: UsageSummaryStore,
    private readonly lines: UsageListStore,
    private readonly details: UsageDetailStore,
  ) {}

  /** @throws SvcError invalid_request */
  async summarise({
    cursor,
    limit = GROUPS_A_PAGE,
    ...selection
  }: SummariseUsageRequest): Promise<UsageSummary> {
    requireWholeHours(selection);
    const after = decodeCursor(cursor, formsOf(selection.by));
    const { groups, totals } = await this.summaries.page(selection, after, limit + 1);
    const { items, last } = pageOf(groups, limit);
    return {
      groups: items.map(groupOf),
      totals: sumsOf(totals),
      next: last ? encodeCursor(keyOf(last)) : null,
    };
  }

  /** @throws SvcError invalid_request */
  async list({ cursor, limit = LINES_A_PAGE, ...selection }: ListUsageRequest): Promise<UsageList> {
    const { items, last } = pageOf(await this.lines.page(selection, positionIn(cursor), limit + 1), limit);
    return {
      lines: items.map(lineOf),
      next: last ? encodeCursor([last.created_at, last.hold_id]) : null,
    };
  }

  /** @throws SvcError invalid_request (404) */
  async show(request: ShowUsageRequest): Promise<UsageDetail> {
    const row = await this.details.find(request);
    if (!row) throw notFound('There is no such request.', 'requestId');
    const { refund_amount: amount, refund_reason: reason, refund_at: createdAt } = row;
    const refund =
      amount !== null && reason !== null && createdAt !== null ? { amount, reason, createdAt } : null;
    return { line: lineOf(row), refund, batchId: row.batch_id };
  }
}

function positionIn(cursor: string | undefined): UsagePosition | undefined {
  const key = decodeCursor(cursor, [CURSOR_FORMS.time, CURSOR_FORMS.word]);
  return key && { createdAt: key[0] ?? '', requestId: key[1] ?? '' };
}

/** The forms of a group's sort key: its time first, then the others. */
function formsOf(by: readonly UsageDimension[]) {
  const { time, word } = CURSOR_FORMS;
  return [
    ...by.filter(isTimeUnit).map(() => time),
    ...by.filter((each) => !isTimeUnit(each)).map(() => word),
  ];
}

function keyOf({ moment, key_id, model, provider }: GroupRow): string[] {
  return [moment, key_id, model, provider].filter((part) => part !== undefined);
}

function groupOf(row: GroupRow) {
  const { moment, key_id, model, provider } = row;
  return {
    ...(moment !== undefined && { time: moment }),
    ...(key_id !== undefined && { keyId: key_id }),
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    ...sumsOf(row),
  };
}

function sumsOf(row: SumsRow | undefined): UsageSums {
  return {
    requests: Number(row?.requests ?? 0),
    promptTokens: Number(row?.prompt_tokens ?? 0),
    completionTokens: Number(row?.completion_tokens ?? 0),
    charged: row?.cost ?? '0',
    unserved: Number(row?.unserved ?? 0),
    errors: Number(row?.errors ?? 0),
    timed: Number(row?.timed ?? 0),
    firstTokenMs: Number(row?.first_token_ms ?? 0),
    totalMs: Number(row?.total_ms ?? 0),
  };
}

function lineOf(row: UsageRow): UsageLine {
  const request = {
    requestId: row.hold_id,
    createdAt: row.created_at,
    keyId: row.key_id,
    model: row.model,
    route: row.route,
    held: row.held,
    charged: row.charged,
    totalMs: row.total_ms,
  };
  if (row.provider === null) {
    const { attempts, reason, code } = row;
    return { ...request, outcome: 'unserved', attempts, reason, code };
  }
  return {
    ...request,
    outcome: 'served',
    provider: row.provider,
    offerId: row.offer_id,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    tokenSource: row.token_source,
    inputPricePerMtok: row.input_price_per_mtok,
    outputPricePerMtok: row.output_price_per_mtok,
    attempts: row.attempts,
    finishReason: row.finish_reason,
    firstTokenMs: row.first_token_ms,
    late: row.late,
    refunded: row.refunded,
  };
}

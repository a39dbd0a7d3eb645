import { Injectable } from '@nestjs/common';
import { MAX_STATEMENT_PAGE, billingContracts } from '@svc/contracts';
import type { SummariseUsageRequest, UsageGroup, UsageSums, UsageSummary } from '@svc/contracts';
import { ServiceClient } from '../../messaging/service-client';
import { usageBuckets } from './usage-buckets';
import type { UsageBuckets } from './usage-buckets';
import type { UsageSummaryQuery } from './usage-query.dto';
import { BILLING_NAMES, selectionOf } from './usage-selection';
import { NO_USAGE, figuresOf, isAnything, without } from './usage-sums';
import type { UsageSeries, UsageSummaryReply } from './usage-summary.dto';

/** Series that are shown by themselves; a chart with more colours says less. */
const MOST_SERIES = 6;
/** Of values that are compared by what they cost: pages of 500. */
const MOST_VALUE_PAGES = 4;

type Dimension = NonNullable<UsageSummaryQuery['by']>;
type Selection = Omit<SummariseUsageRequest, 'by' | 'cursor' | 'limit'>;

/** Usage as charts show it: a fixed number of questions to billing, however much there was. */
@Injectable()
export class UsageSummaryService {
  constructor(private readonly services: ServiceClient) {}

  /** @throws SvcError invalid_request; RpcUnavailableError */
  async summarise(wallet: string, query: UsageSummaryQuery, requestId: string): Promise<UsageSummaryReply> {
    const { by = null } = query;
    const buckets = usageBuckets(query, Date.now());
    const { from, to, unit, times } = buckets;
    const selection = { ...selectionOf(wallet, query), from, to };
    const ask = new Asking(this.services, requestId);
    const [all, values] = await Promise.all([
      ask.overTime(selection, buckets),
      by === null ? [] : ask.values(selection, by),
    ]);
    const series =
      by === null
        ? [seriesOf('all', null, all)]
        : await this.split(ask, selection, { by, all, values, buckets });
    return { object: 'usage_summary', from, to, unit, by, times, series, totals: figuresOf(all.totals) };
  }

  private async split(
    ask: Asking,
    selection: Selection,
    { by, all, values, buckets }: { by: Dimension; all: OverTime; values: string[]; buckets: UsageBuckets },
  ): Promise<UsageSeries[]> {
    const shown = values.slice(0, MOST_SERIES);
    const each = await Promise.all(
      shown.map((value) => ask.overTime({ ...selection, [FIELDS[by]]: value }, buckets)),
    );
    const series = shown.map((value, at) => seriesOf('one', value, each[at] ?? all));
    let rest: OverTime = {
      totals: without(
        all.totals,
        each.map(({ totals }) => totals),
      ),
      sums: all.sums.map((sums, at) =>
        without(
          sums,
          each.map((one) => one.sums[at] ?? NO_USAGE),
        ),
      ),
    };
    const nobody = by === 'provider' ? only(rest, unservedOf) : undefined;
    if (nobody) rest = only(rest, (sums) => without(sums, [unservedOf(sums)]));
    if (isAnything(rest.totals)) series.push(seriesOf('others', null, rest));
    if (nobody && isAnything(nobody.totals)) series.push(seriesOf('nobody', null, nobody));
    return series;
  }
}

/** Sums of one series, one for each of the buckets' times. */
interface OverTime {
  totals: UsageSums;
  sums: UsageSums[];
}

const FIELDS = { model: 'model', key: 'keyId', provider: 'provider' } as const satisfies Record<
  Dimension,
  keyof UsageGroup & keyof Selection
>;

/** Billing's sums, asked for on behalf of one request. */
class Asking {
  constructor(
    private readonly services: ServiceClient,
    private readonly requestId: string,
  ) {}

  async overTime(selection: Selection, { unit, times }: UsageBuckets): Promise<OverTime> {
    // As many groups as there are times, at most: one page.
    const { groups, totals } = await this.page({ ...selection, by: [unit], limit: MAX_STATEMENT_PAGE });
    const byTime = new Map(groups.map((group) => [Date.parse(group.time ?? ''), group]));
    return { totals, sums: times.map((time) => byTime.get(Date.parse(time)) ?? NO_USAGE) };
  }

  /** What there is of a dimension, that which cost most first; of very many, of the first in order of their names. */
  async values(selection: Selection, by: Dimension): Promise<string[]> {
    const groups: UsageGroup[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MOST_VALUE_PAGES; page++) {
      const found = await this.page({ ...selection, by: [by], limit: MAX_STATEMENT_PAGE, cursor });
      groups.push(...found.groups);
      if (found.next === null) break;
      cursor = found.next;
    }
    const valueOf = (group: UsageGroup) => group[FIELDS[by]] ?? '';
    return groups
      .filter((group) => valueOf(group) !== '')
      .sort((one, other) => compare(one, other))
      .map(valueOf);
  }

  private page(request: SummariseUsageRequest): Promise<UsageSummary> {
    return this.services.call(billingContracts.summariseUsage, request, this.requestId, BILLING_NAMES);
  }
}

function compare(one: UsageSums, other: UsageSums): number {
  const difference = BigInt(other.charged) - BigInt(one.charged);
  if (difference !== 0n) return difference > 0n ? 1 : -1;
  return other.requests + other.unserved - (one.requests + one.unserved);
}

function unservedOf({ unserved, errors }: UsageSums): UsageSums {
  return { ...NO_USAGE, unserved, errors };
}

function only({ totals, sums }: OverTime, part: (sums: UsageSums) => UsageSums): OverTime {
  return { totals: part(totals), sums: sums.map(part) };
}

function seriesOf(kind: UsageSeries['kind'], value: string | null, { totals, sums }: OverTime): UsageSeries {
  return { kind, value, totals: figuresOf(totals), figures: sums.map(figuresOf) };
}

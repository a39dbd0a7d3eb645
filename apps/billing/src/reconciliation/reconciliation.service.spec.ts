import { createLogger, createMetricsRegistry } from '@svc/observability';
import type { Difference, PauseStore } from '../settlement/pause.store';
import { SettlementMetrics } from '../settlement/settlement.metrics';
import type { ChainChecks } from './chain-checks';
import { DueComparison } from './due-comparison';
import type { FullComparisonTurn } from './full-comparison-turn';
import { FULL_CHECKS, INCREMENTAL_CHECKS } from './ledger-checks';
import type { LedgerCheck } from './ledger-checks';
import { ReconciliationService } from './reconciliation.service';
import type { FinishedReconciliation, ReconciliationStore } from './reconciliation.store';

const none = () => Promise.resolve([]);

/** Comparisons of a ledger in which the last rule of a full one is broken, and nothing else. */
function setUp(last?: FinishedReconciliation, totals: () => Promise<Difference[]> = none) {
  const registry = createMetricsRegistry('test');
  const rulesRun: string[] = [];
  const store = {
    run: (check: LedgerCheck) => {
      rulesRun.push(check.rule);
      return Promise.resolve(
        check === FULL_CHECKS.at(-1) ? [{ rule: check.rule, expected: '1', actual: '2' }] : [],
      );
    },
    finished: none,
    last: () => Promise.resolve(last),
  };
  const service = new ReconciliationService(
    createLogger('test', 'silent'),
    store as unknown as ReconciliationStore,
    { totals, wallets: none, providers: none } as unknown as ChainChecks,
    { pause: () => Promise.resolve(true) } as unknown as PauseStore,
    new SettlementMetrics(registry),
  );
  const due = new DueComparison(store as unknown as ReconciliationStore, service, {} as FullComparisonTurn);
  const told = async () => (await registry.metrics()).match(/^svc_billing_reconciliation_differences.*$/gm);
  /** How long ago the last cheap one was, as far as anybody knows who asks for metrics. */
  const ageMs = async () => {
    const [, seconds] =
      (await registry.metrics()).match(/^svc_billing_reconciliation_timestamp.*"incremental".* (\S+)$/m) ??
      [];
    return Date.now() - Number(seconds) * 1_000;
  };
  return { service, due, told, ageMs, rulesRun };
}

const away = new Error('the chain does not answer');
const failing = () => Promise.reject(away);

describe('ReconciliationService', () => {
  it('tells what a full comparison found until the next full one, whatever cheap ones find', async () => {
    const { service, told } = setUp();
    await service.reconcile('full');
    await service.reconcile('incremental');
    expect(await told()).toEqual([
      expect.stringMatching(/kind="full".* 1$/),
      expect.stringMatching(/kind="incremental".* 0$/),
    ]);
  });

  it('compares no rule twice in full: what differs would be counted twice', async () => {
    const { service, rulesRun } = setUp();
    await service.reconcile('full');
    // That which is broken had a second look.
    expect(rulesRun.slice(0, -1)).toEqual([...new Set(rulesRun)]);
    expect(new Set(rulesRun)).toEqual(
      new Set([...INCREMENTAL_CHECKS, ...FULL_CHECKS].map(({ rule }) => rule)),
    );
  });

  it('tells what another instance has found since', async () => {
    const { service, due, told } = setUp({ ageMs: 1_000, differences: 0 });
    await service.reconcile('full');
    expect(await told()).toEqual([expect.stringMatching(/kind="full".* 1$/)]);
    await due.run('full', 60_000);
    expect(await told()).toEqual([expect.stringMatching(/kind="full".* 0$/)]);
  });

  it('tells how old the last one is and what it found though each since has failed, from before the start too', async () => {
    const { due, ageMs, told } = setUp({ ageMs: 3_600_000, differences: 2 }, failing);
    await expect(due.run('incremental', 30_000)).rejects.toBe(away);
    expect(await told()).toEqual([expect.stringMatching(/kind="incremental".* 2$/)]);
    const toldMs = await ageMs();
    expect(toldMs).toBeGreaterThanOrEqual(3_600_000);
    expect(toldMs).toBeLessThan(3_660_000);
  });

  it.each([
    ['none has come to its end', undefined],
    ['the last one ended by a clock that was set back since', { ageMs: -86_400_000, differences: 0 }],
  ])('counts from the start as long as %s', async (_, last) => {
    const { due, ageMs } = setUp(last, failing);
    await expect(due.run('incremental', 30_000)).rejects.toBe(away);
    // Clocks that are asked one after the other.
    expect(Math.abs((await ageMs()) - (Date.now() - performance.timeOrigin))).toBeLessThan(10_000);
  });
});

describe('what a comparison finds', () => {
  const difference = (subject: string) => ({ rule: 'as on chain', subject, expected: '1', actual: '2' });

  type Looks = Partial<Record<'totals' | 'wallets' | 'providers', string[][]>>;

  /** A service over a ledger that is right, and a chain of which each look finds what is given for it. */
  function comparing({ totals = [], wallets = [], providers = [] }: Looks) {
    const looks = (found: string[][]) => {
      const left = [...found];
      return () => Promise.resolve((left.shift() ?? []).map(difference));
    };
    const finished = jest.fn<Promise<void>, [string, number]>(() => Promise.resolve());
    const pause = jest.fn(() => Promise.resolve(true));
    const service = new ReconciliationService(
      createLogger('test', 'silent'),
      { run: none, finished } as unknown as ReconciliationStore,
      {
        totals: looks(totals),
        wallets: looks(wallets),
        providers: looks(providers),
      } as unknown as ChainChecks,
      { pause } as unknown as PauseStore,
      new SettlementMetrics(createMetricsRegistry('test')),
    );
    return { service, finished, pause };
  }

  it.each([
    ['is gone', [['a'], []], []],
    ['is another by then', [['a'], ['b']], []],
    [
      'is still so',
      [
        ['a', 'b'],
        ['b', 'c'],
      ],
      ['b'],
    ],
  ])('counts if a second look finds it too: it %s', async (_, totals, expected) => {
    const { service, finished, pause } = comparing({ totals });
    expect(await service.reconcile('incremental')).toEqual(expected.map(difference));
    expect(finished.mock.calls).toEqual([['incremental', expected.length]]);
    expect(pause.mock.calls).toEqual(
      expected.length > 0 ? [['figures disagree', 'reconciliation', expected.map(difference)]] : [],
    );
  });

  it.each(['wallets', 'providers'])(
    'is found one by one in full, and not in what is cheap: %s',
    async (whose) => {
      const looks: Looks = { [whose]: [['a'], ['a']] };
      expect(await comparing(looks).service.reconcile('incremental')).toEqual([]);
      const { service, finished } = comparing(looks);
      expect(await service.reconcile('full')).toEqual([difference('a')]);
      expect(finished.mock.calls).toEqual([['full', 1]]);
    },
  );
});

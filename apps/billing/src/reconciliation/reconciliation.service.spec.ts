import { createLogger, createMetricsRegistry } from '@svc/observability';
import type { PauseStore } from '../settlement/pause.store';
import { SettlementMetrics } from '../settlement/settlement.metrics';
import type { ChainChecks } from './chain-checks';
import { FULL_CHECKS } from './ledger-checks';
import type { LedgerCheck } from './ledger-checks';
import { ReconciliationService } from './reconciliation.service';
import type { ReconciliationStore } from './reconciliation.store';

const none = () => Promise.resolve([]);

/** Comparisons of a ledger in which the last rule of a full one is broken, and nothing else. */
function setUp() {
  const registry = createMetricsRegistry('test');
  const store = {
    run: (check: LedgerCheck) =>
      Promise.resolve(check === FULL_CHECKS.at(-1) ? [{ rule: check.rule, expected: '1', actual: '2' }] : []),
    finished: none,
  };
  const service = new ReconciliationService(
    createLogger('test', 'silent'),
    store as unknown as ReconciliationStore,
    { totals: none, wallets: none } as unknown as ChainChecks,
    { pause: () => Promise.resolve(true) } as unknown as PauseStore,
    new SettlementMetrics(registry),
  );
  const told = async () => (await registry.metrics()).match(/^svc_billing_reconciliation_differences.*$/gm);
  return { service, told };
}

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
});

import { payoutRoot, settlementAt } from '@svc/contracts-evm';
import { Wallet } from 'ethers';
import { PROVIDER } from '../../ledger/ledger.for-spec';
import { CONFIRMATIONS, MNEMONIC_KEYS, SettlementBench, mined } from '../settlement.for-spec';

const USDC = 1_000_000n;

let bench: SettlementBench;

beforeAll(async () => {
  bench = await SettlementBench.start();
});
afterAll(() => bench.close());

it('who publishes a root of its own with the stolen key, and claims by it, is seen, and pauses settlement', async () => {
  const billing = await bench.instance();
  const buyer = await bench.buyer(billing.watcher, 10n * USDC);
  await bench.buy(buyer, 1_000_000);
  await bench.settle(billing);
  await bench.publish(billing);
  await bench.claim(billing);
  expect(await billing.reconciliation.reconcile('full')).toEqual([]);

  const thief = Wallet.createRandom().address.toLowerCase();
  const payer = new Wallet(MNEMONIC_KEYS.payer, bench.provider);
  const stolen = payoutRoot([{ provider: thief, cumulative: 5_000n }]);
  await mined(settlementAt(bench.contracts.settlement, payer).publishPayoutRoot(stolen));
  await mined(bench.contract.claim(thief, 5_000n, []));
  await bench.mine(CONFIRMATIONS);
  await billing.watcher.poll();

  // Between two payouts, as by day.
  await billing.stop();
  const byDay = await bench.instance({ payoutIntervalMs: 3_600_000 });
  await byDay.payouts.tick();
  const detail = 'conflict: the chain has a payout root that is not ours';
  expect(await byDay.payoutStatus.readiness.check()).toEqual({ up: true, detail });
  const rule = 'no more is paid to a provider than a root of ours said that it had earned';
  expect(await byDay.reconciliation.reconcile('incremental')).toEqual([
    { rule, subject: thief, expected: '0', actual: '5000' },
  ]);
  expect(await byDay.pauses.standing()).toMatchObject([{ actor: 'reconciliation' }]);

  // What was paid stays so for ever. Whoever ends the pause knows of it: trade goes on, and more of it is seen again.
  await byDay.pauses.resume('the key was replaced', 'ops');
  expect(await byDay.reconciliation.reconcile('incremental')).toEqual([]);
  const more = payoutRoot([{ provider: thief, cumulative: 6_000n }]);
  await mined(settlementAt(bench.contracts.settlement, payer).publishPayoutRoot(more));
  await mined(bench.contract.claim(thief, 6_000n, []));
  await bench.mine(CONFIRMATIONS);
  await byDay.watcher.poll();
  await byDay.payouts.tick();
  expect(await byDay.reconciliation.reconcile('incremental')).toEqual([
    { rule, subject: thief, expected: '0', actual: '6000' },
  ]);
  await byDay.pauses.resume('it was replaced everywhere', 'ops');
  expect(await byDay.reconciliation.reconcile('full')).toEqual([]);
});

it('what was earned and paid is no more than a root of ours said, though a reorganisation unpaid it since', async () => {
  await bench.sql(`UPDATE billing.provider_released SET released = 0 WHERE provider = $1`, [PROVIDER]);
  const billing = await bench.instance();
  const found = await billing.reconciliation.reconcile('incremental');
  expect(found.map(({ subject }) => subject)).not.toContain(PROVIDER);
});

import { ChainProxy } from '@svc/testing';
import { Transaction, toQuantity } from 'ethers';
import { SettlementBench } from './settlement.for-spec';

const NAME = 'svc_billing_settlement_gas_tip_share_of_cap';
const GWEI = 10n ** 9n;
const CAP = 200n * GWEI;

it('a server that says far more than usual of gas is believed up to the cap, and that is shown', async () => {
  const bench = await SettlementBench.start();
  const proxy = await ChainProxy.before(bench.anvil.url);
  try {
    const billing = await bench.instance({
      chainRpcUrl: proxy.url,
      settlementMaxFeePerGas: String(CAP),
      settlementLeaseMs: 600_000,
    });
    const shown = async () => {
      await billing.gauges.refresh();
      return (await billing.metrics.getSingleMetric(NAME)?.get())?.values[0]?.value;
    };
    const lastSigned = async () => {
      const [last] = await bench.sql<{ raw: string }>(
        'SELECT raw FROM billing.chain_transaction ORDER BY signed_at DESC LIMIT 1',
      );
      return Transaction.from(last?.raw ?? '');
    };
    const buyer = await bench.buyer(billing.watcher, 10_000_000n);
    await bench.buy(buyer, 700);
    await bench.settle(billing);
    const usual = Number((await lastSigned()).maxPriorityFeePerGas) / Number(CAP);
    expect(await shown()).toBe(usual);
    expect(usual).toBeLessThan(0.01);
    proxy.faults.set('eth_maxPriorityFeePerGas', () => toQuantity(1_000_000n * GWEI));
    await bench.buy(buyer, 700);
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 700', 'settled 1 1 700']);
    expect(await lastSigned()).toMatchObject({ maxFeePerGas: CAP, maxPriorityFeePerGas: CAP });
    expect(await shown()).toBe(1);
  } finally {
    proxy.close();
    await bench.close();
  }
});

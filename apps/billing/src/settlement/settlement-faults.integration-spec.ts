import { ChainProxy, NodeRefusal, eventually } from '@svc/testing';
import { Transaction, Wallet, toQuantity } from 'ethers';
import type { HDNodeWallet } from 'ethers';
import { untilReadable } from '../ledger/ledger.for-spec';
import { BatchPlanner } from './batch-planner.service';
import { CONFIRMATIONS, SettlementBench, mined } from './settlement.for-spec';
import type { Buyer, Instance } from './settlement.for-spec';
import { ChainGateway } from './signer/chain-gateway';

const USDC = 1_000_000n;
const GWEI = 10n ** 9n;

let bench: SettlementBench;
let billing: Instance;
let proxy: ChainProxy;
let buyer: Buyer;

beforeEach(async () => {
  bench = await SettlementBench.start();
  proxy = await ChainProxy.before(bench.anvil.url);
  billing = await bench.instance({ chainRpcUrl: proxy.url, settlementBumpMs: 3_600_000 });
  buyer = await bench.buyer(billing.watcher, 10n * USDC);
});
afterEach(async () => {
  await bench.settle(billing);
  const differences = await billing.reconciliation.reconcile('full');
  proxy.close();
  await bench.close();
  expect(differences).toEqual([]);
});

const pulled = () => bench.contract.pulled(buyer.wallet);
const transactions = () =>
  bench.sql<{ tx_hash: string; nonce: string; raw: string; broadcast: boolean }>(
    `SELECT tx_hash, nonce::text, raw, broadcast_at IS NOT NULL AS broadcast
     FROM billing.chain_transaction ORDER BY signed_at`,
  );
/** What was signed, oldest first. */
const stored = async () => (await transactions()).map(({ raw }) => Transaction.from(raw));
/** The most that a transaction may take of its signer, wei. */
const costOf = (transaction?: Transaction) =>
  (transaction?.gasLimit ?? 0n) * (transaction?.maxFeePerGas ?? 0n);
/** As geth does beyond --rpc.txfeecap; but the proxy lets the server hear of it all the same. */
const refusesAbove =
  (feeCap: bigint) =>
  (result: unknown, [raw]: unknown[]): unknown => {
    const cost = costOf(Transaction.from(String(raw)));
    if (cost <= feeCap) return result;
    throw new NodeRefusal(-32_000, `tx fee (${cost} wei) exceeds the configured cap (${feeCap} wei)`);
  };
/** With gas and its role. */
async function anotherSettler(): Promise<HDNodeWallet> {
  const next = Wallet.createRandom();
  await bench.provider.send('anvil_setBalance', [next.address, toQuantity(10n ** 18n)]);
  await mined(bench.contract.grantRole(await bench.contract.SETTLER_ROLE(), next.address));
  return next;
}
const nonce = () => bench.provider.getTransactionCount(bench.settler.address, 'latest');

describe('a batch', () => {
  it('is sent as it was stored by the next process, when the first died in between', async () => {
    proxy.faults.set('eth_sendRawTransaction', 'swallow');
    await bench.buy(buyer, 700);
    await bench.turn(billing);
    expect(billing.status.condition.state).toBe('unknown');
    expect(await bench.batches()).toEqual(['signed 1 1 700']);
    await billing.stop();
    proxy.faults.clear();
    billing = await bench.instance({ chainRpcUrl: proxy.url });
    const [before] = await transactions();
    await bench.settle(billing);
    expect(await transactions()).toEqual([before]);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
    expect(await pulled()).toBe(700n);
  });

  it('is not done again when nobody said that it was done', async () => {
    proxy.faults.set('eth_sendRawTransaction', 'lose_answer');
    await bench.buy(buyer, 700);
    await bench.turn(billing);
    expect(billing.status.condition.state).toBe('unknown');
    expect(proxy.treated).toHaveLength(1);
    await bench.mine(CONFIRMATIONS);
    await bench.turn(billing, 2);
    expect(proxy.treated).toHaveLength(1);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
    expect(await pulled()).toBe(700n);
  });

  it('pulls once, however often and by whomever it is sent', async () => {
    await bench.buy(buyer, 700);
    await bench.turn(billing);
    const [sent] = await bench.sql<{ batch_id: string }>('SELECT batch_id FROM billing.settlement_batch');
    const [due] = await bench.sql<{ cumulative: string; payer_root: string }>(
      'SELECT cumulative, payer_root FROM billing.settlement_due',
    );
    const again = bench.contract.connect(bench.settler) as typeof bench.contract;
    const dues = [
      { payer: buyer.wallet, cumulative: BigInt(due?.cumulative ?? 0), root: due?.payer_root ?? '' },
    ];
    await mined(again.settle(sent?.batch_id ?? '', dues));
    await mined(again.settle(sent?.batch_id ?? '', dues));
    await bench.settle(billing);
    expect(await pulled()).toBe(700n);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
    await bench.buy(buyer, 50);
    await bench.settle(billing);
    expect(await pulled()).toBe(750n);
  });

  it('pays more for its place when no block takes it, with the same nonce, and never twice', async () => {
    await billing.stop();
    billing = await bench.instance({ chainRpcUrl: proxy.url, settlementBumpMs: 1 });
    await bench.automine(false);
    await bench.buy(buyer, 700);
    await bench.turn(billing, 3);
    const sent = await transactions();
    expect(sent.length).toBeGreaterThanOrEqual(3);
    expect(new Set(sent.map((each) => each.nonce)).size).toBe(1);
    expect(sent.every(({ broadcast }) => broadcast)).toBe(true);
    await bench.automine(true);
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
    expect(await pulled()).toBe(700n);
    // All its other variants are dead.
    for (const { raw } of sent)
      await bench.provider.send('eth_sendRawTransaction', [raw]).catch(() => undefined);
    await bench.mine(1);
    expect(await pulled()).toBe(700n);
    const [batch] = await bench.sql<{ gas_cost: string | null }>(
      'SELECT gas_cost FROM billing.settlement_batch',
    );
    expect(Number(batch?.gas_cost)).toBeGreaterThan(0);
  });

  it('is signed anew when something else took its nonce', async () => {
    proxy.faults.set('eth_sendRawTransaction', 'swallow');
    await bench.buy(buyer, 700);
    await bench.turn(billing);
    const before = await nonce();
    await (await bench.settler.sendTransaction({ to: bench.treasury, value: 1n })).wait();
    expect(await nonce()).toBe(before + 1);
    proxy.faults.clear();
    await bench.turn(billing);
    await bench.settle(billing);
    expect((await transactions()).map((each) => Number(each.nonce))).toEqual([before, before + 1]);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
    expect(await pulled()).toBe(700n);
  });

  it('is signed anew at once by a new key, when the one that signed it has lost its role and its gas', async () => {
    proxy.faults.set('eth_sendRawTransaction', 'swallow');
    await bench.buy(buyer, 700);
    await bench.turn(billing);
    await billing.stop();
    proxy.faults.clear();
    const next = await anotherSettler();
    const role = await bench.contract.SETTLER_ROLE();
    await mined(bench.contract.revokeRole(role, bench.settler.address));
    await bench.provider.send('anvil_setBalance', [bench.settler.address, '0x0']);
    billing = await bench.instance({ settlerKey: next.privateKey, settlementBumpMs: 3_600_000 });
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
    expect((await stored()).map(({ from }) => from)).toEqual([bench.settler.address, next.address]);
  });

  it('waits, and says so, while the signer cannot pay for gas', async () => {
    await bench.provider.send('anvil_setBalance', [bench.settler.address, '0x1']);
    await bench.buy(buyer, 700);
    await bench.turn(billing);
    expect(billing.status.condition.state).toBe('insufficient_gas');
    expect(await bench.batches()).toEqual([]);
    await bench.provider.send('anvil_setBalance', [bench.settler.address, '0x8ac7230489e80000']);
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
  });

  it('is not replaced by what the signer cannot pay for, and costs less once gas does', async () => {
    await billing.stop();
    billing = await bench.instance({ chainRpcUrl: proxy.url, settlementBumpMs: 1 });
    await bench.automine(false);
    await bench.buy(buyer, 700);
    await bench.turn(billing);
    const [first] = await stored();
    // As much as this one may take, and no more.
    await bench.provider.send('anvil_setBalance', [bench.settler.address, toQuantity(costOf(first))]);
    await bench.turn(billing, 3);
    expect(billing.status.condition.state).toBe('insufficient_gas');
    expect(await stored()).toEqual([first]);
    // Half of it is gone, as is what the server knew of the transaction.
    await bench.provider.send('anvil_setBalance', [bench.settler.address, toQuantity(costOf(first) / 2n)]);
    await bench.provider.send('anvil_dropAllTransactions', []);
    await bench.turn(billing);
    expect(billing.status.condition.state).toBe('insufficient_gas');
    proxy.faults.set('eth_maxPriorityFeePerGas', () => '0x1');
    await bench.turn(billing);
    expect(billing.status.condition.state).toBe('in_flight');
    await bench.automine(true);
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
  });

  it('is signed anew for less when the server finds the fee too high, once gas costs less', async () => {
    proxy.faults.set('eth_sendRawTransaction', refusesAbove(10n ** 15n));
    await bench.automine(false);
    await bench.provider.send('anvil_setNextBlockBaseFeePerGas', [toQuantity(50n * GWEI)]);
    await bench.mine(1);
    await bench.buy(buyer, 700);
    await bench.turn(billing);
    expect(billing.status.condition.state).toBe('fee_above_cap');
    await bench.turn(billing, 2);
    expect(billing.status.condition.state).toBe('fee_above_cap');
    // The proxy lets the server hear of it all the same.
    await bench.provider.send('anvil_dropAllTransactions', []);
    await bench.provider.send('anvil_setNextBlockBaseFeePerGas', [toQuantity(1n)]);
    await bench.mine(1);
    await bench.turn(billing);
    expect(billing.status.condition.state).toBe('in_flight');
    await bench.automine(true);
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
    expect(new Set((await stored()).map((each) => each.nonce)).size).toBe(1);
  });

  it('goes on as it was when the server finds the raised one too dear, which no restart raises again', async () => {
    await billing.stop();
    const raising = { chainRpcUrl: proxy.url, settlementBumpMs: 1 };
    billing = await bench.instance(raising);
    await bench.automine(false);
    await bench.buy(buyer, 700);
    await bench.turn(billing);
    const [first] = await stored();
    const handed: unknown[] = [];
    proxy.faults.set('eth_sendRawTransaction', (result, parameters) => {
      handed.push(...parameters);
      return refusesAbove(costOf(first))(result, parameters);
    });
    // So that what is usual is hardly less than what is refused.
    proxy.faults.set('eth_maxPriorityFeePerGas', () => toQuantity((first?.maxFeePerGas ?? 0n) * 2n));
    await bench.turn(billing);
    expect(billing.status.condition.state).toBe('fee_above_cap');
    const variants = await stored();
    expect(variants).toHaveLength(2);
    for (let restart = 0; restart < 2; restart++) {
      await billing.stop();
      billing = await bench.instance(raising);
      await bench.turn(billing, 2);
      expect(billing.status.condition.state).toBe('fee_above_cap');
    }
    expect(await stored()).toEqual(variants);
    // The server has forgotten all of it.
    await bench.provider.send('anvil_dropAllTransactions', []);
    handed.length = 0;
    await bench.turn(billing);
    expect(handed).toEqual(variants.map(({ serialized }) => serialized).reverse());
    proxy.faults.clear();
    await bench.automine(true);
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
    expect(await stored()).toEqual(variants);
  });

  it.each<[string, (receipt: unknown) => unknown]>([
    [
      'refuses to tell',
      () => {
        throw new NodeRefusal(-32_000, 'transaction indexing is in progress');
      },
    ],
    ['tells the half of', (receipt) => Object.assign(receipt as object, { effectiveGasPrice: undefined })],
  ])('is settled also where the server %s what it cost', async (_, answer) => {
    proxy.faults.set('eth_getTransactionReceipt', answer);
    await bench.buy(buyer, 700);
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
    await bench.publish(billing);
    const sql = `SELECT p.state::text, t.job_id IS NOT NULL AS known, p.gas_cost FROM billing.payout p
                 LEFT JOIN billing.chain_transaction t ON t.tx_hash = p.tx_hash`;
    expect(await bench.sql(sql)).toEqual([{ state: 'settled', known: true, gas_cost: null }]);
  });

  it('is settled with what it cost once the server has time to tell', async () => {
    proxy.faults.set('eth_getTransactionReceipt', () => {
      throw new NodeRefusal(-32_005, 'too many requests');
    });
    await bench.buy(buyer, 700);
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(['mined 1 1 700']);
    proxy.faults.clear();
    await bench.turn(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
    const [batch] = await bench.sql<{ gas_cost: string }>('SELECT gas_cost FROM billing.settlement_batch');
    expect(Number(batch?.gas_cost)).toBeGreaterThan(0);
  });

  it('asks for no more gas than a block has', async () => {
    await bench.provider.send('evm_setBlockGasLimit', ['0x493e0']);
    await bench.mine(1);
    await bench.buy(buyer, 700);
    await bench.turn(billing);
    expect(billing.status.condition.state).toBe('in_flight');
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
  });

  it('asks for less gas when it is signed anew after blocks have become smaller', async () => {
    await billing.stop();
    billing = await bench.instance({ chainRpcUrl: proxy.url, settlementBumpMs: 1 });
    await bench.automine(false);
    await bench.buy(buyer, 700);
    await bench.turn(billing);
    await bench.provider.send('anvil_dropAllTransactions', []);
    await bench.provider.send('evm_setBlockGasLimit', ['0x493e0']);
    await bench.mine(1);
    await bench.turn(billing);
    const [first, second] = await stored();
    expect(first?.gasLimit).toBeGreaterThan(300_000n);
    // Less than all of a block: the next may be smaller still.
    expect(second?.gasLimit).toBe(281_250n);
    await bench.automine(true);
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
  });

  it('goes on saying why it waits between one attempt and the next', async () => {
    await billing.stop();
    // As by day: an attempt now, because the buyer owes half of what it may, and a rest of some seconds after it.
    billing = await bench.instance({ settlementIntervalMs: 3_600_000, unsettledCap: '1000' });
    await mined(bench.contract.pause());
    await bench.buy(buyer, 700);
    const refused = { state: 'refused', detail: 'EnforcedPause' };
    await bench.turn(billing);
    expect(billing.status.condition).toEqual(refused);
    await bench.turn(billing);
    expect(billing.status.condition).toEqual(refused);
    await mined(bench.contract.unpause());
  });

  it('waits while gas costs more than allowed, and while the contract or the token is paused', async () => {
    await billing.stop();
    billing = await bench.instance({ chainRpcUrl: proxy.url, settlementMaxFeePerGas: '1' });
    await bench.buy(buyer, 700);
    await bench.turn(billing);
    expect(billing.status.condition.state).toBe('fee_above_cap');
    await billing.stop();
    billing = await bench.instance({ chainRpcUrl: proxy.url });
    await mined(bench.contract.pause());
    await bench.turn(billing);
    expect(billing.status.condition).toEqual({ state: 'refused', detail: 'EnforcedPause' });
    await mined(bench.contract.unpause());
    await mined(bench.token.pause());
    await bench.turn(billing);
    expect(billing.status.condition.state).toBe('token_stopped');
    // It is asked again, and no batch is planned for it.
    const asked = jest.spyOn(ChainGateway.prototype, 'isTokenStopped');
    const planned = jest.spyOn(BatchPlanner.prototype, 'plan');
    await eventually(async () => {
      await bench.turn(billing);
      return asked.mock.calls.length > 1;
    });
    expect(billing.status.condition.state).toBe('token_stopped');
    expect(planned).not.toHaveBeenCalled();
    jest.restoreAllMocks();
    await mined(bench.token.unpause());
    expect(await bench.batches()).toEqual([]);
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ failed: false, settled: '700' });
  });

  it('goes on after the chain was away', async () => {
    await bench.buy(buyer, 700);
    proxy.faults.set('eth_chainId', 'swallow');
    await bench.turn(billing);
    expect(billing.status.condition.state).toBe('failing');
    proxy.faults.clear();
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
  });
});

describe('whom a failed pull is held against', () => {
  it('a payer that the token has blacklisted, until it is let go', async () => {
    const other = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 700);
    await bench.buy(other, 300);
    await mined(bench.token.blacklist(buyer.wallet));
    await bench.settle(billing);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '0', failed: true });
    expect(await bench.figures(other.wallet)).toMatchObject({ settled: '300', failed: false });
    await mined(bench.token.unBlacklist(buyer.wallet));
    await bench.settle(billing);
    await bench.settle(billing);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '700', failed: false });
  });

  /** A batch that no payer can pay; its block is the newest. */
  async function batchWhileTokenIsPaused(): Promise<void> {
    await bench.automine(false);
    await bench.buy(buyer, 700);
    await bench.turn(billing);
    // Before it in the same block.
    await bench.token.pause({ maxPriorityFeePerGas: 10n ** 12n, maxFeePerGas: 10n ** 13n });
    await bench.mine(1);
    await bench.automine(true);
  }

  it('nobody while the token is paused', async () => {
    await batchWhileTokenIsPaused();
    await bench.settle(billing);
    expect((await bench.batches())[0]).toBe('settled 1 1 700');
    expect(await pulled()).toBe(0n);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '0', failed: false });
    await mined(bench.token.unpause());
    await bench.settle(billing);
    await bench.settle(billing);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '700', failed: false });
  });

  it('nobody where nobody can tell any more whether the token was paused', async () => {
    const pruned = await bench.laggard();
    await batchWhileTokenIsPaused();
    const block = await bench.provider.getBlock('latest');
    // So that nothing else is asked about that block.
    await bench.mine(CONFIRMATIONS + 1);
    await billing.watcher.poll();
    proxy.answerSomeFrom(pruned.url, String(block?.hash));
    await billing.settlement.tick();
    expect((await bench.batches())[0]).toBe('settled 1 1 700');
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '0', failed: false });
    proxy.answerFrom(bench.anvil.url);
    await mined(bench.token.unpause());
    await bench.settle(billing);
    await bench.settle(billing);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '700', failed: false });
  });

  it('nobody while a cap of the day is used up', async () => {
    await mined(bench.contract.setCaps({ payerDay: 500n, allDay: 10n ** 12n, payoutDay: 0n }));
    await bench.buy(buyer, 700);
    await bench.settle(billing);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '500', failed: false });
    await mined(bench.contract.setCaps({ payerDay: 10n ** 9n, allDay: 10n ** 12n, payoutDay: 0n }));
    await bench.settle(billing);
    await bench.settle(billing);
    expect(await bench.figures(buyer.wallet)).toMatchObject({ settled: '700', failed: false });
  });
});

describe('two instances', () => {
  it('cannot both sign: who lost the lease meanwhile stores nothing', async () => {
    await bench.buy(buyer, 100);
    await billing.watcher.poll();
    // Somebody else takes it while this one makes its batch.
    await bench.sql(`CREATE FUNCTION billing.take_lease() RETURNS trigger LANGUAGE plpgsql AS $$
                     BEGIN NEW.holder := 'another'; RETURN NEW; END $$`);
    await bench.sql(`CREATE TRIGGER take_lease BEFORE INSERT ON billing.signer_lease
                     FOR EACH ROW EXECUTE FUNCTION billing.take_lease()`);
    await bench.turn(billing);
    expect(billing.status.condition).toEqual({ state: 'failing', detail: 'the lease ran out in a step' });
    expect(await bench.batches()).toEqual([]);
    expect(await transactions()).toEqual([]);
    await bench.sql('DROP TRIGGER take_lease ON billing.signer_lease');
    await bench.sql('DELETE FROM billing.signer_lease');
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 100']);
  });

  it('have one signer however long its step takes: it renews its lease meanwhile', async () => {
    await billing.stop();
    // Renewed every two seconds: who stands still for less than the six that are left loses nothing.
    const lease = { settlementLeaseMs: 8_000 };
    billing = await bench.instance({ chainRpcUrl: proxy.url, ...lease });
    const other = await bench.instance(lease);
    await bench.buy(buyer, 100);
    await untilReadable(bench);
    await billing.watcher.poll();
    // No plan without it.
    await bench.sql('BEGIN');
    await bench.sql(`SELECT FROM billing.projection FOR UPDATE`);
    const step = billing.settlement.tick();
    const until = async () => {
      const [row] = await bench.sql<{ until: Date }>('SELECT lease_until AS until FROM billing.signer_lease');
      return row?.until.getTime() ?? 0;
    };
    await eventually(async () => (await until()) > 0);
    const first = await until();
    // More than once, so that it is not over with the second lease either.
    await eventually(async () => (await until()) > first + 3_000);
    await other.settlement.tick();
    expect(other.status.condition.state).toBe('standby');
    await bench.sql('COMMIT');
    await step;
    expect(billing.status.condition.state).toBe('in_flight');
    await other.stop();
  });

  it('with a key each send a batch once, by the key that signed it as long as that gets it anywhere', async () => {
    const next = await anotherSettler();
    const other = await bench.instance({ settlerKey: next.privateKey, settlementBumpMs: 3_600_000 });
    await bench.automine(false);
    await bench.buy(buyer, 700);
    await bench.turn(billing);
    // However long this takes on a slow machine.
    await bench.sql(`UPDATE billing.signer_lease SET lease_until = now() + interval '1 hour'`);
    await bench.turn(other, 2);
    expect(other.status.condition.state).toBe('in_flight');
    const signers = async () => (await stored()).map(({ from }) => from);
    expect(await signers()).toEqual([bench.settler.address]);
    // Neither does it wait for one that gets nowhere.
    await bench.sql(`UPDATE billing.chain_transaction SET signed_at = now() - interval '2 hours'`);
    await bench.turn(other);
    expect(await signers()).toEqual([bench.settler.address, next.address]);
    await bench.automine(true);
    await bench.settle(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 700']);
    expect(await pulled()).toBe(700n);
    await other.stop();
  });

  it('have one signer, and the other takes over', async () => {
    const other = await bench.instance();
    await bench.buy(buyer, 100);
    // Else whoever has the lease may find nothing to collect yet.
    await untilReadable(bench);
    await billing.watcher.poll();
    await Promise.all([billing.settlement.tick(), other.settlement.tick()]);
    const states = [billing, other].map(({ status }) => status.condition.state);
    expect(states.sort()).toEqual(['in_flight', 'standby']);
    await bench.mine(CONFIRMATIONS);
    await bench.turn(billing, 2);
    await bench.turn(other, 2);
    expect(await bench.batches()).toEqual(['settled 1 1 100']);
    await billing.stop();
    await bench.buy(buyer, 50);
    await bench.settle(other);
    expect(await bench.batches()).toEqual(['settled 1 1 100', 'settled 1 1 50']);
    expect(await pulled()).toBe(150n);
    await other.stop();
    billing = await bench.instance();
  });
});

import { DEFAULT_CAPS, settlementCreation } from '@svc/contracts-evm';
import { localChainId } from '@svc/local-servers';
import { createPrismaClient } from '@svc/persistence';
import { Wallet } from 'ethers';
import { ChainConnection, isMisfit } from '../chain/chain-connection';
import { ContractStore } from '../chain/contract.store';
import { CONFIRMATIONS, MNEMONIC_KEYS, SettlementBench, mined } from './settlement.for-spec';
import type { Instance } from './settlement.for-spec';
import { conditionOf } from './settlement-state';

const USDC = 1_000_000n;

let bench: SettlementBench;

beforeEach(async () => {
  bench = await SettlementBench.start();
});
afterEach(() => bench.close());

/** A contract for the same token with a treasury of its own, as somebody deploys it who needs another treasury. */
async function anotherContract(): Promise<string> {
  const [settler, payer] = [
    new Wallet(MNEMONIC_KEYS.settler).address,
    new Wallet(MNEMONIC_KEYS.payer).address,
  ];
  const admin = bench.deployer.address;
  const data = settlementCreation({
    usdc: bench.contracts.usdc,
    treasury: Wallet.createRandom().address,
    admin,
    settler,
    payer,
    pauser: admin,
    caps: DEFAULT_CAPS,
  });
  const receipt = await (await bench.deployer.sendTransaction({ data })).wait();
  return receipt?.contractAddress ?? '';
}

const transfers = () =>
  bench.sql('SELECT kind::text, amount::text FROM billing.transfer ORDER BY created_at, leg');

describe('a ledger', () => {
  it('belongs to one contract: with another of the same token billing does not start, and collects nothing again', async () => {
    const billing = await bench.instance();
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 4_000);
    await bench.settle(billing);
    const before = [await bench.figures(buyer.wallet), await transfers(), await bench.batches()];
    expect(before).toEqual([
      expect.objectContaining({ settled: '4000' }),
      expect.anything(),
      ['settled 1 1 4000'],
    ]);
    await billing.stop();

    const chainSettlementAddress = await anotherContract();
    await mined(buyer.token.approve(chainSettlementAddress, 10n * USDC));
    await bench.mine(2);
    const started = bench.instance({ chainSettlementAddress }).then((instance) => bench.turn(instance, 2));
    await expect(started).rejects.toThrow(
      `the CHAIN_ settings do not fit: the ledger belongs to the contract ${bench.contracts.settlement.toLowerCase()} (`,
    );
    expect([await bench.figures(buyer.wallet), await transfers(), await bench.batches()]).toEqual(before);
    expect(await buyer.token.balanceOf(buyer.wallet)).toBe(10n * USDC - 4_000n);

    const again = await bench.instance();
    await bench.turn(again);
    expect(await again.reconciliation.reconcile('full')).toEqual([]);
  });

  it('that is new belongs to the contract of one of those that start at once', async () => {
    const other = await anotherContract();
    const addresses = [bench.contracts.settlement, other, bench.contracts.settlement, other];
    const starts = await Promise.allSettled(
      addresses.map((chainSettlementAddress) => bench.instance({ chainSettlementAddress })),
    );
    const [bound] = await bench.sql<{ settlement: string }>('SELECT settlement FROM billing.chain_contract');
    expect(starts.map(({ status }) => status === 'fulfilled')).toEqual(
      addresses.map((address) => address.toLowerCase() === bound?.settlement),
    );
    for (const start of starts) if (start.status === 'fulfilled') await polled(start.value);
  });

  it('is kept for its contract by whoever finds the chain away at the start', async () => {
    await (await bench.instance()).stop();
    const prisma = createPrismaClient(bench.ledger.database.billingUrl);
    const { url: rpcUrl } = bench.anvil;
    const [{ usdc }, settlement] = [bench.contracts, await anotherContract()];
    const options = { rpcUrl, chainId: localChainId, usdc, settlement, confirmations: CONFIRMATIONS };
    // As watcher and settlement do, step by step, once it answers.
    const late = new ChainConnection(options, new ContractStore(prisma));
    const error: unknown = await late.open().catch((thrown: unknown) => thrown);
    expect([isMisfit(error), conditionOf(error)]).toEqual([true, { state: 'wrong_chain' }]);
    await prisma.$disconnect();
  });
});

async function polled({ watcher }: Instance): Promise<void> {
  await watcher.poll();
  expect(await watcher.readiness.check()).toMatchObject({ up: true });
}

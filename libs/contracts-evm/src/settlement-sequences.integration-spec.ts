import * as fc from 'fast-check';
import { isError } from 'ethers';
import type { JsonRpcSigner } from 'ethers';
import { testUsdcAt } from './index';
import type { Due } from './index';
import { bytes32, deployFresh, due, mined, startPrivateChain } from './private-chain.for-spec';
import type { Deployment, PrivateChain } from './private-chain.for-spec';

const PAYERS = 3;
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);

type Step =
  | { kind: 'faucet' | 'approve' | 'drain'; payer: number; amount: bigint }
  | { kind: 'blacklist' | 'unBlacklist'; payer: number }
  | { kind: 'pauseToken' | 'unpauseToken' | 'pause' | 'unpause' | 'replay' | 'nextDay' }
  | { kind: 'caps'; payerDay: bigint; allDay: bigint }
  | { kind: 'settle'; dues: { payer: number; cumulative: bigint }[] };

const payer = fc.nat({ max: PAYERS - 1 });
const amount = fc.bigInt({ min: 0n, max: 1_000n });
const settleStep = fc.record({
  kind: fc.constant('settle' as const),
  dues: fc.array(fc.record({ payer, cumulative: fc.bigInt({ min: 0n, max: 3_000n }) }), {
    minLength: 1,
    maxLength: 5,
  }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: settleStep },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('faucet' as const, 'approve', 'drain'), payer, amount }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('blacklist' as const, 'unBlacklist'), payer }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('pauseToken' as const, 'unpauseToken', 'pause', 'unpause', 'replay', 'nextDay'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('caps' as const), payerDay: amount, allDay: amount }),
  },
);

/** What the contract's books say; every amount in base units. */
interface Books {
  ownBalance: bigint;
  treasuryBalance: bigint;
  totalPulled: bigint;
  pulled: bigint[];
}

describe('Settlement under random sequences', () => {
  let chain: PrivateChain;
  let deployment: Deployment;
  let payers: JsonRpcSigner[];

  beforeAll(async () => {
    chain = await startPrivateChain();
    deployment = await deployFresh(chain, { caps: { payerDay: 2_000n, allDay: 5_000n } });
    payers = await Promise.all(Array.from({ length: PAYERS }, (_, index) => chain.signer(index + 1)));
  });
  afterAll(() => chain.stop());

  async function readBooks(): Promise<Books> {
    const { token, contract } = deployment;
    const [ownBalance, treasuryBalance, totalPulled, ...pulled] = await Promise.all([
      token.balanceOf(deployment.settlement),
      token.balanceOf(deployment.treasury),
      contract.totalPulled(),
      ...payers.map(({ address }) => contract.pulled(address)),
    ]);
    return { ownBalance, treasuryBalance, totalPulled, pulled };
  }

  interface Batch {
    id: string;
    dues: Due[];
  }
  const payerAt = (index: number) => payers[index] as JsonRpcSigner;

  /** Takes the step; a refusal by a contract is part of the game. */
  async function take(taken: Step, batches: Batch[]): Promise<void> {
    try {
      await perform(taken, batches);
    } catch (error) {
      if (!isError(error, 'CALL_EXCEPTION')) throw error;
    }
  }

  async function perform(taken: Step, batches: Batch[]): Promise<unknown> {
    const { token, contract, usdc, settlement } = deployment;
    switch (taken.kind) {
      case 'faucet':
        return mined(token.faucet(payerAt(taken.payer).address, taken.amount));
      case 'approve':
        return mined(testUsdcAt(usdc, payerAt(taken.payer)).approve(settlement, taken.amount));
      case 'drain':
        return mined(testUsdcAt(usdc, payerAt(taken.payer)).transfer(usdc, taken.amount));
      case 'blacklist':
      case 'unBlacklist':
        return mined(token[taken.kind](payerAt(taken.payer).address));
      case 'pauseToken':
        return mined(token.pause());
      case 'unpauseToken':
        return mined(token.unpause());
      case 'pause':
      case 'unpause':
        return mined(contract[taken.kind]());
      case 'caps':
        return mined(contract.setCaps({ payerDay: taken.payerDay, allDay: taken.allDay }));
      case 'nextDay':
        return chain.provider.send('evm_increaseTime', [86_400]);
      case 'replay':
        for (const { id, dues } of batches.slice(-2).reverse()) await mined(contract.settle(id, dues));
        return;
      case 'settle': {
        const dues = taken.dues.map((line) => due(payerAt(line.payer).address, line.cumulative));
        batches.push({ id: bytes32(batches.length + 1), dues });
        return mined(contract.settle(bytes32(batches.length), dues));
      }
    }
  }

  function check(before: Books, after: Books, batches: Batch[]): void {
    expect(after.ownBalance).toBe(0n);
    expect(after.treasuryBalance).toBe(after.totalPulled);
    expect(after.pulled.reduce((sum, pulled) => sum + pulled, 0n)).toBe(after.totalPulled);
    for (const [index, pulled] of after.pulled.entries()) {
      expect(pulled).toBeGreaterThanOrEqual(before.pulled[index] as bigint);
      const named = batches
        .flatMap(({ dues }) => dues)
        .filter((line) => line.payer === payers[index]?.address);
      const mostEverDue = named.reduce((most, { cumulative }) => (cumulative > most ? cumulative : most), 0n);
      expect(pulled).toBeLessThanOrEqual(mostEverDue);
    }
  }

  it(`holds no tokens, only grows and never pulls beyond what was due (SEED=${SEED})`, async () => {
    const sequences = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const snapshot: unknown = await chain.provider.send('evm_snapshot', []);
      const batches: Batch[] = [];
      let before = await readBooks();
      for (const taken of steps) {
        await take(taken, batches);
        const after = await readBooks();
        check(before, after, batches);
        before = after;
      }
      await chain.provider.send('evm_revert', [snapshot]);
    });
    await fc.assert(sequences, { seed: SEED, numRuns: 40, interruptAfterTimeLimit: 45_000 });
  });
});

import * as fc from 'fast-check';
import { isError } from 'ethers';
import type { JsonRpcSigner } from 'ethers';
import { merkleTree, payoutLeaf, payoutRoot, testUsdcAt } from './index';
import type { Due, Earning, SettlementCaps } from './index';
import { bytes32, deployFresh, due, mined, startPrivateChain } from './private-chain.for-spec';
import type { Deployment, PrivateChain } from './private-chain.for-spec';

/** Accounts by index: payers, then providers, then the treasury and the contract itself. */
const PAYERS = [0, 1, 2];
const PROVIDERS = [3, 4];
const [TREASURY, CONTRACT] = [5, 6];
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const FIRST_CAPS: SettlementCaps = { payerDay: 2_000n, allDay: 5_000n, payoutDay: 1_500n };

type Step =
  | { kind: 'faucet' | 'approve' | 'drain'; account: number; amount: bigint }
  | { kind: 'blacklist' | 'unBlacklist'; account: number }
  | { kind: 'pauseToken' | 'unpauseToken' | 'pause' | 'unpause' | 'replay' | 'nextDay' }
  | ({ kind: 'caps' } & SettlementCaps)
  | { kind: 'settle'; dues: { payer: number; cumulative: bigint }[] }
  | { kind: 'publish'; cumulatives: bigint[] }
  | { kind: 'claim'; provider: number; ofFormerRoot: boolean };

const amount = fc.bigInt({ min: 0n, max: 1_000n });
const total = fc.bigInt({ min: 0n, max: 3_000n });
const anyOf = (...accounts: number[]) => fc.constantFrom(...accounts);
const kind = <const Kind extends string>(...kinds: Kind[]) => fc.constantFrom(...kinds);
const steps: { weight: number; arbitrary: fc.Arbitrary<Step> }[] = [
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind('settle'),
      dues: fc.array(
        fc.record({ payer: anyOf(...PAYERS, ...PAYERS, TREASURY, CONTRACT), cumulative: total }),
        {
          minLength: 1,
          maxLength: 5,
        },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kind('publish'),
      cumulatives: fc.array(total, { minLength: PROVIDERS.length, maxLength: PROVIDERS.length }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind('claim'),
      provider: anyOf(...PROVIDERS),
      ofFormerRoot: fc.nat({ max: 4 }).map((value) => value === 0),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: kind('faucet', 'approve', 'approve', 'drain'),
      account: anyOf(...PAYERS, ...PAYERS, TREASURY),
      amount,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind('blacklist', 'unBlacklist', 'unBlacklist', 'unBlacklist'),
      account: anyOf(...PAYERS, ...PROVIDERS, TREASURY, CONTRACT),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kind(
        'pauseToken',
        'unpauseToken',
        'unpauseToken',
        'pause',
        'unpause',
        'unpause',
        'replay',
        'nextDay',
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kind('caps'), payerDay: total, allDay: total, payoutDay: total }),
  },
];

/** What token and contract say at a block; lists by account, amounts in base units. */
interface Books {
  day: number;
  paused: boolean;
  tokenPaused: boolean;
  balance: bigint[];
  allowance: bigint[];
  pulled: bigint[];
  paid: bigint[];
  totalPulled: bigint;
  totalPaid: bigint;
}

interface Batch {
  id: string;
  dues: Due[];
}

/** What the test itself has done in this sequence. */
interface Past {
  batches: Batch[];
  published: Earning[][];
  blacklisted: Set<number>;
  caps: SettlementCaps;
  /** As the current day began. */
  morning: Books;
}

const sum = (values: bigint[]) => values.reduce((before, value) => before + value, 0n);
const least = (...values: bigint[]) => values.reduce((one, other) => (other < one ? other : one));
const at = (values: bigint[], index: number) => values[index] as bigint;

describe('Settlement under random sequences', () => {
  let chain: PrivateChain;
  let deployment: Deployment;
  let signers: JsonRpcSigner[];
  let addresses: string[];
  const moves = { pulls: 0, payouts: 0 };

  beforeAll(async () => {
    chain = await startPrivateChain();
    signers = await Promise.all([...PAYERS, ...PROVIDERS, TREASURY].map((index) => chain.signer(index + 1)));
    const treasury = signers[TREASURY]?.address as string;
    deployment = await deployFresh(chain, { caps: FIRST_CAPS, treasury });
    addresses = [...signers.map(({ address }) => address), deployment.settlement];
    for (const account of [...PAYERS, TREASURY]) {
      await mined(tokenAs(account).faucet(addressOf(account), 2_000n));
      await mined(tokenAs(account).approve(deployment.settlement, 2_500n));
    }
  });
  afterAll(() => chain.stop());

  const addressOf = (account: number) => addresses[account] as string;
  const tokenAs = (account: number) => testUsdcAt(deployment.usdc, signers[account] as JsonRpcSigner);

  async function readBooks(): Promise<Books> {
    const { token, contract } = deployment;
    const [block, paused, tokenPaused, [, positions], totalPulled, totalPaid, ...paid] = await Promise.all([
      chain.provider.getBlock('latest'),
      contract.paused(),
      token.paused(),
      contract.positionsOf(addresses),
      contract.totalPulled(),
      contract.totalPaid(),
      ...addresses.map((address) => contract.paid(address)),
    ]);
    const day = Math.floor((block?.timestamp ?? 0) / 86_400);
    const balance = positions.map((position) => position[0]);
    const allowance = positions.map((position) => position[1]);
    const pulled = positions.map((position) => position[2]);
    return { day, paused, tokenPaused, balance, allowance, pulled, paid, totalPulled, totalPaid };
  }

  /** Takes the step. @returns whether a contract refused it, which is part of the game */
  async function take(taken: Step, past: Past): Promise<boolean> {
    try {
      await perform(taken, past);
      return false;
    } catch (error) {
      if (!isError(error, 'CALL_EXCEPTION')) throw error;
      return true;
    }
  }

  async function perform(taken: Step, past: Past): Promise<unknown> {
    const { token, contract, usdc, settlement } = deployment;
    switch (taken.kind) {
      case 'faucet':
        return mined(token.faucet(addressOf(taken.account), taken.amount));
      case 'approve':
        return mined(tokenAs(taken.account).approve(settlement, taken.amount));
      case 'drain':
        return mined(tokenAs(taken.account).transfer(usdc, taken.amount));
      case 'blacklist':
        past.blacklisted.add(taken.account);
        return mined(token.blacklist(addressOf(taken.account)));
      case 'unBlacklist':
        past.blacklisted.delete(taken.account);
        return mined(token.unBlacklist(addressOf(taken.account)));
      case 'pauseToken':
        return mined(token.pause());
      case 'unpauseToken':
        return mined(token.unpause());
      case 'pause':
      case 'unpause':
        return mined(contract[taken.kind]());
      case 'caps': {
        const { payerDay, allDay, payoutDay } = taken;
        past.caps = { payerDay, allDay, payoutDay };
        return mined(contract.setCaps(past.caps));
      }
      case 'nextDay':
        return chain.provider.send('evm_increaseTime', [86_400]);
      case 'replay':
        for (const { id, dues } of replayed(past)) await mined(contract.settle(id, dues));
        return;
      case 'settle': {
        const dues = taken.dues.map((line) => due(addressOf(line.payer), line.cumulative));
        past.batches.push({ id: bytes32(past.batches.length + 1), dues });
        return mined(contract.settle(bytes32(past.batches.length), dues));
      }
      case 'publish': {
        const earnings = PROVIDERS.map((provider, index) => ({
          provider: addressOf(provider),
          cumulative: at(taken.cumulatives, index),
        }));
        past.published.push(earnings);
        return mined(contract.publishPayoutRoot(payoutRoot(earnings)));
      }
      case 'claim': {
        const claimed = claimedEarnings(taken.ofFormerRoot, past);
        const index = PROVIDERS.indexOf(taken.provider);
        const { provider, cumulative } = claimed[index] as Earning;
        return mined(contract.claim(provider, cumulative, merkleTree(claimed.map(payoutLeaf)).proof(index)));
      }
    }
  }

  /** The last two batches, the newer one first. */
  const replayed = (past: Past) => past.batches.slice(-2).reverse();

  function claimedEarnings(ofFormerRoot: boolean, { published }: Past): Earning[] {
    const none = PROVIDERS.map((provider) => ({ provider: addressOf(provider), cumulative: 1n }));
    return published.at(ofFormerRoot ? -2 : -1) ?? none;
  }

  /** What a cap leaves of the day, where `now` and `morning` are the same sum at two times. */
  function left(cap: bigint, now: bigint, morning: bigint): bigint {
    return cap > now - morning ? cap - (now - morning) : 0n;
  }

  /** What each account should have been pulled for in all after these batches. */
  function expectPulled(before: Books, past: Past, batches: Batch[]): bigint[] {
    const { caps, blacklisted, morning } = past;
    const [pulled, balance, allowance] = [[...before.pulled], [...before.balance], [...before.allowance]];
    const stuck = before.tokenPaused || blacklisted.has(TREASURY) || blacklisted.has(CONTRACT);
    for (const { payer, cumulative } of batches.flatMap(({ dues }) => dues)) {
      const account = addresses.indexOf(payer);
      const pull = least(
        cumulative - at(pulled, account),
        left(caps.payerDay, at(pulled, account), at(morning.pulled, account)),
        left(caps.allDay, sum(pulled), sum(morning.pulled)),
        at(balance, account),
        at(allowance, account),
      );
      if (pull <= 0n || stuck || account === TREASURY || blacklisted.has(account)) continue;
      pulled[account] = at(pulled, account) + pull;
      balance[account] = at(balance, account) - pull;
      allowance[account] = at(allowance, account) - pull;
    }
    return pulled;
  }

  function expectPaid(before: Books, past: Past, provider: number): bigint[] {
    const { caps, blacklisted, morning, published } = past;
    const earned = published.at(-1)?.[PROVIDERS.indexOf(provider)]?.cumulative ?? 0n;
    const payout = least(
      earned - at(before.paid, provider),
      left(caps.payoutDay, sum(before.paid), sum(morning.paid)),
      at(before.balance, TREASURY),
      at(before.allowance, TREASURY),
    );
    const stuck = [provider, TREASURY, CONTRACT].some((account) => blacklisted.has(account));
    if (payout <= 0n || stuck || before.tokenPaused) return before.paid;
    return before.paid.with(provider, at(before.paid, provider) + payout);
  }

  function isCurrentRoot(ofFormerRoot: boolean, past: Past): boolean {
    const current = past.published.at(-1);
    return current !== undefined && payoutRoot(claimedEarnings(ofFormerRoot, past)) === payoutRoot(current);
  }

  /** What the step should have done to both tallies, and whether it should have been refused, where that matters. */
  function expectation(taken: Step, before: Books, past: Past) {
    const { pulled, paid } = before;
    if (taken.kind === 'settle' || taken.kind === 'replay') {
      const batches = taken.kind === 'settle' ? past.batches.slice(-1) : replayed(past);
      const refused = before.paused && batches.length > 0;
      return { refused, paid, pulled: refused ? pulled : expectPulled(before, past, batches) };
    }
    if (taken.kind === 'claim') {
      const refused = before.paused || !isCurrentRoot(taken.ofFormerRoot, past);
      return { refused, pulled, paid: refused ? paid : expectPaid(before, past, taken.provider) };
    }
    return { refused: taken.kind === 'publish' ? false : undefined, pulled, paid };
  }

  /** @param gift what the treasury was given and has given away besides */
  function checkBooks(before: Books, after: Books, gift: bigint): void {
    expect(at(after.balance, CONTRACT)).toBe(0n);
    expect(sum(after.pulled)).toBe(after.totalPulled);
    expect(sum(after.paid)).toBe(after.totalPaid);
    expect(at(after.balance, TREASURY)).toBe(after.totalPulled - after.totalPaid + gift);
    for (const provider of PROVIDERS) expect(after.balance[provider]).toBe(after.paid[provider]);
    for (const account of addresses.keys()) {
      expect(at(after.pulled, account)).toBeGreaterThanOrEqual(at(before.pulled, account));
      expect(at(after.paid, account)).toBeGreaterThanOrEqual(at(before.paid, account));
    }
  }

  async function play(taken: Step[]): Promise<void> {
    let before = await readBooks();
    const past: Past = {
      batches: [],
      published: [],
      blacklisted: new Set(),
      caps: FIRST_CAPS,
      morning: before,
    };
    let gift = at(before.balance, TREASURY);
    for (const step of taken) {
      const refused = await take(step, past);
      const after = await readBooks();
      if (after.day !== past.morning.day) past.morning = { ...before, day: after.day };
      const expected = expectation(step, before, past);
      if (expected.refused !== undefined) expect(refused).toBe(expected.refused);
      expect(after.pulled).toEqual(expected.pulled);
      expect(after.paid).toEqual(expected.paid);
      if (!refused && step.kind === 'faucet' && step.account === TREASURY) gift += step.amount;
      if (!refused && step.kind === 'drain' && step.account === TREASURY) gift -= step.amount;
      checkBooks(before, after, gift);
      if (after.totalPulled > before.totalPulled) moves.pulls += 1;
      if (after.totalPaid > before.totalPaid) moves.payouts += 1;
      before = after;
    }
  }

  it(`moves exactly what is due, earned, covered and within the caps (SEED=${SEED})`, async () => {
    const sequence = fc.array(fc.oneof(...steps), { minLength: 5, maxLength: 40, size: 'max' });
    const sequences = fc.asyncProperty(sequence, async (taken) => {
      const snapshot: unknown = await chain.provider.send('evm_snapshot', []);
      try {
        await play(taken);
      } finally {
        await chain.provider.send('evm_revert', [snapshot]);
      }
    });
    await fc.assert(sequences, { seed: SEED, numRuns: 40, interruptAfterTimeLimit: 90_000 });
    // A game in which nothing moves would show nothing.
    expect(moves.pulls).toBeGreaterThan(5);
    expect(moves.payouts).toBeGreaterThan(3);
  });
});

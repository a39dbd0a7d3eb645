import { eventually } from '@svc/testing';
import { Wallet } from 'ethers';
import { PROVIDER, admission, charge, newHoldId } from '../../ledger/ledger.for-spec';
import { MNEMONIC_KEYS, SettlementBench, mined } from '../settlement.for-spec';
import type { Instance } from '../settlement.for-spec';

const USDC = 1_000_000n;

let bench: SettlementBench;
let billing: Instance;

beforeAll(async () => {
  bench = await SettlementBench.start();
  billing = await bench.instance();
});
afterAll(() => bench.close());
afterEach(async () => {
  expect(await billing.reconciliation.reconcile('full')).toEqual([]);
});

const publish = () => bench.publish(billing);
const claim = () => bench.claim(billing);

const payouts = () =>
  bench.sql<{ kind: string; amount: string }>(
    `SELECT kind::text, amount::text FROM billing.transfer WHERE kind IN ('payout', 'unpayout') ORDER BY created_at`,
  );

async function released(): Promise<bigint> {
  const [row] = await bench.sql<{ released: string }>('SELECT released::text FROM billing.provider_released');
  return BigInt(row?.released ?? 0);
}

/** One due a call, until nothing is left: what was released after each. */
async function releasedStepByStep(): Promise<bigint[]> {
  const steps: bigint[] = [];
  for (let beyond: string | null = ''; ;) {
    const rows: { last: string | null }[] = await bench.sql('SELECT billing.release_shares($1, 1) AS last', [
      beyond,
    ]);
    beyond = rows[0]?.last ?? null;
    if (beyond === null) return steps;
    const now = await released();
    if (now !== steps.at(-1)) steps.push(now);
    const found = await billing.reconciliation.reconcile('full');
    expect(found.filter(({ rule }) => rule.startsWith('released'))).toEqual([]);
  }
}

describe('payouts', () => {
  it('lets a provider claim what it earned, and books what it claimed', async () => {
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 1_000_000);
    await bench.settle(billing);
    await publish();
    expect(await bench.sql('SELECT state, settled_at IS NOT NULL AS done FROM billing.payout')).toEqual([
      { state: 'settled', done: true },
    ]);
    expect(await payouts()).toEqual([]);
    await claim();
    expect(await bench.token.balanceOf(PROVIDER)).toBe(900_000n);
    expect(await payouts()).toEqual([{ kind: 'payout', amount: '900000' }]);

    await bench.buy(buyer, 500_000);
    await bench.settle(billing);
    await publish();
    await claim();
    expect(await bench.token.balanceOf(PROVIDER)).toBe(1_350_000n);
    expect(await payouts()).toEqual([
      { kind: 'payout', amount: '900000' },
      { kind: 'payout', amount: '450000' },
    ]);
  });

  it('has a provider claim by the root that the chain has, until there is the next one', async () => {
    const paid = await bench.contract.paid(PROVIDER);
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 200_000);
    await bench.settle(billing);
    await publish();
    await bench.buy(buyer, 100_000);
    await bench.settle(billing);
    await billing.projection.project('statements');
    await bench.automine(false);
    await eventually(async () => {
      await bench.mine(1);
      await billing.watcher.poll();
      await billing.payouts.tick();
      return (await bench.sql(`SELECT FROM billing.payout WHERE state = 'signed'`)).length === 1;
    });
    // Nor will it for a while: the node forgets it, and the payer cannot pay for it any more.
    const payer = new Wallet(MNEMONIC_KEYS.payer).address;
    await bench.provider.send('anvil_dropAllTransactions', []);
    await bench.provider.send('anvil_setBalance', [payer, '0x1']);
    await bench.automine(true);
    const { root, state } = await billing.claims.claim({ provider: PROVIDER });
    expect([root, state]).toEqual([await bench.contract.payoutRoot(), 'settled']);
    await claim();
    expect(await bench.contract.paid(PROVIDER)).toBe(paid + 180_000n);
    // Nothing is left to claim by that one.
    expect((await billing.claims.claim({ provider: PROVIDER })).state).toBe('signed');

    await bench.provider.send('anvil_setBalance', [payer, '0x8ac7230489e80000']);
    await eventually(
      async () => {
        await publish();
        return (await bench.contract.payoutRoot()) !== root;
      },
      { timeoutMs: 30_000 },
    );
    await publish();
    await claim();
    expect(await bench.contract.paid(PROVIDER)).toBe(paid + 270_000n);
  });

  it('publishes nothing while nobody earned more', async () => {
    const before = await bench.sql('SELECT payout_id FROM billing.payout');
    await publish();
    expect(await bench.sql('SELECT payout_id FROM billing.payout')).toEqual(before);
  });

  it('publishes its root again where the chain has another, though nobody earned more', async () => {
    const { root } = await billing.claims.claim({ provider: PROVIDER });
    await mined(bench.contract.grantRole(await bench.contract.PAYER_ROLE(), bench.deployer.address));
    await mined(bench.contract.publishPayoutRoot(`0x${'1'.repeat(64)}`));
    await publish();
    expect(await bench.contract.payoutRoot()).toBe(root);
  });

  it('takes a payout back that the chain took back', async () => {
    const before = await bench.contract.paid(PROVIDER);
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 100_000);
    await bench.settle(billing);
    await publish();
    await bench.mine(6);
    await claim();
    await bench.reorganise(5);
    await bench.mine(1);
    await billing.watcher.poll();
    await billing.payouts.tick();
    expect((await payouts()).slice(-2)).toEqual([
      { kind: 'payout', amount: '90000' },
      { kind: 'unpayout', amount: '90000' },
    ]);
    await claim();
    expect(await bench.contract.paid(PROVIDER)).toBe(before + 90_000n);
  });

  it('gives a provider its share of what payers have paid, and of nothing else', async () => {
    const before = await bench.contract.paid(PROVIDER);
    const [honest, thief] = [
      await bench.buyer(billing.watcher, 10n * USDC),
      await bench.buyer(billing.watcher, 10n * USDC),
    ];
    await bench.buy(honest, 2_000_000);
    await bench.buy(thief, 1_000_000);
    await mined(thief.token.approve(bench.contracts.settlement, 300_000n));
    await bench.settle(billing);
    // Charged, and not even asked for.
    await bench.buy(honest, 50_000);
    await publish();
    await claim();
    expect((await bench.figures(thief.wallet)).settled).toBe('300000');
    expect(await bench.contract.paid(PROVIDER)).toBe(before + 1_800_000n);

    await mined(thief.token.approve(bench.contracts.settlement, 10n * USDC));
    await bench.mine(2);
    for (let round = 0; round < 2; round++) await bench.settle(billing);
    await publish();
    await claim();
    expect(await bench.contract.paid(PROVIDER)).toBe(before + 2_745_000n);
  });

  it("gives it nothing of what the platform pays in a payer's place: late posts, and what a credit covered", async () => {
    const before = await bench.contract.paid(PROVIDER);
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    const holdId = newHoldId();
    await bench.ledger.ledger.admit(admission(buyer, 1_000n, holdId));
    await bench.ledger.ledger.resolve({ type: 'void', wallet: buyer.wallet, holdId });
    await bench.ledger.ledger.resolve({ type: 'post', wallet: buyer.wallet, holdId, charge: charge(1_000) });
    await bench.buy(buyer, 4_000);
    await mined(buyer.token.approve(bench.contracts.settlement, 0n));
    await bench.settle(billing);
    await bench.sql(`SELECT billing.credit_wallet($1, 'crd_x', 4000, 'goodwill', 'support')`, [buyer.wallet]);
    await bench.settle(billing);
    await publish();
    expect(await released()).toBe(before);
  });

  it('says what hinders the payer, also between one attempt and the next', async () => {
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 200_000);
    await bench.settle(billing);
    await billing.projection.project('statements');
    const role = await bench.contract.PAYER_ROLE();
    const payer = new Wallet(MNEMONIC_KEYS.payer).address;
    // As by day: an attempt now, because the last root is old, and a rest after it.
    const hindered = async () => {
      await billing.stop();
      billing = await bench.instance({ payoutIntervalMs: 3_600_000 });
      await bench.sql(`UPDATE billing.payout SET created_at = created_at - interval '1 day'`);
      await billing.payouts.tick();
      await billing.payouts.tick();
      const gauge = await billing.metrics.getSingleMetricAsString('svc_billing_payout_signer_state');
      const states = [...gauge.matchAll(/state="(\w+)".* 1$/gm)].map(([, state]) => state);
      expect(states).toEqual([billing.payoutStatus.signer.current.state]);
      return billing.payoutStatus.readiness.check();
    };
    await bench.provider.send('anvil_setBalance', [payer, '0x1']);
    expect(await hindered()).toEqual({ up: true, detail: 'insufficient_gas' });
    await bench.provider.send('anvil_setBalance', [payer, '0x8ac7230489e80000']);
    await mined(bench.contract.revokeRole(role, payer));
    expect(await hindered()).toEqual({ up: true, detail: 'refused: AccessControlUnauthorizedAccount' });
    await mined(bench.contract.grantRole(role, payer));
    expect(await hindered()).toEqual({ up: true, detail: 'in_flight' });
    await billing.stop();
    billing = await bench.instance();
    await publish();
    expect(await billing.payoutStatus.readiness.check()).toEqual({ up: true, detail: 'idle' });
  });

  it('gives it nothing of a charge that was given back before its payer paid', async () => {
    const before = await released();
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    const holdId = newHoldId();
    await bench.ledger.ledger.admit(admission(buyer, 9_000n, holdId));
    const request = { wallet: buyer.wallet, holdId };
    await bench.ledger.ledger.resolve({ type: 'post', ...request, charge: charge(9_000) });
    await bench.ledger.ledger.resolve({ type: 'abandon', ...request, reason: 'undelivered' });
    await bench.buy(buyer, 1_000);
    await bench.settle(billing);
    await publish();
    expect((await bench.figures(buyer.wallet)).settled).toBe('1000');
    expect(await released()).toBe(before + 900n);
  });

  it('takes back what it released when the chain takes back what was pulled, and releases it once again', async () => {
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 100_000);
    const before = await released();
    await bench.settle(billing);
    await publish();
    expect(await released()).toBe(before + 90_000n);
    const settled = 'UPDATE billing.wallet SET settled_safe = settled_safe + $2 WHERE wallet = $1';
    await bench.sql(settled, [buyer.wallet, -100_000]);
    await bench.sql(`SELECT billing.release_shares('', 100)`);
    expect(await released()).toBe(before);
    await bench.sql(settled, [buyer.wallet, 100_000]);
    for (let time = 0; time < 2; time++) await bench.sql(`SELECT billing.release_shares('', 100)`);
    expect(await released()).toBe(before + 90_000n);
  });

  it('keeps nothing of claims that the token refuses, however many, and pays once it does not', async () => {
    const paid = await bench.contract.paid(PROVIDER);
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 100_000);
    await bench.settle(billing);
    await publish();
    const events = () => bench.sql(`SELECT kind FROM billing.settlement_event WHERE wallet = $1`, [PROVIDER]);
    const before = await events();
    await mined(bench.token.blacklist(PROVIDER));
    await claim();
    await claim();
    expect(await bench.contract.paid(PROVIDER)).toBe(paid);
    expect(await events()).toEqual(before);
    await mined(bench.token.unBlacklist(PROVIDER));
    await claim();
    expect(await bench.contract.paid(PROVIDER)).toBeGreaterThanOrEqual(paid + 90_000n);
    expect(await events()).toEqual([...before, { kind: 'paid' }]);
  });

  it('goes through a long backlog due by due, and back', async () => {
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await publish();
    const before = await released();
    for (const amount of [1_000, 2_000, 3_000]) {
      await bench.buy(buyer, amount);
      await bench.settle(billing);
    }
    expect(await releasedStepByStep()).toEqual([900n, 2_700n, 5_400n].map((share) => before + share));
    const settled = 'UPDATE billing.wallet SET settled_safe = settled_safe + $2 WHERE wallet = $1';
    await bench.sql(settled, [buyer.wallet, -6_000]);
    expect(await releasedStepByStep()).toEqual([2_700n, 900n, 0n].map((share) => before + share));
    await bench.sql(settled, [buyer.wallet, 6_000]);
    await releasedStepByStep();
    expect(await released()).toBe(before + 5_400n);
  });
});

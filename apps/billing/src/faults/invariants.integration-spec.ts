import { testUsdcAt } from '@svc/contracts-evm';
import { addWallet, admission, charge, startTestLedger, untilReadable } from '../ledger/ledger.for-spec';
import type { TestLedger, TestWallet } from '../ledger/ledger.for-spec';
import { FaultStack } from './fault-stack.for-spec';
import { violations } from './invariants.for-spec';

let test: TestLedger;
let stack: FaultStack;
let at: TestWallet;
const holds = { posted: '', voided: '', open: '' };

beforeAll(async () => {
  test = await startTestLedger();
  stack = await FaultStack.start({ adminUrl: test.database.adminUrl, billingUrl: test.database.billingUrl });
  at = await addWallet(test, 10_000n);
  for (const kind of ['posted', 'voided', 'open'] as const) {
    const request = admission(at, 100n);
    await test.ledger.admit(request);
    holds[kind] = request.holdId;
    const resolved = { wallet: at.wallet, holdId: request.holdId };
    if (kind === 'posted') await test.ledger.resolve({ type: 'post', ...resolved, charge: charge(40) });
    if (kind === 'voided') await test.ledger.resolve({ type: 'void', ...resolved });
  }
  await untilReadable(test);
  await test.sql('SELECT billing.project_receipts(100), billing.project_statements(100)');
});
afterAll(async () => {
  await stack?.close();
  await test?.close();
});

/** As if no constraint and no trigger stood in the way. */
async function tamper(sql: string): Promise<void> {
  const client = await stack.owner.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(sql.replaceAll(':wallet', at.wallet).replace(/:(posted|voided|open)/g, holdOf));
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

const holdOf = (_: string, kind: string) => holds[kind as keyof typeof holds];
const numbers = async () => new Set((await violations(stack)).map(({ invariant }) => invariant));

describe('what the faults are checked with', () => {
  it('finds nothing wrong with a ledger that is right', async () => {
    expect(await violations(stack)).toEqual([]);
  });

  it.each([
    [
      1,
      'posted of a wallet',
      'UPDATE billing.wallet SET posted = posted + 1',
      'UPDATE billing.wallet SET posted = posted - 1',
    ],
    [
      2,
      'held of a wallet',
      'UPDATE billing.wallet SET held = held + 1',
      'UPDATE billing.wallet SET held = held - 1',
    ],
    [
      2,
      'held of a key',
      'UPDATE billing.key_budget SET held = held + 1',
      'UPDATE billing.key_budget SET held = held - 1',
    ],
    [
      4,
      'the hold of a post',
      `UPDATE billing.transfer SET amount = 39 WHERE reference = ':posted' AND leg IN (0, 1)`,
      `UPDATE billing.transfer SET amount = 100 WHERE reference = ':posted' AND leg IN (0, 1)`,
    ],
    [
      5,
      'a second resolution',
      `INSERT INTO billing.transfer SELECT wallet, reference, 1, 'expire', 'held', 'payer', amount, NULL, key_id
       FROM billing.transfer WHERE reference = ':open' AND leg = 0`,
      `DELETE FROM billing.transfer WHERE reference = ':open' AND leg = 1`,
    ],
    [
      6,
      'an idempotency key of what was not charged',
      `INSERT INTO billing.idempotency VALUES (':wallet', repeat('a', 64), repeat('b', 64), ':voided', now(), now(), now())`,
      `DELETE FROM billing.idempotency`,
    ],
    [
      7,
      'a charge for what failed',
      `INSERT INTO billing.transfer SELECT wallet, reference, 3, 'fee', 'payer', 'platform_fee', 1, NULL, key_id
       FROM billing.transfer WHERE reference = ':voided' AND leg = 0`,
      `DELETE FROM billing.transfer WHERE reference = ':voided' AND leg = 3`,
    ],
    [
      8,
      'a cap below what is spent',
      'UPDATE billing.key_budget SET cap = 1',
      'UPDATE billing.key_budget SET cap = NULL',
    ],
    [
      8,
      'what a key spent',
      'UPDATE billing.key_budget SET spent = 39',
      'UPDATE billing.key_budget SET spent = 40',
    ],
    [9, 'what was pulled before', 'UPDATE watch.pulled SET pulled = 1', 'UPDATE watch.pulled SET pulled = 0'],
    [
      10,
      'what is settled',
      'UPDATE billing.wallet SET settled_safe = 1',
      'UPDATE billing.wallet SET settled_safe = 0',
    ],
    [
      12,
      'a lease that lapsed long ago',
      `UPDATE billing.open_hold SET lease_until = lease_until - interval '1 hour'`,
      `UPDATE billing.open_hold SET lease_until = lease_until + interval '1 hour'`,
    ],
    [
      13,
      'a transfer',
      `UPDATE billing.transfer SET created_at = created_at - interval '1 second' WHERE reference = ':posted'`,
      `UPDATE billing.transfer SET created_at = created_at + interval '1 second' WHERE reference = ':posted'`,
    ],
    [
      14,
      'a receipt',
      'UPDATE billing.usage_record SET provider_share = provider_share - 1',
      'UPDATE billing.usage_record SET provider_share = provider_share + 1',
    ],
  ])('names %i when somebody tampers with %s', async (invariant, _, wrong, right) => {
    await stack.sql(`UPDATE billing.open_hold SET lease_until = now() + interval '1 minute'`);
    await tamper(wrong);
    expect(await numbers()).toContain(invariant);
    await tamper(right);
    // What was tampered with is remembered too.
    await stack.sql('DELETE FROM watch.seen');
    expect(await violations(stack)).toEqual([]);
  });

  it('names 3 for an admission that should not have been, and 11 for tokens in the contract', async () => {
    await stack.sql('UPDATE billing.wallet SET limit_head = 0');
    await stack.sql(
      `INSERT INTO billing.open_hold (wallet, hold_id, key_id, model, amount, lease_until)
       SELECT wallet, 'req_unfounded', key_id, model, amount, lease_until FROM billing.open_hold`,
    );
    expect(await numbers()).toContain(3);
    const faucet = testUsdcAt(stack.contracts.usdc, await stack.chain.getSigner(0));
    await (await faucet.faucet(stack.contracts.settlement, 1n)).wait();
    expect(await numbers()).toContain(11);
  });
});

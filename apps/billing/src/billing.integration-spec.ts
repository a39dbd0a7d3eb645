import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTLEMENT_QUEUE, billingContracts } from '@svc/contracts';
import type { AdmittedHold, SettleHoldRequest } from '@svc/contracts';
import { connectChain, deployContracts, testUsdcAt } from '@svc/contracts-evm';
import type { DeployedContracts } from '@svc/contracts-evm';
import { freePort, localChainId, startAnvil } from '@svc/local-servers';
import type { LocalServer } from '@svc/local-servers';
import { RpcClient } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { createLogger } from '@svc/observability';
import { listenService } from '@svc/service-host';
import type { ListeningService } from '@svc/service-host';
import { PrivateNats, createTestDatabase, eventually, waitLongFor } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { NonceManager, Wallet } from 'ethers';
import type { ContractTransactionResponse, JsonRpcProvider } from 'ethers';
import { Client } from 'pg';
import { AppModule } from './app.module';
import { BillingConfig } from './billing.config';
import { newHoldId, usageOf } from './ledger/ledger.for-spec';

/** Long enough that nothing lapses because a machine is slow; where a lease is to lapse, the spec lets it. */
const LEASE_MS = 10_000;
const PATIENCE_MS = 30_000;
const CONFIRMATIONS = 2;
const USDC = 1_000_000n;

let directory: string;
let chainPort: number;
let nats: PrivateNats;
let anvil: LocalServer;
let provider: JsonRpcProvider;
let contracts: DeployedContracts;
let database: TestDatabase;
let messaging: Messaging;
let billing: ListeningService;
let gateway: RpcClient;
let dispatch: RpcClient;
let setup: RpcClient;

const startChain = () => startAnvil({ dataDir: join(directory, 'chain'), port: chainPort });

function configOf(changes: Partial<BillingConfig> = {}): BillingConfig {
  return Object.assign(new BillingConfig(), {
    httpPort: 0,
    databaseUrl: database.billingUrl,
    chainRpcUrl: anvil.url,
    chainId: localChainId,
    chainUsdcAddress: contracts.usdc,
    chainSettlementAddress: contracts.settlement,
    chainConfirmations: CONFIRMATIONS,
    chainPollMs: 50,
    holdLeaseMs: LEASE_MS,
    ...changes,
  });
}

async function startBilling(changes: Partial<BillingConfig> = {}): Promise<ListeningService> {
  messaging = await nats.connectAs('billing');
  const logger = createLogger('billing', process.env.BILLING_TEST_LOG ?? 'silent');
  const parts = { config: configOf(changes), logger, messaging };
  return listenService({ module: (given) => AppModule.forService(given) }, parts);
}

/** In the order in which a signal stops the process. */
async function stop({ app, strategy }: ListeningService): Promise<void> {
  await strategy.close();
  await app.close();
}

const mined = async (sent: Promise<ContractTransactionResponse>) => (await sent).wait();
const mine = (blocks: number) => provider.send('anvil_mine', [`0x${blocks.toString(16)}`]);

/** An account of the chain with so much test USDC, all of it approved. */
async function fundedAccount(amount: bigint) {
  const account = Wallet.createRandom(provider);
  await provider.send('anvil_setBalance', [account.address, '0xde0b6b3a7640000']);
  const token = testUsdcAt(contracts.usdc, new NonceManager(account));
  await mined(token.faucet(account.address, amount));
  await mined(token.approve(contracts.settlement, amount));
  await mine(CONFIRMATIONS);
  return { wallet: account.address.toLowerCase(), token };
}

interface Customer {
  wallet: string;
  keyHash: string;
  keyId: string;
}

/** A registered wallet with one key that can spend so much. */
async function customer(spendable: bigint): Promise<Customer> {
  const { wallet } = await fundedAccount(spendable);
  await setup.call(billingContracts.registerWallet, { wallet });
  await eventually(async () => (await show(wallet)).spendable === String(spendable));
  return keyFor(wallet);
}

async function keyFor(wallet: string): Promise<Customer> {
  const keyHash = Wallet.createRandom().privateKey.slice(2);
  const { keyId } = await setup.call(billingContracts.createKey, {
    wallet,
    keyHash,
    lastFour: 'abcd',
    name: 'spec',
  });
  return { wallet, keyHash, keyId };
}

const admit = ({ keyHash }: Customer, amount: bigint, requestId = newHoldId()) =>
  gateway.call(billingContracts.admitHold, {
    requestId,
    keyHash,
    model: 'svc/demo@1',
    amount: String(amount),
  });

const postOf = ({ holdId, wallet }: AdmittedHold, cost: number): SettleHoldRequest => ({
  holdId,
  wallet,
  outcome: 'post',
  usage: usageOf(cost),
});

const settle = (request: SettleHoldRequest) => dispatch.call(billingContracts.settleHold, request);
const show = (wallet: string) => setup.call(billingContracts.showWallet, { wallet });

async function defer(body: object | string, timeout = PATIENCE_MS): Promise<void> {
  const jetstream = dispatch.messaging.connection.jetstream();
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  await jetstream.publish(SETTLEMENT_QUEUE.deferSubject, payload, { msgID: newHoldId(), timeout });
}

async function sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: database.adminUrl });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** Lets the leases of these holds lapse, as time would. */
const lapse = (holds: readonly AdmittedHold[]) =>
  sql(`UPDATE billing.open_hold SET lease_until = now() - interval '1 second' WHERE hold_id = ANY ($1)`, [
    holds.map(({ holdId }) => holdId),
  ]);

const receiptsOf = (holdId: string) =>
  sql<{ late: boolean }>('SELECT late FROM billing.usage_record WHERE hold_id = $1', [holdId]);

/** What is sent over a link that is not back yet is lost, and would be waited for in vain. */
const callersAreBack = () =>
  eventually(() =>
    Promise.all([setup, gateway, dispatch].map(({ messaging: { connection } }) => connection.rtt())),
  );

async function readiness({ app } = billing): Promise<{ status: number; body: string }> {
  const response = await fetch(`${await app.getUrl()}/health/ready`);
  return { status: response.status, body: await response.text() };
}

beforeAll(async () => {
  waitLongFor(billingContracts);
  directory = mkdtempSync(join(tmpdir(), 'svc-billing-'));
  chainPort = await freePort();
  [nats, anvil, database] = await Promise.all([PrivateNats.start(), startChain(), createTestDatabase()]);
  provider = await connectChain({ rpcUrl: anvil.url, chainId: BigInt(localChainId), pollingIntervalMs: 20 });
  contracts = await deployContracts(await provider.getSigner(0));
  billing = await startBilling();
  gateway = new RpcClient(await nats.connectAs('gateway'));
  dispatch = new RpcClient(await nats.connectAs('dispatch'));
  setup = new RpcClient(await nats.connectAs('setup'));
});

afterAll(async () => {
  await stop(billing);
  await nats.close();
  provider.destroy();
  await Promise.all([anvil.stop(), database.drop()]);
  rmSync(directory, { recursive: true, force: true });
});

describe('wallets follow the chain', () => {
  it('is spendable up to balance and approval, rises with depth and falls at once', async () => {
    const { wallet, token } = await fundedAccount(50n * USDC);
    const position = await setup.call(billingContracts.registerWallet, { wallet });
    expect(position).toEqual({
      wallet,
      suspended: false,
      limitHead: '50000000',
      limitSafe: '50000000',
      held: '0',
      charged: '0',
      unsettled: '0',
      spendable: '50000000',
      openHolds: 0,
    });
    expect(await setup.call(billingContracts.registerWallet, { wallet })).toEqual(position);

    await mined(token.faucet(wallet, 10n * USDC));
    await mined(token.approve(contracts.settlement, 60n * USDC));
    await eventually(async () => (await show(wallet)).limitHead === '60000000');
    expect((await show(wallet)).spendable).toBe('50000000');
    await mine(CONFIRMATIONS);
    await eventually(async () => (await show(wallet)).spendable === '60000000');

    await mined(token.approve(contracts.settlement, 5n * USDC));
    await eventually(async () => (await show(wallet)).spendable === '5000000');
    expect((await show(wallet)).limitSafe).toBe('60000000');
  });

  it('sells against it, to the base unit, and survives the approval falling below what is held', async () => {
    const { wallet, token } = await fundedAccount(1_000n);
    await setup.call(billingContracts.registerWallet, { wallet });
    const buyer = await keyFor(wallet);
    const first = await admit(buyer, 600n);
    expect(first).toEqual({ state: 'held', holdId: first.holdId, wallet, amount: '600' });
    await expect(admit(buyer, 401n)).rejects.toMatchObject({
      payload: {
        code: 'insufficient_quota',
        message: expect.stringMatching(/0\.000401 USDC.*0\.000400 USDC.*0\.000600 USDC/) as string,
      },
    });
    await mined(token.approve(contracts.settlement, 100n));
    await eventually(async () => (await show(wallet)).spendable === '0');
    expect(await settle(postOf(first, 599))).toEqual({ state: 'posted', charged: '599' });
    expect(await show(wallet)).toMatchObject({ held: '0', unsettled: '599', spendable: '0', openHolds: 0 });
  });
});

describe('keys and suspension', () => {
  it('binds keys to wallets, and refuses what is unknown, taken or revoked', async () => {
    const buyer = await customer(1_000n);
    expect(await gateway.call(billingContracts.checkKey, { keyHash: buyer.keyHash })).toEqual({
      wallet: buyer.wallet,
      keyId: buyer.keyId,
    });
    const create = { wallet: buyer.wallet, keyHash: buyer.keyHash, lastFour: 'abcd', name: 'again' };
    expect(await setup.call(billingContracts.createKey, create)).toEqual({ keyId: buyer.keyId });
    const other = await customer(1_000n);
    const foreign = setup.call(billingContracts.createKey, { ...create, wallet: other.wallet });
    await expect(foreign).rejects.toMatchObject({ payload: { code: 'invalid_request', status: 409 } });
    const nowhere = setup.call(billingContracts.createKey, {
      ...create,
      keyHash: 'e'.repeat(64),
      wallet: `0x${'9'.repeat(40)}`,
    });
    await expect(nowhere).rejects.toMatchObject({ payload: { param: 'wallet', status: 404 } });

    await setup.call(billingContracts.revokeKey, { wallet: buyer.wallet, keyId: buyer.keyId });
    const invalid = { payload: { code: 'invalid_api_key' } };
    await expect(admit(buyer, 1n)).rejects.toMatchObject(invalid);
    await expect(gateway.call(billingContracts.checkKey, { keyHash: buyer.keyHash })).rejects.toMatchObject(
      invalid,
    );
    await expect(gateway.call(billingContracts.checkKey, { keyHash: 'c'.repeat(64) })).rejects.toMatchObject(
      invalid,
    );
    await expect(
      setup.call(billingContracts.revokeKey, { wallet: other.wallet, keyId: buyer.keyId }),
    ).rejects.toMatchObject({ payload: { param: 'keyId', status: 404 } });
    expect(await admit(other, 1n)).toMatchObject({ amount: '1' });
  });

  it('suspends and reinstates', async () => {
    const buyer = await customer(1_000n);
    const open = await admit(buyer, 10n);
    const { wallet } = buyer;
    const act = { reason: 'a note', actor: 'carol' };
    expect(await setup.call(billingContracts.suspendWallet, { wallet, ...act })).toMatchObject({
      suspended: true,
    });
    const suspended = {
      payload: { code: 'account_suspended', message: expect.not.stringMatching(/note/) as string },
    };
    await expect(admit(buyer, 1n)).rejects.toMatchObject(suspended);
    await expect(gateway.call(billingContracts.checkKey, { keyHash: buyer.keyHash })).rejects.toMatchObject(
      suspended,
    );
    expect(await settle(postOf(open, 5))).toEqual({ state: 'posted', charged: '5' });
    expect(await setup.call(billingContracts.reinstateWallet, { wallet, ...act })).toMatchObject({
      suspended: false,
    });
    expect(await admit(buyer, 1n)).toMatchObject({ amount: '1' });
    const unknown = setup.call(billingContracts.suspendWallet, {
      wallet: `0x${'9'.repeat(40)}`,
      ...act,
    });
    await expect(unknown).rejects.toMatchObject({ payload: { param: 'wallet', status: 404 } });
  });
});

describe('holds', () => {
  it('refuses what makes no sense, and changes nothing', async () => {
    const buyer = await customer(1_000n);
    await expect(admit(buyer, 0n)).rejects.toMatchObject({ payload: { param: 'amount' } });
    const hold = await admit(buyer, 100n);
    const { holdId, wallet } = hold;
    await expect(admit(buyer, 101n, holdId)).rejects.toMatchObject({ payload: { status: 409 } });
    await expect(settle({ holdId, wallet, outcome: 'post' })).rejects.toMatchObject({
      payload: { code: 'invalid_request', param: 'usage' },
    });
    await expect(settle(postOf(hold, 101))).rejects.toMatchObject({ payload: { param: 'usage' } });
    expect(await settle({ holdId: 'req_never', wallet, outcome: 'abandon' })).toEqual({
      state: 'unknown',
      charged: '0',
    });
    for (const amount of ['-1', '1.5', '1e3', 'NaN', '9223372036854775808', '']) {
      const request = { requestId: newHoldId(), keyHash: buyer.keyHash, model: 'svc/demo@1', amount };
      await expect(gateway.call(billingContracts.admitHold, request)).rejects.toMatchObject({
        payload: { code: 'invalid_request', param: 'amount' },
      });
    }
    expect(await show(wallet)).toMatchObject({ held: '100', openHolds: 1 });
  });

  it('keeps the trial balance', async () => {
    const buyer = await customer(1_000n);
    await settle(postOf(await admit(buyer, 100n), 40));
    await admit(buyer, 100n);
    const balance = await setup.call(billingContracts.showTrialBalance, {});
    expect(balance.debits).toBe(balance.credits);
    expect(balance.heldByWallets).toBe(balance.heldByOpenHolds);
    expect(balance.openHolds).toBeGreaterThan(0);
    const held = balance.accounts.find(({ account }) => account === 'held');
    expect(BigInt(held?.credits ?? 0) - BigInt(held?.debits ?? 0)).toBe(BigInt(balance.heldByOpenHolds));
    const metrics = await (await fetch(`${await billing.app.getUrl()}/metrics`)).text();
    expect(metrics).toMatch(/svc_billing_admissions_total\{outcome="held",service="billing"\} \d/);
    expect(metrics).toMatch(/svc_billing_batch_operations_count/);
    expect(metrics).toMatch(/svc_billing_trial_balance_difference\{set="charged",service="billing"\} 0/);
  });

  it('expires what nobody renews, and spares what somebody does', async () => {
    const buyer = await customer(1_000n);
    const [silent, alive] = [await admit(buyer, 100n), await admit(buyer, 200n)];
    const renew = () =>
      dispatch.call(billingContracts.renewHolds, {
        holds: [alive, { wallet: buyer.wallet, holdId: 'req_never' }],
      });
    await lapse([silent]);
    // The first sweep may be held back by the grace after the start: for longer than the other's lease.
    await eventually(async () => {
      expect(await renew()).toEqual({ renewed: 1, leaseMs: LEASE_MS });
      return (await show(buyer.wallet)).held === '200';
    });
    expect(await settle(postOf(silent, 5))).toEqual({ state: 'late', charged: '0' });
    expect(await settle(postOf(alive, 5))).toEqual({ state: 'posted', charged: '5' });
    expect(await show(buyer.wallet)).toMatchObject({ held: '0', unsettled: '5' });
  });
});

describe('faults', () => {
  it('applies what waited in the queue while it was away, before it expires anything', async () => {
    const buyer = await customer(10_000n);
    const holds = await Promise.all(Array.from({ length: 40 }, () => admit(buyer, 100n)));
    const [posted, abandoned, both, open] = holds as [AdmittedHold, AdmittedHold, AdmittedHold, AdmittedHold];
    await stop(billing);
    await defer(postOf(posted, 60));
    await defer({ holdId: abandoned.holdId, wallet: buyer.wallet, outcome: 'abandon' });
    await defer(postOf(both, 60));
    await defer({ holdId: both.holdId, wallet: buyer.wallet, outcome: 'abandon' });
    await defer({ holdId: 'req_never', wallet: buyer.wallet, outcome: 'abandon' });
    await defer('{"holdId":');
    await defer({ holdId: posted.holdId, wallet: buyer.wallet, outcome: 'steal' });
    for (const hold of holds.slice(4)) await defer(postOf(hold, 10));
    await defer(postOf(posted, 60));
    // Away for longer than the leases.
    await lapse(holds);
    billing = await startBilling();
    // Its dispatch renews during the grace.
    const renewed = await dispatch.call(billingContracts.renewHolds, { holds: [open] });
    expect(renewed).toEqual({ renewed: 1, leaseMs: LEASE_MS });
    // All of it at once: on the way, some of the others without what is given back come to the same sum.
    const applied = { held: '100', openHolds: 1, unsettled: String(60 + 36 * 10) };
    await eventually(async () => {
      expect(await show(buyer.wallet)).toMatchObject(applied);
      return true;
    });
    const manager = await messaging.connection.jetstreamManager();
    await eventually(async () => (await manager.streams.info(SETTLEMENT_QUEUE.stream)).state.messages === 0);
    expect(await settle({ holdId: both.holdId, wallet: buyer.wallet, outcome: 'void' })).toEqual({
      state: 'refunded',
      charged: '0',
    });
    expect(await settle(postOf(open, 1))).toEqual({ state: 'posted', charged: '1' });
  });

  it('takes no charge from a gateway, by whatever way it comes', async () => {
    const buyer = await customer(1_000n);
    const hold = await admit(buyer, 100n);
    const loud = { ...postOf(hold, 100), usage: { ...usageOf(100), platformLoss: '9223372036854775807' } };
    const queue = gateway.messaging.connection.jetstream();
    const { deferSubject, releaseSubject } = SETTLEMENT_QUEUE;
    // What NATS does not let through is never answered.
    const refused = await Promise.allSettled([
      gateway.call(billingContracts.settleHold, loud, { timeoutMs: 200 }),
      queue.publish(deferSubject, JSON.stringify(loud), { timeout: 200 }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await dispatch.call(billingContracts.renewHolds, { holds: [hold] });
    const stored = { timeout: PATIENCE_MS };
    await queue.publish(releaseSubject, JSON.stringify(loud), { msgID: `${hold.holdId}:post`, ...stored });
    const manager = await messaging.connection.jetstreamManager();
    const drained = async () => (await manager.streams.info(SETTLEMENT_QUEUE.stream)).state.messages === 0;
    await eventually(drained);
    expect(await show(buyer.wallet)).toMatchObject({ held: '100', unsettled: '0' });
    expect(await sql('SELECT FROM billing.usage_record WHERE hold_id = $1', [hold.holdId])).toEqual([]);
    // Dispatch charges; the amount that nobody is owed is dropped. The gateway can have it taken back.
    expect(await settle(loud)).toEqual({ state: 'posted', charged: '100' });
    const credited = `SELECT coalesce(sum(amount), 0)::text AS amount FROM billing.transfer
                      WHERE reference = $1 AND (credit_account = 'provider' OR debit_account = 'platform_loss')`;
    expect(await sql(credited, [hold.holdId])).toEqual([{ amount: '90' }]);
    await queue.publish(releaseSubject, JSON.stringify({ ...hold, outcome: 'abandon' }), stored);
    await eventually(async () => (await show(buyer.wallet)).unsettled === '0');
  });

  it('goes on with the last limits while the chain is away, says so, and follows it again', async () => {
    const { wallet, token } = await fundedAccount(1_000n);
    await setup.call(billingContracts.registerWallet, { wallet });
    const buyer = await keyFor(wallet);
    await anvil.stop();
    await eventually(async () => /away; limits are those of block \d+/.test((await readiness()).body));
    expect((await readiness()).status).toBe(200);
    await settle(postOf(await admit(buyer, 900n), 400));
    const late = await setup.call(billingContracts.registerWallet, {
      wallet: Wallet.createRandom().address.toLowerCase(),
    });
    expect(late).toMatchObject({ limitHead: '0', spendable: '0' });

    anvil = await startChain();
    await mined(token.approve(contracts.settlement, 500n));
    await eventually(async () => (await show(wallet)).spendable === '100');
    expect((await readiness()).body).toMatch(/block \d+/);
  });

  it('survives every database connection being cut, under load', async () => {
    const buyer = await customer(100_000n);
    const worker = async () => {
      for (let round = 0; round < 20; round++) {
        const hold = await admit(buyer, 10n);
        expect(await settle(postOf(hold, 3))).toMatchObject({ state: 'posted' });
      }
    };
    const working = Promise.all([worker(), worker(), worker(), worker()]);
    for (let cut = 0; cut < 5; cut++) {
      await sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND usename = 'svc_billing'`,
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await working;
    expect(await eventually(() => show(buyer.wallet))).toMatchObject({
      held: '0',
      unsettled: String(80 * 3),
    });
    await eventually(async () => (await readiness()).status === 200);
  });

  it.each([
    ['as it was', {}],
    ['without what it had stored', { storageLost: true }],
  ])('survives NATS being restarted %s', async (_, options) => {
    const buyer = await customer(1_000n);
    const hold = await admit(buyer, 10n);
    await nats.stop();
    await nats.startAgain(options);
    await callersAreBack();
    await eventually(async () => (await readiness()).status === 200);
    // A server that has just come back may drop the first ones.
    await eventually(() => defer(postOf(hold, 3), 2_000).then(() => true));
    // Applied, in time or late: a server may take longer than a lease to come back on a busy machine.
    await eventually(async () => (await receiptsOf(hold.holdId)).length === 1);
    expect(await admit(buyer, 10n)).toMatchObject({ amount: '10' });
  });

  it.each([
    ['another chain', { chainId: 1 }, /expected chain 1, the server is on 31337/],
    [
      'no contract at the address',
      { chainSettlementAddress: `0x${'1'.repeat(40)}` },
      /no settlement contract at/,
    ],
    ['another token', { chainUsdcAddress: `0x${'1'.repeat(40)}` }, /collects/],
  ])('refuses to start on %s', async (_, changes, message) => {
    await expect(startBilling(changes)).rejects.toThrow(message);
  });

  it('starts without the chain, and reads it when it comes', async () => {
    const chain = await freePort();
    const other = await startBilling({ chainRpcUrl: `http://127.0.0.1:${chain}` });
    // It listens before its first look at the chain is over.
    await eventually(async () => /away/.test((await readiness(other)).body));
    await stop(other);
  });
});

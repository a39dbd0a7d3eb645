import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTLEMENT_QUEUE, billingContracts } from '@svc/contracts';
import { connectChain, deployContracts, settlementAt, testUsdcAt } from '@svc/contracts-evm';
import type { DeployedContracts, Settlement, TestUsdc } from '@svc/contracts-evm';
import { freePort, localChainId, startAnvil } from '@svc/local-servers';
import type { LocalServer } from '@svc/local-servers';
import { RpcClient } from '@svc/messaging';
import { PrivateNats, createTestDatabase, eventually, testChain, waitLongFor } from '@svc/testing';
import { NonceManager, Wallet } from 'ethers';
import type { ContractTransactionResponse, JsonRpcProvider } from 'ethers';
import type { JetStreamManager } from 'nats';
import { nanos } from 'nats';
import { Pool } from 'pg';
import { BillingProcess } from './billing-process.for-spec';
import { watchLedger } from './ledger-watch.for-spec';
import { Operator } from './operator.for-spec';

export const LEASE_MS = 1_000;
/** Four sweeps a lease. */
export const SWEEP_MS = LEASE_MS / 4;
const CONFIRMATIONS = 2;
export const SHARE_BPS = 9_000;
/** What billing may be owed and have held by one wallet beyond what was collected. */
const UNSETTLED_CAP = 2_000_000n;
/** Instead of half a minute: what a process that died had taken from the queue is delivered again after that. */
const ACK_WAIT_MS = 700;
const SETTLER = 8;
const PAYOUT_SIGNER = 9;

/** A database by its two addresses. */
export interface StackDatabase {
  readonly adminUrl: string;
  readonly billingUrl: string;
  /** Unless somebody else drops it. */
  drop?(): Promise<void>;
}

/** A wallet on the chain, with what it lets us take. */
export interface Payer {
  readonly wallet: string;
  readonly token: TestUsdc;
  readonly keys: PayerKey[];
}

export interface PayerKey {
  readonly wallet: string;
  readonly keyHash: string;
  readonly keyId: string;
}

interface BillingOptions {
  /** At which it kills itself. */
  readonly failpoint?: string | undefined;
  /** Whether what a process that died had taken from the queue is delivered again soon. */
  readonly hurry?: boolean;
  /** Another way to the database than the others'. */
  readonly databaseUrl?: string;
}

interface StackParts {
  readonly directory: string;
  readonly nats: PrivateNats;
  readonly chain: JsonRpcProvider;
  readonly contracts: DeployedContracts;
  readonly owner: Pool;
  readonly gateway: RpcClient;
  readonly dispatch: RpcClient;
  readonly setup: RpcClient;
}

/** Everything billing needs, for real: PostgreSQL, NATS with its users, a chain with the contracts; and who calls it. */
export class FaultStack {
  readonly processes = new Map<string, BillingProcess>();
  readonly directory: string;
  readonly nats: PrivateNats;
  readonly chain: JsonRpcProvider;
  readonly contracts: DeployedContracts;
  readonly owner: Pool;
  readonly gateway: RpcClient;
  readonly dispatch: RpcClient;
  readonly setup: RpcClient;

  private constructor(
    parts: StackParts,
    readonly operator: Operator,
    /** As billing's own user: of the others none may look at the queue. */
    private readonly jetstream: JetStreamManager,
    private readonly env: Record<string, string>,
    private readonly closing: readonly (() => unknown)[],
  ) {
    this.directory = parts.directory;
    this.nats = parts.nats;
    this.chain = parts.chain;
    this.contracts = parts.contracts;
    this.owner = parts.owner;
    this.gateway = parts.gateway;
    this.dispatch = parts.dispatch;
    this.setup = parts.setup;
  }

  static async start(given?: StackDatabase): Promise<FaultStack> {
    const closing: (() => unknown)[] = [];
    try {
      return await FaultStack.open(given, closing);
    } catch (error) {
      await closeAll(closing);
      throw error;
    }
  }

  private static async open(
    given: StackDatabase | undefined,
    closing: (() => unknown)[],
  ): Promise<FaultStack> {
    waitLongFor(billingContracts);
    const directory = mkdtempSync(join(tmpdir(), 'svc-faults-'));
    closing.push(() => rmSync(directory, { recursive: true, force: true }));
    const anvil = await startAnvil({ dataDir: join(directory, 'chain'), port: await freePort() });
    closing.push(() => anvil.stop());
    const nats = await PrivateNats.start();
    closing.push(() => nats.close());
    const database = given ?? (await createTestDatabase());
    closing.push(() => database.drop?.());
    const chain = await connectChain({
      rpcUrl: anvil.url,
      chainId: BigInt(localChainId),
      pollingIntervalMs: 20,
    });
    closing.push(() => chain.destroy());
    const contracts = await deployContracts(await chain.getSigner(0), {
      settler: accountOf(SETTLER).address,
      payer: accountOf(PAYOUT_SIGNER).address,
    });
    const owner = new Pool({ connectionString: database.adminUrl, max: 4 });
    // The server may go away at any time here.
    owner.on('error', () => undefined);
    closing.push(() => owner.end());
    await watchLedger(owner, UNSETTLED_CAP);
    const [queue, gateway, dispatch, setup, internal] = [
      await nats.connectAs('billing'),
      new RpcClient(await nats.connectAs('gateway')),
      new RpcClient(await nats.connectAs('dispatch')),
      new RpcClient(await nats.connectAs('setup')),
      new RpcClient(await nats.connectAs('internal')),
    ];
    return new FaultStack(
      { directory, nats, chain, contracts, owner, gateway, dispatch, setup },
      new Operator(internal, setup),
      await queue.connection.jetstreamManager({ checkAPI: false }),
      environmentOf(database, anvil, contracts, nats.access),
      closing,
    );
  }

  /** Starts an instance of billing. @returns undefined when it killed itself on the way, as told */
  async startBilling(
    name = 'billing',
    { failpoint, hurry = true, databaseUrl }: BillingOptions = {},
  ): Promise<BillingProcess | undefined> {
    const { directory } = this;
    const env = { ...this.env, ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) };
    const started = await BillingProcess.start({ name, directory, env, failpoint });
    if (!started) return undefined;
    this.processes.set(name, started);
    if (hurry) await this.hurryQueue();
    return started;
  }

  /** As before, where no failpoint is set. */
  async startSafely(
    name = 'billing',
    options: Omit<BillingOptions, 'failpoint'> = {},
  ): Promise<BillingProcess> {
    const started = await this.startBilling(name, options);
    if (!started) throw new Error('billing killed itself without a failpoint');
    return started;
  }

  get settlement(): Settlement {
    return settlementAt(this.contracts.settlement, this.chain);
  }

  get usdc(): TestUsdc {
    return testUsdcAt(this.contracts.usdc, this.chain);
  }

  async sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.owner.query(text, values)).rows as Row[];
  }

  /** An account of the chain with so much test USDC, all of it approved, registered, with so many keys. */
  async addPayer(account: number, amount: bigint, keys: number): Promise<Payer> {
    const { address, privateKey } = accountOf(account);
    const token = testUsdcAt(this.contracts.usdc, new NonceManager(new Wallet(privateKey, this.chain)));
    await mined(token.faucet(address, amount));
    await mined(token.approve(this.contracts.settlement, amount));
    await this.mine(CONFIRMATIONS);
    const wallet = address.toLowerCase();
    await this.setup.call(billingContracts.registerWallet, { wallet });
    await eventually(async () => {
      const { spendable } = await this.setup.call(billingContracts.showWallet, { wallet });
      return BigInt(spendable) === amount;
    });
    const payer: Payer = { wallet, token, keys: [] };
    for (let key = 0; key < keys; key++) payer.keys.push(await this.addKey(wallet));
    return payer;
  }

  async addKey(wallet: string, budgetCap?: bigint): Promise<PayerKey> {
    const keyHash = randomBytes(32).toString('hex');
    const budget = budgetCap === undefined ? {} : { budgetCap: String(budgetCap) };
    const create = { wallet, keyHash, lastFour: 'abcd', name: 'faults', ...budget };
    const { keyId } = await this.setup.call(billingContracts.createKey, create);
    return { wallet, keyHash, keyId };
  }

  async mine(blocks: number): Promise<void> {
    await this.chain.send('anvil_mine', [`0x${blocks.toString(16)}`]);
  }

  /** How many messages the queue holds, those under way included. */
  async queued(): Promise<number> {
    return (await this.jetstream.streams.info(SETTLEMENT_QUEUE.stream)).state.messages;
  }

  /** How many messages somebody has taken and not acknowledged, and how many requests for more stand. */
  async consumer(): Promise<{ unacknowledged: number; pulls: number }> {
    const { stream, consumer } = SETTLEMENT_QUEUE;
    const { num_ack_pending, num_waiting } = await this.jetstream.consumers.info(stream, consumer);
    return { unacknowledged: num_ack_pending, pulls: num_waiting };
  }

  /** What a process took with it is delivered again soon. Each start sets the time in earnest. */
  async hurryQueue(ackWaitMs = ACK_WAIT_MS): Promise<void> {
    await eventually(() =>
      this.jetstream.consumers
        .update(SETTLEMENT_QUEUE.stream, SETTLEMENT_QUEUE.consumer, { ack_wait: nanos(ackWaitMs) })
        .then(() => true),
    );
  }

  /** The lease of a process that is known to be dead stands in nobody's way. */
  async releaseSigners(): Promise<void> {
    await this.sql('UPDATE billing.signer_lease SET lease_until = now()');
  }

  async close(): Promise<void> {
    await Promise.all([...this.processes.values()].map((billing) => billing.kill()));
    await closeAll(this.closing);
  }
}

/** In the reverse of the order in which they were opened. */
async function closeAll(closing: readonly (() => unknown)[]): Promise<void> {
  for (const close of [...closing].reverse()) await close();
}

function environmentOf(
  database: StackDatabase,
  anvil: LocalServer,
  contracts: DeployedContracts,
  nats: { url: string; password: string },
): Record<string, string> {
  return {
    SVC_ENVIRONMENT: 'testnet',
    SHUTDOWN_GRACE_MS: '5000',
    DATABASE_URL: database.billingUrl,
    NATS_URL: nats.url,
    NATS_USER: 'billing',
    NATS_PASSWORD: nats.password,
    CHAIN_RPC_URL: anvil.url,
    CHAIN_ID: String(localChainId),
    CHAIN_USDC_ADDRESS: contracts.usdc,
    CHAIN_SETTLEMENT_ADDRESS: contracts.settlement,
    CHAIN_CONFIRMATIONS: String(CONFIRMATIONS),
    CHAIN_POLL_MS: '50',
    HOLD_LEASE_MS: String(LEASE_MS),
    PROVIDER_SHARE_BPS: String(SHARE_BPS),
    UNSETTLED_CAP: String(UNSETTLED_CAP),
    SETTLER_KEY: accountOf(SETTLER).privateKey,
    PAYER_KEY: accountOf(PAYOUT_SIGNER).privateKey,
    SETTLEMENT_INTERVAL_MS: '300',
    SETTLEMENT_MIN_DUE: '0',
    SETTLEMENT_BUMP_MS: '1500',
    PAYOUT_INTERVAL_MS: '1500',
    RECONCILIATION_INTERVAL_MS: '500',
    RECONCILIATION_FULL_INTERVAL_MS: '2000',
  };
}

export async function mined(sent: Promise<ContractTransactionResponse>): Promise<void> {
  await (await sent).wait();
}

function accountOf(index: number): { address: string; privateKey: string } {
  const account = testChain().accounts[index];
  if (!account) throw new Error('no such account');
  return account;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { connectChain, deployContracts, settlementAt, testUsdcAt } from '@svc/contracts-evm';
import type { DeployedContracts, Settlement, TestUsdc } from '@svc/contracts-evm';
import { freePort, localChainId, startAnvil } from '@svc/local-servers';
import type { LocalServer } from '@svc/local-servers';
import { LOGGER, METRICS_REGISTRY, createLogger, createMetricsRegistry } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';
import { beginChainDay, eventually } from '@svc/testing';
import { Wallet } from 'ethers';
import type { ContractTransactionResponse, JsonRpcProvider } from 'ethers';
import { BillingConfig } from '../billing.config';
import { ChainConnection } from '../chain/chain-connection';
import { ChainModule } from '../chain/chain.module';
import { ChainWatcher } from '../chain/chain-watcher.service';
import { DatabaseModule } from '../database/database.module';
import {
  PROVIDER,
  addKey,
  admission,
  charge,
  newHoldId,
  startTestLedger,
  untilReadable,
} from '../ledger/ledger.for-spec';
import type { TestLedger, TestWallet } from '../ledger/ledger.for-spec';
import { ProjectionService } from '../receipt/projection.service';
import { ReceiptStore } from '../receipt/receipt.store';
import { ReconciliationModule } from '../reconciliation/reconciliation.module';
import { ReconciliationService } from '../reconciliation/reconciliation.service';

import { OperationService } from './operation.service';
import { PauseStore } from './pause.store';
import { ClaimController } from './payout/claim.controller';
import { PayoutService } from './payout/payout.service';
import { PayoutStatus } from './payout/payout-status';
import { SettlementGauges } from './settlement-gauges.service';
import { SettlementModule } from './settlement.module';
import { SettlementService } from './settlement.service';
import { SettlementStatus } from './settlement-status';

/** A development node's first account deploys; its last two settle and pay in specs. */
export const MNEMONIC_KEYS = {
  deployer: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  treasury: '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
  settler: '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
  payer: '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
} as const;

export const CONFIRMATIONS = 2;
const TEN_ETHER = '0x8ac7230489e80000';
/** Steps are taken at the spec's word alone, however long it takes on a slow machine. */
const NEVER_MS = 24 * 3_600_000;
const CHAIN_PATIENCE_MS = 60_000;

/** Half of billing: it watches the chain and settles, at the spec's word and not by the clock. */
export interface Instance {
  readonly watcher: ChainWatcher;
  readonly settlement: SettlementService;
  readonly status: SettlementStatus;
  readonly pauses: PauseStore;
  readonly payouts: PayoutService;
  readonly payoutStatus: PayoutStatus;
  readonly metrics: MetricsRegistry;
  readonly gauges: SettlementGauges;
  readonly claims: ClaimController;
  readonly operation: OperationService;
  readonly projection: ProjectionService;
  readonly receipts: ReceiptStore;
  readonly reconciliation: ReconciliationService;
  stop(): Promise<void>;
}

export interface Buyer extends TestWallet {
  readonly account: Wallet;
  readonly token: TestUsdc;
}

type Deploy = (provider: JsonRpcProvider, rpcUrl: string) => Promise<DeployedContracts>;

@Module({})
class SpecModule {
  static of(config: BillingConfig): DynamicModule {
    const logger = createLogger('test', process.env.BILLING_TEST_LOG ?? 'silent');
    const providers = [
      { provide: BillingConfig, useValue: config },
      { provide: LOGGER, useValue: logger },
      { provide: METRICS_REGISTRY, useValue: createMetricsRegistry('test') },
    ];
    return {
      module: SpecModule,
      global: true,
      imports: [
        DatabaseModule.forService(config, logger),
        ChainModule,
        SettlementModule,
        ReconciliationModule,
      ],
      providers,
      exports: providers.map(({ provide }) => provide),
    };
  }
}

/** A chain, a ledger and contracts of a spec's own. */
export class SettlementBench {
  private readonly apps = new Set<INestApplicationContext>();
  private readonly otherServers: LocalServer[] = [];
  private isAutomining = true;

  private constructor(
    private readonly directory: string,
    readonly anvil: LocalServer,
    readonly provider: JsonRpcProvider,
    readonly contracts: DeployedContracts,
    readonly ledger: TestLedger,
  ) {}

  /** @param deploy puts the contracts on the new chain, with the accounts of {@link MNEMONIC_KEYS} */
  static async start(deploy: Deploy = deployOwn): Promise<SettlementBench> {
    const directory = mkdtempSync(join(tmpdir(), 'svc-settlement-'));
    const anvil = await startAnvil({ dataDir: directory, port: await freePort() });
    const provider = await connectChain({
      rpcUrl: anvil.url,
      chainId: BigInt(localChainId),
      pollingIntervalMs: 10,
    });
    await beginChainDay(provider);
    const contracts = await deploy(provider, anvil.url);
    const treasury = new Wallet(MNEMONIC_KEYS.treasury, provider);
    await mined(testUsdcAt(contracts.usdc, treasury).approve(contracts.settlement, 10n ** 18n));
    return new SettlementBench(directory, anvil, provider, contracts, await startTestLedger());
  }

  async close(): Promise<void> {
    for (const app of this.apps) await app.close();
    await this.ledger.close();
    this.provider.destroy();
    for (const server of [this.anvil, ...this.otherServers]) await server.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  get sql(): TestLedger['sql'] {
    return this.ledger.sql;
  }

  get deployer(): Wallet {
    return new Wallet(MNEMONIC_KEYS.deployer, this.provider);
  }

  get settler(): Wallet {
    return new Wallet(MNEMONIC_KEYS.settler, this.provider);
  }

  /** As the deployer, who has every role but the settler's. */
  get token(): TestUsdc {
    return testUsdcAt(this.contracts.usdc, this.deployer);
  }

  get contract(): Settlement {
    return settlementAt(this.contracts.settlement, this.deployer);
  }

  get treasury(): string {
    return new Wallet(MNEMONIC_KEYS.treasury).address;
  }

  /** Its own loops are slowed down to nothing. */
  async instance(changes: Partial<BillingConfig> = {}): Promise<Instance> {
    const config = Object.assign(this.ledger.config, {}, {});
    const own = Object.assign(
      Object.create(Object.getPrototypeOf(config) as object) as BillingConfig,
      config,
      {
        chainRpcUrl: this.anvil.url,
        chainId: localChainId,
        chainUsdcAddress: this.contracts.usdc,
        chainSettlementAddress: this.contracts.settlement,
        chainConfirmations: CONFIRMATIONS,
        chainPollMs: NEVER_MS,
        settlerKey: MNEMONIC_KEYS.settler,
        payerKey: MNEMONIC_KEYS.payer,
        payoutIntervalMs: 1,
        settlementIntervalMs: 1,
        settlementMinDue: '0',
        reconciliationIntervalMs: NEVER_MS,
        ...changes,
      },
    );
    const options = { logger: false, abortOnError: false } as const;
    const app = await NestFactory.createApplicationContext(SpecModule.of(own), options);
    this.apps.add(app);
    await bePatient(app.get(ChainConnection));
    return {
      watcher: app.get(ChainWatcher),
      settlement: app.get(SettlementService),
      status: app.get(SettlementStatus),
      pauses: app.get(PauseStore),
      payouts: app.get(PayoutService),
      payoutStatus: app.get(PayoutStatus),
      metrics: app.get(METRICS_REGISTRY),
      gauges: app.get(SettlementGauges),
      claims: app.get(ClaimController),
      operation: app.get(OperationService),
      projection: app.get(ProjectionService),
      receipts: app.get(ReceiptStore),
      reconciliation: app.get(ReconciliationService),
      stop: async () => {
        this.apps.delete(app);
        await app.close();
      },
    };
  }

  /** A server that has the chain as it is now, and hears of no more blocks. */
  async laggard(): Promise<LocalServer> {
    const server = await this.otherServer();
    const provider = await connectChain({ rpcUrl: server.url, chainId: BigInt(localChainId) });
    await provider.send('anvil_loadState', [await this.provider.send('anvil_dumpState', [])]);
    provider.destroy();
    return server;
  }

  /** A server with another chain of the same id, that has the same contracts at the same addresses and nothing else. */
  async resetChain(): Promise<LocalServer> {
    const server = await this.otherServer();
    const provider = await connectChain({ rpcUrl: server.url, chainId: BigInt(localChainId) });
    const contracts = await deployOwn(provider);
    provider.destroy();
    if (contracts.settlement !== this.contracts.settlement) throw new Error('the contracts lie elsewhere');
    return server;
  }

  private async otherServer(): Promise<LocalServer> {
    const dataDir = join(this.directory, `other-${this.otherServers.length}`);
    const server = await startAnvil({ dataDir, port: await freePort() });
    this.otherServers.push(server);
    return server;
  }

  /**
   * Mines so many blocks, after those of transactions that were sent: a node says that it has one before it has mined it, and mines it
   * with the next block that is asked for, which then would lie less deep than the spec means.
   */
  async mine(blocks: number): Promise<void> {
    await this.untilMined();
    await this.provider.send('anvil_mine', [`0x${blocks.toString(16)}`]);
  }

  /**
   * Replaces the newest blocks by as many empty ones: what was in them is gone, also from the pool. While it mines a block of its own
   * accord, the node would be left with blocks missing below its newest, for good.
   */
  async reorganise(depth: number): Promise<void> {
    await this.untilMined();
    await this.provider.send('anvil_reorg', [depth, []]);
  }

  private async untilMined(): Promise<void> {
    if (!this.isAutomining) return;
    await eventually(async () => {
      const { pending } = (await this.provider.send('txpool_status', [])) as { pending: string };
      return Number(pending) === 0;
    });
  }

  async automine(on: boolean): Promise<void> {
    await this.provider.send('evm_setAutomine', [on]);
    this.isAutomining = on;
  }

  /** A wallet with so much test USDC, so much of it approved, and a key; its limits are read from the chain. */
  async buyer(watcher: ChainWatcher, balance: bigint, allowance = balance): Promise<Buyer> {
    const account = new Wallet(Wallet.createRandom().privateKey, this.provider);
    const wallet = account.address.toLowerCase();
    await this.provider.send('anvil_setBalance', [wallet, TEN_ETHER]);
    const token = testUsdcAt(this.contracts.usdc, account);
    await mined(token.faucet(wallet, balance));
    await mined(token.approve(this.contracts.settlement, allowance));
    await this.mine(CONFIRMATIONS);
    await this.sql('INSERT INTO billing.wallet (wallet) VALUES ($1)', [wallet]);
    // With the chain away, or no answer in time, nothing would change.
    await eventually(async () => {
      await watcher.refresh(wallet);
      const means = balance < allowance ? balance : allowance;
      const read = 'SELECT FROM billing.wallet WHERE wallet = $1 AND least(limit_head, limit_safe) = $2';
      return (await this.sql(read, [wallet, String(means)])).length > 0;
    });
    return { ...(await addKey(this.ledger, wallet)), account, token };
  }

  /** Buys something for `cost` base units. @returns the request's id */
  async buy(buyer: TestWallet, cost: number): Promise<string> {
    const holdId = newHoldId();
    const admitted = await this.ledger.ledger.admit(admission(buyer, BigInt(Math.max(cost, 1)), holdId));
    if (admitted.outcome !== 'held') throw new Error(`not held: ${admitted.outcome}`);
    await this.ledger.ledger.resolve({ type: 'post', wallet: buyer.wallet, holdId, charge: charge(cost) });
    return holdId;
  }

  /** A step of settlement and a look at the chain, so often. */
  async turn({ watcher, settlement }: Instance, times = 1): Promise<void> {
    for (let time = 0; time < times; time++) {
      await untilReadable(this);
      await watcher.poll();
      await settlement.tick();
    }
  }

  /** Lets a batch be made and become safe. */
  async settle(instance: Instance): Promise<void> {
    await this.turn(instance);
    await this.mine(CONFIRMATIONS);
    await this.turn(instance);
  }

  /** Lets a root be made and become safe. */
  async publish({ projection, watcher, payouts }: Instance): Promise<void> {
    await untilReadable(this);
    await projection.project('statements');
    for (let round = 0; round < 2; round++) {
      await watcher.poll();
      await payouts.tick();
      await this.mine(CONFIRMATIONS);
    }
    await watcher.poll();
    await payouts.tick();
  }

  /** Lets the provider have what it can claim. */
  async claim({ claims, watcher, payouts }: Instance): Promise<void> {
    const { provider, cumulative, proof } = await claims.claim({ provider: PROVIDER });
    await mined(this.contract.claim(provider, BigInt(cumulative), proof));
    await this.mine(CONFIRMATIONS);
    await watcher.poll();
    await payouts.tick();
  }

  async figures(wallet: string): Promise<Figures> {
    const [row] = await this.sql<Figures>(
      `SELECT posted::text, credited::text, held::text, settled_safe::text AS settled,
              pull_failed_at IS NOT NULL AS failed, suspended_at IS NOT NULL AS suspended
       FROM billing.wallet WHERE wallet = $1`,
      [wallet],
    );
    if (!row) throw new Error('no such wallet');
    return row;
  }

  /** Batches by age, as `state dues receipts amount`. */
  async batches(): Promise<string[]> {
    const rows = await this.sql<{ line: string }>(
      `SELECT state || ' ' || dues || ' ' || receipts || ' ' || amount AS line
       FROM billing.settlement_batch ORDER BY created_at`,
    );
    return rows.map(({ line }) => line);
  }
}

/** In earnest billing gives an answer up after 3 s. Here that would only show that the machine stood still. */
async function bePatient(connection: ChainConnection): Promise<void> {
  const provider = await eventually(() => connection.open());
  const requestOf = provider._getConnection.bind(provider);
  provider._getConnection = () => Object.assign(requestOf(), { timeout: CHAIN_PATIENCE_MS });
}

/** The first transactions on a chain: so the addresses are always the same. */
function deployOwn(provider: JsonRpcProvider): Promise<DeployedContracts> {
  return deployContracts(new Wallet(MNEMONIC_KEYS.deployer, provider), {
    treasury: new Wallet(MNEMONIC_KEYS.treasury).address,
    settler: new Wallet(MNEMONIC_KEYS.settler).address,
    payer: new Wallet(MNEMONIC_KEYS.payer).address,
  });
}

interface Figures {
  posted: string;
  credited: string;
  held: string;
  settled: string;
  failed: boolean;
  suspended: boolean;
}

export async function mined(sent: Promise<ContractTransactionResponse>): Promise<void> {
  await (await sent).wait();
}

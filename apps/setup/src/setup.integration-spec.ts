import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashApiKey, isWellFormedApiKey } from '@svc/api-key';
import { loadConfig } from '@svc/config';
import { billingContracts, catalogContracts } from '@svc/contracts';
import type { ApplyCatalogueRequest, CreateKeyRequest } from '@svc/contracts';
import { connectChain, readMeans, settlementAt, testUsdcAt } from '@svc/contracts-evm';
import { SvcError, invalidApiKey, invalidRequest } from '@svc/errors';
import { createLogger } from '@svc/observability';
import {
  ChainProxy,
  NodeRefusal,
  createTestDatabase,
  refuseCall,
  testChain,
  testNats,
  waitLongFor,
} from '@svc/testing';
import { Wallet } from 'ethers';
import { connect } from 'nats';
import type { NatsConnection } from 'nats';
import { Client } from 'pg';
import { runContracts } from './contracts.step';
import { runMigrate } from './migrate.step';
import { runSeed } from './seed.step';
import { ContractsConfig, MigrateConfig, SeedConfig } from './setup.config';
import { readState, writeState } from './setup-state';

const PEPPER = 'a pepper for tests';
/** Accounts of this spec's own: who else sent from them would take its nonces. */
const deployer = Wallet.createRandom();
const buyer = Wallet.createRandom();
const TEN_THOUSAND_ETHER = '0x21e19e0c9bab2400000';
const logger = createLogger('setup', 'silent');
const never = new AbortController().signal;

describe('setup', () => {
  let directory: string;
  let environment: Record<string, string>;

  beforeAll(async () => {
    waitLongFor({ ...billingContracts, ...catalogContracts });
    const { rpcUrl, chainId } = testChain();
    const provider = await connectChain({ rpcUrl, chainId: BigInt(chainId) });
    for (const { address } of [deployer, buyer]) {
      await provider.send('anvil_setBalance', [address, TEN_THOUSAND_ETHER]);
    }
    provider.destroy();
  });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'svc-setup-'));
    const { rpcUrl, chainId } = testChain();
    const { servers, user, pass } = testNats('setup');
    environment = {
      STATE_FILE: join(directory, 'state.json'),
      CHAIN_RPC_URL: rpcUrl,
      CHAIN_ID: String(chainId),
      CHAIN_DEPLOYER_KEY: deployer.privateKey,
      NATS_URL: servers,
      NATS_USER: user,
      NATS_PASSWORD: pass,
      KEY_PEPPER: PEPPER,
      SEED_FILE: join(__dirname, '../../../deploy/seed/local.json'),
      SEED_PROVIDERS: JSON.stringify([{ name: 'north', endpoint: 'http://127.0.0.1:4101/v1' }]),
      SEED_PROVIDERS_DIR: join(directory, 'providers'),
      SEED_MARKET_URL: 'http://127.0.0.1:8080',
      SEED_VENDOR_URL: 'http://127.0.0.1:9120/v1',
      SEED_WALLET_KEY: buyer.privateKey,
    };
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const contracts = (changes: Record<string, string> = {}) =>
    runContracts(loadConfig(ContractsConfig, { ...environment, ...changes }), logger);
  const seed = () => runSeed(loadConfig(SeedConfig, environment), logger, never);
  const state = () => readState(environment.STATE_FILE as string);

  it('migrates a database and finds it up to date afterwards', async () => {
    const database = await createTestDatabase();
    try {
      const password = decodeURIComponent(new URL(database.billingUrl).password);
      const config = loadConfig(MigrateConfig, {
        DATABASE_URL: database.adminUrl,
        BILLING_DB_PASSWORD: password,
        CATALOG_DB_PASSWORD: password,
      });
      const applied = async () => {
        const client = new Client({ connectionString: database.adminUrl });
        await client.connect();
        const { rows } = await client.query(
          'SELECT migration_name, finished_at FROM _prisma_migrations ORDER BY 1',
        );
        await client.end();
        return rows as { finished_at: Date | null }[];
      };
      await runMigrate(config, logger);
      const first = await applied();
      expect(first.length).toBeGreaterThan(0);
      expect(first.every(({ finished_at: at }) => at !== null)).toBe(true);
      await runMigrate(config, logger);
      expect(await applied()).toEqual(first);
    } finally {
      await database.drop();
    }
  });

  it('deploys contracts once, and again where the state names none that work', async () => {
    await contracts();
    const first = await state();
    expect(first).toMatchObject({
      chainId: 31_337,
      usdc: expect.stringMatching(/^0x[0-9a-f]{40}$/) as string,
    });
    await contracts();
    expect(await state()).toEqual(first);
    await writeState(environment.STATE_FILE as string, { ...first, settlement: first.usdc, apiKey: 'kept' });
    await contracts();
    const second = await state();
    expect(second.settlement).not.toBe(first.settlement);
    expect(second.apiKey).toBe('kept');
  });

  it('deploys no others where the server is too busy to speak of those that are there', async () => {
    await contracts();
    const first = await state();
    const proxy = await ChainProxy.before(environment.CHAIN_RPC_URL as string);
    proxy.faults.set('eth_call', () => {
      throw new NodeRefusal(-32_005, 'limit exceeded');
    });
    try {
      await expect(contracts({ CHAIN_RPC_URL: proxy.url })).rejects.toMatchObject({ code: 'CALL_EXCEPTION' });
      expect(proxy.asked).not.toContain('eth_sendRawTransaction');
    } finally {
      proxy.close();
    }
    expect(await state()).toEqual(first);
  });

  it("lets billing's accounts do their work, also on contracts that are there already", async () => {
    await contracts();
    const [settler, payer] = [Wallet.createRandom().address, Wallet.createRandom().address];
    await contracts({ CHAIN_SETTLER: settler, CHAIN_PAYER: payer });
    await contracts({ CHAIN_SETTLER: settler, CHAIN_PAYER: payer });
    const { settlement = '', usdc = '' } = await state();
    const provider = await connectChain({
      rpcUrl: environment.CHAIN_RPC_URL as string,
      chainId: BigInt(testChain().chainId),
    });
    try {
      const contract = settlementAt(settlement, provider);
      expect(await contract.hasRole(await contract.SETTLER_ROLE(), settler)).toBe(true);
      expect(await contract.hasRole(await contract.PAYER_ROLE(), payer)).toBe(true);
      expect(await provider.getBalance(settler)).toBeGreaterThan(0n);
      const treasury = await contract.treasury();
      expect(await testUsdcAt(usdc, provider).allowance(treasury, settlement)).toBeGreaterThan(0n);
    } finally {
      provider.destroy();
    }
  });

  it('says when the contracts are not where the services were told', async () => {
    await contracts();
    const { usdc = '', settlement = '' } = await state();
    await contracts({
      CHAIN_USDC_ADDRESS: usdc,
      CHAIN_SETTLEMENT_ADDRESS: settlement.toUpperCase().replace('0X', '0x'),
    });
    await expect(contracts({ CHAIN_USDC_ADDRESS: settlement })).rejects.toThrow(/^CHAIN_USDC_ADDRESS says/);
  });

  it('cannot seed before there are contracts', async () => {
    await expect(seed()).rejects.toThrow(/names no contracts/);
  });

  describe('with services that answer', () => {
    let market: StubMarket;
    beforeEach(async () => {
      market = await StubMarket.start();
      await contracts();
    });
    afterEach(() => market.stop());

    it('funds a wallet, opens an account and applies the catalogue, changing nothing the second time', async () => {
      await seed();
      const { wallet = '', apiKey = '', usdc = '', settlement = '' } = await state();
      expect(isWellFormedApiKey(apiKey, 'svc_test_')).toBe(true);
      expect(market.keys).toEqual([
        {
          wallet,
          keyHash: hashApiKey(apiKey, PEPPER),
          lastFour: apiKey.slice(-4),
          name: 'local development',
        },
      ]);
      expect(market.catalogues[0]?.models).toHaveLength(3);
      expect(market.catalogues[0]?.routingModels).toHaveLength(1);
      expect(market.catalogues[0]?.managedVendors).toHaveLength(2);
      const { providers = [] } = await state();
      expect(providers.map(({ name }) => name)).toEqual(['north']);
      expect(readFileSync(providers[0]?.file ?? '', 'utf8')).toContain(settlement);
      const provider = await connectChain({
        rpcUrl: environment.CHAIN_RPC_URL as string,
        chainId: BigInt(testChain().chainId),
      });
      try {
        const read = () => readMeans(provider, { usdc, settlement, wallets: [wallet], blockTag: 'latest' });
        const [before] = await read();
        expect(before?.balance).toBe(10_000_000_000n);
        expect(before?.allowance).toBe(1_000_000_000_000n);
        await seed();
        expect(await read()).toEqual([before]);
      } finally {
        provider.destroy();
      }
      expect((await state()).apiKey).toBe(apiKey);
      expect(market.keys).toHaveLength(1);
    });

    it('makes a new key when the old one was revoked', async () => {
      await seed();
      const { apiKey = '' } = await state();
      market.revoke(hashApiKey(apiKey, PEPPER));
      await seed();
      expect((await state()).apiKey).not.toBe(apiKey);
      expect(market.keys).toHaveLength(2);
    });

    it('keeps the key when the database was emptied', async () => {
      await seed();
      const { apiKey } = await state();
      market.keys.length = 0;
      await seed();
      expect((await state()).apiKey).toBe(apiKey);
      expect(market.keys).toHaveLength(1);
    });
  });
});

/** Billing and catalogue as setup sees them: each answers under its own NATS user. */
class StubMarket {
  readonly keys: CreateKeyRequest[] = [];
  readonly catalogues: ApplyCatalogueRequest[] = [];
  private readonly revoked = new Set<string>();
  private positionsAsked = 0;

  private constructor(private readonly connections: NatsConnection[]) {}

  static async start(): Promise<StubMarket> {
    const [billing, catalog] = await Promise.all([
      connect(testNats('billing')),
      connect(testNats('catalog')),
    ]);
    const market = new StubMarket([billing, catalog]);
    market.answer(billing, billingContracts.registerWallet.subject, () => ({}));
    market.answer(billing, billingContracts.checkKey.subject, (request) => market.checkKey(request));
    market.answer(billing, billingContracts.createKey.subject, (request) =>
      market.createKey(request as CreateKeyRequest),
    );
    // The first answer comes before the watcher has seen the block.
    market.answer(billing, billingContracts.showWallet.subject, () => ({
      spendable: market.positionsAsked++ === 0 ? '0' : '1000000',
    }));
    market.answer(catalog, catalogContracts.applyCatalogue.subject, (request) => {
      market.catalogues.push(request as ApplyCatalogueRequest);
      return { models: 3, bundles: 3, profiles: 5, routingModels: 1, managedVendors: 2 };
    });
    await Promise.all([billing.flush(), catalog.flush()]);
    return market;
  }

  async stop(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.close()));
  }

  revoke(keyHash: string): void {
    this.revoked.add(keyHash);
  }

  private createKey(request: CreateKeyRequest): object {
    const taken = this.keys.some(({ keyHash }) => keyHash === request.keyHash);
    if (taken) return invalidRequest('the key exists');
    this.keys.push(request);
    return { keyId: 'key_1' };
  }

  private checkKey(request: unknown): object {
    const { keyHash } = request as { keyHash: string };
    const known = this.keys.find((key) => key.keyHash === keyHash && !this.revoked.has(keyHash));
    return known ? { wallet: known.wallet, keyId: 'key_1' } : invalidApiKey();
  }

  private answer(connection: NatsConnection, subject: string, reply: (request: unknown) => object): void {
    connection.subscribe(subject, {
      callback: (_error, message) => {
        const body = reply(message.json());
        if (SvcError.is(body)) refuseCall(message, body.payload);
        else message.respond(JSON.stringify(body));
      },
    });
  }
}

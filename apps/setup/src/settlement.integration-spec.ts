import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@svc/config';
import { connectChain, deployContracts, settlementAt, testUsdcAt } from '@svc/contracts-evm';
import { freePort, localChainId, pause, startAnvil } from '@svc/local-servers';
import type { LocalServer } from '@svc/local-servers';
import { ChainProxy, NodeRefusal, eventually } from '@svc/testing';
import { Wallet, getCreateAddress } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { SettlementConfig } from './settlement/settlement.config';
import { tokenCode } from './settlement/token.for-spec';
import { runSettlement } from './settlement.step';
import { readState, writeState } from './setup-state';

const ONE_ETHER = 10n ** 18n;
const MAIN = join(__dirname, '../dist/main.js');
/** More than anvil leaves between its newest and its finalized block. */
const FINALITY = 100;

interface Ending {
  code: number | null;
  output: string;
  error: string;
}

describe('setup settlement', () => {
  let dataDir: string;
  let anvil: LocalServer;
  let chain: JsonRpcProvider;
  let usdc: string;
  let folder: string;
  let proxy: ChainProxy;
  let deployer: Wallet;
  let environment: Record<string, string>;
  let said: string[];

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'svc-settlement-chain-'));
    anvil = await startAnvil({ dataDir, port: await freePort() });
    chain = await connectChain({ rpcUrl: anvil.url, chainId: BigInt(localChainId), pollingIntervalMs: 20 });
    usdc = (await deployContracts(await chain.getSigner(0))).usdc;
  });
  afterAll(async () => {
    chain.destroy();
    await anvil.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-settlement-'));
    proxy = await ChainProxy.before(anvil.url);
    deployer = new Wallet(Wallet.createRandom().privateKey, chain);
    said = [];
    const account = () => Wallet.createRandom().address;
    environment = {
      STATE_FILE: join(folder, 'state.json'),
      CHAIN_RPC_URL: proxy.url,
      CHAIN_ID: String(localChainId),
      CHAIN_DEPLOYER_KEY: deployer.privateKey,
      CHAIN_USDC_ADDRESS: usdc,
      CHAIN_TREASURY: account(),
      CHAIN_ADMIN: account(),
      CHAIN_SETTLER: account(),
      CHAIN_PAYER: account(),
      CHAIN_PAUSER: account(),
      CHAIN_CAP_PAYOUT_DAY: '5000000',
    };
    await give(deployer.address, ONE_ETHER);
  });
  afterEach(async () => {
    await chain.send('evm_setAutomine', [true]);
    proxy.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const give = (address: string, wei: bigint) =>
    chain.send('anvil_setBalance', [address, `0x${wei.toString(16)}`]);
  const mine = (blocks = FINALITY) => chain.send('anvil_mine', [`0x${blocks.toString(16)}`]);
  const sentSoFar = () => chain.getTransactionCount(deployer.address, 'latest');
  const waiting = () => eventually(async () => (await poolSize()) > 0);
  const poolSize = async () =>
    (await chain.getTransactionCount(deployer.address, 'pending')) - (await sentSoFar());
  const firstAddress = () => getCreateAddress({ from: deployer.address, nonce: 0 });
  const forget = () => rmSync(environment.STATE_FILE as string, { force: true });

  function begin(changes: Record<string, string> = {}): Promise<void> {
    const config = loadConfig(SettlementConfig, { ...environment, ...changes });
    const run = runSettlement(config, (line) => said.push(line), AbortSignal.timeout(120_000));
    // Looked at later: until then nobody handles what it throws.
    run.catch(() => undefined);
    return run;
  }

  /** Goes on mining until it is over. */
  async function over<Result>(run: Promise<Result>): Promise<Result> {
    let isOver = false;
    void run.catch(() => undefined).finally(() => (isOver = true));
    while (!isOver) {
      await mine();
      await pause(100);
    }
    return run;
  }

  /** As an operator runs it. */
  function program(changes: Record<string, string> = {}) {
    const env = { PATH: process.env.PATH, ...environment, ...changes };
    const child = spawn(process.execPath, [MAIN, 'settlement'], { env });
    let [output, error] = ['', ''];
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    child.stderr.on('data', (data: Buffer) => (error += data.toString()));
    const ended = new Promise<Ending>((resolve) =>
      child.once('close', (code) => resolve({ code, output, error })),
    );
    return { ended, said: () => output, kill: () => child.kill('SIGKILL') };
  }

  /** What is there, and that there is one. */
  async function expectOne(address = firstAddress(), transactions = 1): Promise<void> {
    const contract = settlementAt(address, chain);
    expect(await contract.treasury()).toBe(environment.CHAIN_TREASURY);
    expect(await sentSoFar()).toBe(transactions);
    expect(await poolSize()).toBe(0);
  }

  it('deploys with these roles and caps, none of them the deployer’s, and says what is left to do', async () => {
    await over(begin());
    await expectOne();
    const contract = settlementAt(firstAddress(), chain);
    expect(await contract.token()).toBe(usdc);
    expect(await contract.caps()).toEqual([10_000_000_000n, 1_000_000_000_000n, 5_000_000n]);
    const roles = ['DEFAULT_ADMIN_ROLE', 'SETTLER_ROLE', 'PAYER_ROLE', 'PAUSER_ROLE'] as const;
    const holders = ['CHAIN_ADMIN', 'CHAIN_SETTLER', 'CHAIN_PAYER', 'CHAIN_PAUSER'];
    for (const [index, name] of roles.entries()) {
      const role = await contract[name]();
      expect(await contract.hasRole(role, environment[holders[index] as string] as string)).toBe(true);
      expect(await contract.hasRole(role, deployer.address)).toBe(false);
    }
    const all = said.join('\n');
    for (const variable of ['CHAIN_ID', 'CHAIN_USDC_ADDRESS']) {
      expect(said).toContain(`${variable}=${environment[variable]}`);
    }
    expect(said).toContain(`CHAIN_SETTLEMENT_ADDRESS=${firstAddress()}`);
    expect(all).not.toContain(deployer.privateKey.slice(2));
    const { deployBlock = 0, ...state } = await readState(environment.STATE_FILE as string);
    expect(state).toMatchObject({ chainId: localChainId, settlement: firstAddress().toLowerCase() });
    expect(all).toContain(`since block ${deployBlock}`);
    expect(await chain.getCode(firstAddress(), deployBlock)).not.toBe('0x');
    expect(await chain.getCode(firstAddress(), deployBlock - 1)).toBe('0x');
  });

  it('hands the treasury the call that lets it pay providers', async () => {
    await over(begin());
    const [, to = '', data = ''] = /to +(0x\w+)\n +value 0\n +data +(0x\w+)/.exec(said.join('\n')) ?? [];
    const treasury = environment.CHAIN_TREASURY as string;
    await give(treasury, ONE_ETHER);
    await chain.send('anvil_impersonateAccount', [treasury]);
    await chain.send('eth_sendTransaction', [{ from: treasury, to, data }]);
    await eventually(async () => {
      const approved = await testUsdcAt(usdc, chain).allowance(treasury, firstAddress());
      return approved === 5_000_000n;
    });
    await begin();
    expect(said.join('\n')).toContain('may pay out 5.000000 USDC now');
  });

  it('sends nothing where it is there already, also when nothing is known of the run before', async () => {
    await over(begin());
    proxy.asked.length = 0;
    await begin();
    forget();
    await over(begin());
    expect(proxy.asked).not.toContain('eth_sendRawTransaction');
    expect(said.filter((line) => line.startsWith('it is there already'))).toHaveLength(2);
    await expectOne();
  });

  it('makes no second one where the server is too busy to speak of the first', async () => {
    await over(begin());
    const first = firstAddress().toLowerCase();
    const asked = () => proxy.asked.filter((method) => method === 'eth_sendRawTransaction').length;
    const sent = asked();
    proxy.faults.set('eth_call', (result, [call]) => {
      if ((call as { to?: string }).to?.toLowerCase() !== first) return result;
      throw new NodeRefusal(-32_005, 'limit exceeded');
    });
    await expect(over(begin())).rejects.toThrow('limit exceeded');
    expect(asked()).toBe(sent);
    await expectOne();
  });

  it('does not doubt the token of a server that is too busy to speak of it', async () => {
    proxy.faults.set('eth_call', () => {
      throw new NodeRefusal(-32_005, 'limit exceeded');
    });
    await expect(begin()).rejects.toThrow(/fails \(limit exceeded\)/);
  });

  it('does not doubt a chain whose server is too busy to estimate', async () => {
    const estimateFails = (message: string) =>
      proxy.faults.set('eth_estimateGas', () => {
        throw new NodeRefusal(-32_000, message);
      });
    estimateFails('too many requests');
    await expect(begin()).rejects.toThrow(/^the server at CHAIN_RPC_URL fails \(too many requests\)/);
    estimateFails('max code size exceeded');
    await expect(begin()).rejects.toThrow('this chain cannot take the contract: max code size exceeded');
  });

  it('refuses one that has other terms, and names each', async () => {
    await over(begin());
    const other = Wallet.createRandom().address;
    const changes = {
      CHAIN_TREASURY: other,
      CHAIN_CAP_ALL_DAY: '77',
      CHAIN_PAYER: Wallet.createRandom().address,
    };
    const [before, after] = [environment.CHAIN_TREASURY, changes.CHAIN_PAYER];
    for (const what of [
      `CHAIN_TREASURY is ${other}, the contract's treasury ${before}`,
      "CHAIN_CAP_ALL_DAY is 77, the contract's allDay 1000000000000",
      `CHAIN_PAYER is ${after}, which the contract does not have as a payer`,
    ]) {
      await expect(begin(changes)).rejects.toThrow(what);
    }
    forget();
    await expect(begin(changes)).rejects.toThrow('CHAIN_TREASURY is');
    expect(await sentSoFar()).toBe(1);
  });

  it('finds the one that the state file names, whoever has deployed it', async () => {
    await over(begin());
    const another = Wallet.createRandom();
    await give(another.address, ONE_ETHER);
    await begin({ CHAIN_DEPLOYER_KEY: another.privateKey });
    expect(await chain.getTransactionCount(another.address)).toBe(0);
  });

  it.each(['with', 'without'])(
    'is killed while a block is awaited and run again %s its state file: one contract',
    async (state) => {
      await chain.send('evm_setAutomine', [false]);
      const first = program();
      await waiting();
      first.kill();
      await first.ended;
      if (state === 'without') forget();
      const second = program();
      await eventually(() => second.said().includes('waits for a block'));
      const { code, output } = await over(second.ended);
      expect(output).toContain(`CHAIN_SETTLEMENT_ADDRESS=${firstAddress()}`);
      expect(output).toContain('sends none');
      expect(code).toBe(0);
      expect(proxy.asked.filter((method) => method === 'eth_sendRawTransaction')).toHaveLength(1);
      await expectOne();
    },
  );

  it('is killed before the chain hears of it, and run again', async () => {
    proxy.faults.set('eth_sendRawTransaction', 'swallow');
    const first = program();
    await eventually(() => existsSync(environment.STATE_FILE as string));
    first.kill();
    await first.ended;
    proxy.faults.clear();
    await over(begin());
    await expectOne();
    expect(JSON.parse(readFileSync(environment.STATE_FILE as string, 'utf8'))).toHaveProperty('deployBlock');
  });

  it('finds out what became of a transaction whose answer was lost', async () => {
    proxy.faults.set('eth_sendRawTransaction', 'lose_answer');
    await over(begin());
    await expectOne();
  });

  it('waits until its block is final, and sends anew what a reorganisation took', async () => {
    const run = begin();
    await eventually(() => said.some((line) => line.includes('waits until')));
    await mine(1);
    await chain.send('anvil_reorg', [2, []]);
    expect(await chain.getCode(firstAddress())).toBe('0x');
    await eventually(async () => (await chain.getCode(firstAddress())) !== '0x');
    await over(run);
    await expectOne();
  });

  it('waits for so many blocks where the chain does not say what is final', async () => {
    const withoutFinalized = (block: unknown, [tag]: unknown[]) => (tag === 'finalized' ? null : block);
    proxy.faults.set('eth_getBlockByNumber', withoutFinalized);
    const run = begin({ CHAIN_CONFIRMATIONS: '3' });
    await eventually(() => said.some((line) => line.includes('until 3 blocks lie above it')));
    await mine(3);
    await run;
    await expectOne();
  });

  it('sends again what the pool has dropped', async () => {
    await chain.send('evm_setAutomine', [false]);
    const run = begin();
    await waiting();
    const { deployTransactions = [] } = await readState(environment.STATE_FILE as string);
    await chain.send('anvil_dropTransaction', deployTransactions);
    await waiting();
    await over(run);
    await expectOne();
  });

  it('says when another transaction has taken its place, and takes the next one', async () => {
    await chain.send('evm_setAutomine', [false]);
    const run = begin();
    await waiting();
    const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
    await deployer.sendTransaction({ to: deployer.address, nonce: 0, gasLimit: 21_000, ...fees });
    await expect(over(run)).rejects.toThrow(
      /another transaction of the deployer .* \(nonce 0\): nothing was deployed/,
    );
    await over(begin());
    await expectOne(getCreateAddress({ from: deployer.address, nonce: 1 }), 2);
  });

  it('does not believe at once that its transaction came to nothing', async () => {
    await chain.send('evm_setAutomine', [false]);
    const run = begin();
    await waiting();
    let lies = 3;
    proxy.faults.set('eth_getCode', (code) => (lies-- > 0 ? '0x' : code));
    await over(run);
    expect(lies).toBeLessThan(0);
    await expectOne();
  });

  it('says when its transaction failed, and tries anew', async () => {
    proxy.faults.set('eth_estimateGas', (gas) => `0x${(BigInt(gas as string) / 2n).toString(16)}`);
    await expect(over(begin())).rejects.toThrow(/0x[0-9a-f]{64} failed in block \d+: nothing was deployed/);
    proxy.faults.clear();
    await over(begin());
    await expectOne(getCreateAddress({ from: deployer.address, nonce: 1 }), 2);
  });

  it('gives up on a server that goes away, and goes on when it is back', async () => {
    await chain.send('evm_setAutomine', [false]);
    const run = begin();
    await waiting();
    proxy.close();
    await expect(run).rejects.toThrow(/^the server at CHAIN_RPC_URL fails \(ECONNREFUSED\)\. It is safe/);
    await over(begin({ CHAIN_RPC_URL: anvil.url }));
    await expectOne();
  });

  it('says what is missing for gas before it sends anything', async () => {
    await give(deployer.address, 1_000n);
    await expect(begin()).rejects.toThrow(/too little for gas: send it at least 0\.\d+ and run this again/);
    expect(said.at(-1)).toMatch(
      /has 0\.000000000000001 of the chain's coin and needs at most 0\.\d+ for gas/,
    );
    expect(existsSync(environment.STATE_FILE as string)).toBe(false);
    expect(proxy.asked).not.toContain('eth_sendRawTransaction');
  });

  it('wants a deployer of its own', async () => {
    await chain.send('anvil_setNonce', [deployer.address, '0x15']);
    await expect(begin()).rejects.toThrow(/has sent 21 transactions: take an account made for this/);
  });

  it.each([
    ['nothing', undefined, /there is no contract/],
    ['something else', { decimals: 6 }, /is "" \(""\)/],
    ['another currency', { name: 'Euro Coin', symbol: 'EURC', decimals: 6 }, /"Euro Coin" \("EURC"\)/],
    [
      '18 decimals',
      { symbol: 'USDC', decimals: 18, DOMAIN_SEPARATOR: `0x${'1'.repeat(64)}` },
      /has 18 decimals/,
    ],
    ['no permits', { name: 'USD Coin', symbol: 'USDC.e', decimals: 6 }, /takes no permits/],
  ])('refuses a token that is %s', async (_, answers, reason) => {
    const address = Wallet.createRandom().address;
    if (answers) await chain.send('anvil_setCode', [address, tokenCode(answers)]);
    const run = begin({ CHAIN_USDC_ADDRESS: address });
    await expect(run).rejects.toThrow(/^CHAIN_USDC_ADDRESS is not USDC's: /);
    await expect(run).rejects.toThrow(reason);
    expect(await sentSoFar()).toBe(0);
  });

  it('ends with 1 on another chain and 2 where it is told too little, in one line each', async () => {
    const elsewhere = await program({ CHAIN_ID: '1' }).ended;
    expect(elsewhere).toEqual({
      code: 1,
      output: '',
      error: `setup settlement: CHAIN_RPC_URL does not fit CHAIN_ID: expected chain 1, the server is on ${localChainId}\n`,
    });
    const { code, error } = await program({ CHAIN_TREASURY: '' }).ended;
    expect([code, error]).toEqual([2, expect.stringContaining('CHAIN_TREASURY: it is required')]);
  });

  it('says when its time is up', async () => {
    await chain.send('evm_setAutomine', [false]);
    const { code, error } = await program({ SETUP_TIMEOUT_MS: '5000' }).ended;
    expect([code, error]).toEqual([1, 'setup settlement: not done within 5000 ms\n']);
  });

  it('keeps what else the state file holds', async () => {
    await writeState(environment.STATE_FILE as string, {
      chainId: 1,
      settlement: firstAddress(),
      apiKey: 'kept',
    });
    await over(begin());
    expect(await readState(environment.STATE_FILE as string)).toMatchObject({
      chainId: localChainId,
      apiKey: 'kept',
    });
  });
});

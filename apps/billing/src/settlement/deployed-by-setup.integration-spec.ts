import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deployContracts, testUsdcAt } from '@svc/contracts-evm';
import type { DeployedContracts } from '@svc/contracts-evm';
import { localChainId, pause, workspaceRoot } from '@svc/local-servers';
import { Wallet, computeAddress } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { PROVIDER } from '../ledger/ledger.for-spec';
import { MNEMONIC_KEYS, SettlementBench } from './settlement.for-spec';

const ONE_ETHER = '0xde0b6b3a7640000';
const USDC = 1_000_000n;

/** What setup has said. */
let said = '';

/** As on a chain of others: there is a token, and `setup settlement` deploys the contract alone. */
async function deployBySetup(provider: JsonRpcProvider, rpcUrl: string): Promise<DeployedContracts> {
  const { usdc } = await deployContracts(new Wallet(MNEMONIC_KEYS.deployer, provider));
  const deployer = Wallet.createRandom();
  await provider.send('anvil_setBalance', [deployer.address, ONE_ETHER]);
  const folder = mkdtempSync(join(tmpdir(), 'svc-deployed-'));
  const setup = spawn(process.execPath, [join(workspaceRoot, 'apps/setup/dist/main.js'), 'settlement'], {
    env: {
      PATH: process.env.PATH,
      STATE_FILE: join(folder, 'state.json'),
      CHAIN_RPC_URL: rpcUrl,
      CHAIN_ID: String(localChainId),
      CHAIN_DEPLOYER_KEY: deployer.privateKey,
      CHAIN_USDC_ADDRESS: usdc,
      CHAIN_TREASURY: computeAddress(MNEMONIC_KEYS.treasury),
      CHAIN_ADMIN: Wallet.createRandom().address,
      CHAIN_SETTLER: computeAddress(MNEMONIC_KEYS.settler),
      CHAIN_PAYER: computeAddress(MNEMONIC_KEYS.payer),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  setup.stdout.on('data', (data: Buffer) => (said += data.toString()));
  const ended = once(setup, 'close');
  while (setup.exitCode === null) {
    await provider.send('anvil_mine', ['0x64']);
    await pause(50);
  }
  await ended;
  rmSync(folder, { recursive: true, force: true });
  const [, settlement = ''] = /^CHAIN_SETTLEMENT_ADDRESS=(\w+)$/m.exec(said) ?? [];
  const [, deployBlock] = /since block (\d+)/.exec(said) ?? [];
  return { usdc, settlement, deployBlock: Number(deployBlock) };
}

let bench: SettlementBench;

beforeAll(async () => {
  bench = await SettlementBench.start(deployBySetup);
});
afterAll(() => bench.close());

describe('a contract that setup has deployed for a token that was there', () => {
  it('collects what wallets owe, and pays providers once the treasury has made the call it was given', async () => {
    const [, to = '', data = ''] = /to +(0x\w+)\n +value 0\n +data +(0x\w+)/.exec(said) ?? [];
    const treasury = new Wallet(MNEMONIC_KEYS.treasury, bench.provider);
    await (await treasury.sendTransaction({ to, data })).wait();
    const token = testUsdcAt(bench.contracts.usdc, bench.provider);
    expect(await token.allowance(treasury.address, bench.contracts.settlement)).toBe(1_000_000n * USDC);
    const billing = await bench.instance();
    const buyer = await bench.buyer(billing.watcher, 10n * USDC);
    await bench.buy(buyer, 250_000);
    await bench.settle(billing);
    await bench.publish(billing);
    await bench.claim(billing);
    expect(await bench.batches()).toEqual(['settled 1 1 250000']);
    expect(await token.balanceOf(PROVIDER)).toBe(225_000n);
    expect(await token.balanceOf(treasury.address)).toBe(25_000n);
    expect(await billing.reconciliation.reconcile('full')).toEqual([]);
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectChain, deployContracts, payoutRoot, settlementAt, testUsdcAt } from '@svc/contracts-evm';
import { supplyDomain } from '@svc/supply-messages';
import { testChain } from '@svc/testing';
import { Wallet } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { readCommandLine } from '../command-line/command-line';
import { readSvcProviderConfig } from '../command-line/svc-provider.config';
import { StubMarket } from '../market/stub-market.for-spec';
import { earnings } from './earnings.command';
import { init } from './init.command';

const EARNED = 1_500_000n;
const GAS = `0x${(10n ** 18n).toString(16)}`;
const { rpcUrl, chainId } = testChain();

let folder: string;
let file: string;
let market: StubMarket;
let chain: JsonRpcProvider;
let said: string;
let shown: Record<string, unknown> | undefined;

const provider = Wallet.createRandom();

/** Runs a command of `provider`'s. */
function run(command: typeof init, ...args: string[]): Promise<number> {
  const line = readCommandLine([...args, '--file', file]);
  const terminal = {
    say: (text: string) => void (said += `${text}\n`),
    result: (document: object) => void (shown = document as typeof shown),
  };
  const config = readSvcProviderConfig({ SVC_PROVIDER_KEY: provider.privateKey });
  return command({ line, config, terminal });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-claim-'));
  file = join(folder, 'svc-provider.yaml');
  market = await StubMarket.start();
  chain = await connectChain({ rpcUrl, chainId: BigInt(chainId), pollingIntervalMs: 20 });
  said = '';
});
afterEach(async () => {
  chain.destroy();
  await market.stop();
  rmSync(folder, { recursive: true });
});

it('a claim says what was paid, and costs no gas while nothing can be', async () => {
  const treasury = Wallet.createRandom().connect(chain);
  for (const { address } of [treasury, provider]) await chain.send('anvil_setBalance', [address, GAS]);
  const { usdc, settlement } = await deployContracts(treasury);
  market.domain = supplyDomain(chainId, settlement);
  const cumulative = EARNED;
  const root = payoutRoot([{ provider: provider.address, cumulative }]);
  await (await settlementAt(settlement, treasury).publishPayoutRoot(root)).wait();
  const token = testUsdcAt(usdc, treasury);
  await (await token.faucet(treasury.address, EARNED)).wait();
  market.earnings = {
    lines: [],
    account: { credited_usdc: '1.5', released_usdc: '1.5', paid_out_usdc: '0', payable_usdc: '1.500000' },
    claim: { state: 'settled', cumulative: String(cumulative), proof: [] },
    next: null,
  };
  await run(init, 'init', '--url', market.url);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/# rpc_url: \S+/, `rpc_url: ${rpcUrl}`));
  const claim = () => run(earnings, 'earnings', '--claim');

  await expect(claim()).rejects.toThrow(/^nothing of 1\.500000 USDC can be paid out: the treasury has/);
  expect(await chain.getTransactionCount(provider.address)).toBe(0);

  await (await token.approve(settlement, 1_000_000n)).wait();
  expect(await claim()).toBe(0);
  expect(said).toMatch(/: 1\.000000 USDC were paid out\n0\.500000 USDC are left: the treasury has/);
  expect(shown).toMatchObject({ claimed: { amount: '1000000' } });
  expect(await token.balanceOf(provider.address)).toBe(1_000_000n);

  await (await token.approve(settlement, 1_000_000n)).wait();
  expect(await claim()).toBe(0);
  expect(said).toMatch(/: 0\.500000 USDC were paid out\n$/);

  // More was earned, and its root is not there yet, or another one by now.
  const next = { cumulative: String(cumulative + 1n), proof: [] };
  const account = { credited_usdc: '1.500001', released_usdc: '1.500001', payable_usdc: '0.000001' };
  const more = (state: string) => ({
    ...{ ...market.earnings, claim: { ...next, state } },
    account: { ...account, paid_out_usdc: '1.500000' },
  });
  market.earnings = more('signed');
  await expect(claim()).rejects.toThrow(/^nothing was sent: a new payout is on its way to the chain/);
  market.earnings = more('mined');
  await expect(claim()).rejects.toThrow(/^nothing was sent: another payout was published meanwhile/);
});

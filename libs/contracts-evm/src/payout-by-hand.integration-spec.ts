import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { merkleTree, payoutLeaf, payoutRoot } from './index';
import type { Earning } from './index';
import { deployFresh, mined, startPrivateChain } from './private-chain.for-spec';
import type { PrivateChain } from './private-chain.for-spec';

const ROOT = join(__dirname, '../../..');
const run = promisify(execFile);

describe('the code that docs/contracts.md gives for checking a payout by hand', () => {
  let chain: PrivateChain;
  let folder: string;

  beforeAll(async () => {
    chain = await startPrivateChain();
    folder = mkdtempSync(join(tmpdir(), 'svc-payout-'));
  });
  afterAll(async () => {
    await chain.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('agrees with the contract', async () => {
    const { settlement, contract } = await deployFresh(chain);
    const providers = await Promise.all([1, 2, 3].map((index) => chain.signer(index)));
    const earnings: Earning[] = providers.map(({ address }, index) => ({
      provider: address.toLowerCase(),
      cumulative: BigInt(index + 1) * 27n,
    }));
    await mined(contract.publishPayoutRoot(payoutRoot(earnings)));
    const page = readFileSync(join(ROOT, 'docs/contracts.md'), 'utf8');
    const code = /## Payouts[^]*?```js\n([^]*?)```/.exec(page)?.[1] ?? '';
    const byHand = async (index: number, cumulative = earnings[index]?.cumulative) => {
      const proof = merkleTree(earnings.map(payoutLeaf)).proof(index);
      const reply = { provider: earnings[index]?.provider, claim: { cumulative: String(cumulative), proof } };
      const file = join(folder, 'earnings.json');
      writeFileSync(file, JSON.stringify(reply));
      const { url } = chain.provider._getConnection();
      const args = ['--input-type=module', '--eval', code, '--', 'payout-by-hand.mjs', file, url, settlement];
      return (await run(process.execPath, args, { cwd: ROOT })).stdout;
    };
    expect(await byHand(0)).toBe('published: true\nunpaid: 27\n');
    expect(await byHand(2)).toBe('published: true\nunpaid: 81\n');
    expect(await byHand(1, 55n)).toBe('published: false\nunpaid: 55\n');
  });
});

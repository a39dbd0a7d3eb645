import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReceiptDocument } from '@svc/contracts';
import { deployFresh, startPrivateChain } from './private-chain.for-spec';
import type { Deployment, PrivateChain } from './private-chain.for-spec';
import { creditReceipt, fundPayer, settleReceipts, usageReceipt } from './settled-receipts.for-spec';

const ROOT = join(__dirname, '../../..');

interface Ending {
  code: number | null;
  stdout: string;
  stderr: string;
}

describe('npm run verify-receipt', () => {
  let chain: PrivateChain;
  let deployment: Deployment;
  let documents: ReceiptDocument[];
  let stateDir: string;
  let rpc: string;

  /** Runs the tool as npm does, in an empty or given state directory. */
  function run(args: string[], input = '', environment: Record<string, string> = {}): Promise<Ending> {
    return runNode([join(ROOT, 'tools/verify-receipt.mjs'), ...args], input, environment);
  }

  function runNode(args: string[], input: string, environment: Record<string, string> = {}): Promise<Ending> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, args, {
        cwd: ROOT,
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          SVC_STATE_DIR: join(stateDir, 'none'),
          ...environment,
        },
      });
      const ending: Ending = { code: null, stdout: '', stderr: '' };
      child.stdout.on('data', (data: Buffer) => (ending.stdout += data.toString()));
      child.stderr.on('data', (data: Buffer) => (ending.stderr += data.toString()));
      child.once('error', reject);
      child.once('close', (code) => resolve({ ...ending, code }));
      // A tool that ended before reading leaves a broken pipe behind.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
    });
  }

  function fileOf(document: unknown): string {
    const file = join(stateDir, 'receipt.json');
    writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document, null, 2));
    return file;
  }
  const flags = () => ['--rpc', rpc, '--contract', deployment.settlement];
  const verify = (document: unknown) => run([fileOf(document), ...flags()]);
  const first = () => documents[0] as ReceiptDocument;
  const settled = () => first().settlement as NonNullable<ReceiptDocument['settlement']>;

  beforeAll(async () => {
    stateDir = mkdtempSync(join(tmpdir(), 'svc-verify-'));
    chain = await startPrivateChain();
    rpc = chain.provider._getConnection().url;
    deployment = await deployFresh(chain);
    const alice = await fundPayer(chain, deployment, 1, 10_000n);
    const bob = await fundPayer(chain, deployment, 2, 1_000n);
    documents = await settleReceipts(chain, deployment, 1, [
      { payer: alice, cumulative: 2_000n, receipts: [usageReceipt(alice), creditReceipt(alice)] },
      { payer: bob, cumulative: 2_002n, receipts: [usageReceipt(bob)] },
    ]);
  });
  afterAll(async () => {
    await chain.stop();
    rmSync(stateDir, { recursive: true, force: true });
  });

  it('accepts a receipt and says what it checked', async () => {
    const { code, stdout, stderr } = await verify(first());
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^The receipt holds\.\n/);
    for (const said of [
      deployment.settlement,
      settled().batch_id,
      '0.002002 USDC = (1000 × 1000000 + 501 × 2000000)',
      '0.002000 USDC owed in all with this batch, 0.002000 USDC pulled',
    ]) {
      expect(stdout).toContain(said);
    }
    expect(stdout).toMatch(/transaction +0x[0-9a-f]{64}\n$/);
  });

  it('accepts from standard input, and credits', async () => {
    const { code, stdout } = await run(['-', ...flags()], JSON.stringify(documents[1]));
    expect(stdout).toContain('0.000002 USDC: goodwill');
    expect(code).toBe(0);
  });

  it('accepts what is not wholly paid yet, and says so', async () => {
    const { code, stdout } = await verify(documents[2]);
    expect(stdout).toContain('not wholly paid yet');
    expect(code).toBe(0);
  });

  it('takes what is not given from the state of the local marketplace', async () => {
    const { settlement, deployBlock } = deployment;
    const setup = { chainId: 31337, settlement: settlement.toLowerCase(), deployBlock };
    writeFileSync(join(stateDir, 'state.json'), JSON.stringify(setup));
    const environment = { SVC_STATE_DIR: stateDir };
    const file = fileOf(first());
    expect(await run([file], '', environment)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--rpc/) as string,
    });
    expect(await run([file, '--rpc', rpc], '', environment)).toMatchObject({ code: 0 });
    writeFileSync(join(stateDir, 'ready.json'), JSON.stringify({ chainRpc: rpc, settlement }));
    expect(await run([file], '', environment)).toMatchObject({ code: 0 });
    const elsewhere = await run([file, '--contract', deployment.usdc], '', environment);
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringMatching(/not the trusted/) as string });
    const relative = { ...environment, npm_lifecycle_event: 'verify-receipt', INIT_CWD: stateDir };
    expect(await run(['receipt.json'], '', relative)).toMatchObject({ code: 0 });
  });

  it('takes nothing from the marketplace of another environment than the one that is named', async () => {
    const shared = mkdtempSync(join(tmpdir(), 'svc-shared-'));
    const ready = { environment: 'testnet', chainRpc: rpc, settlement: deployment.settlement };
    writeFileSync(join(shared, 'ready.json'), JSON.stringify(ready));
    const ask = (environment: string) =>
      run([fileOf(first()), '--environment', environment], '', { SVC_STATE_DIR: shared });
    expect(await ask('testnet')).toMatchObject({ code: 0 });
    expect(await ask('production')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no marketplace runs/) as string,
    });
    rmSync(shared, { recursive: true });
  });

  it('takes it from that of the other environment when that is named', async () => {
    const clone = join(stateDir, 'clone');
    const production = join(clone, '.local/production');
    mkdirSync(production, { recursive: true });
    for (const name of ['libs', 'node_modules', 'package-lock.json']) {
      symlinkSync(join(ROOT, name), join(clone, name));
    }
    cpSync(join(ROOT, 'tools'), join(clone, 'tools'), {
      recursive: true,
      filter: (path) => !/modules/.test(path),
    });
    writeFileSync(
      join(production, 'ready.json'),
      JSON.stringify({ chainRpc: rpc, settlement: deployment.settlement }),
    );
    const ask = (...args: string[]) =>
      runNode([join(clone, 'tools/verify-receipt.mjs'), fileOf(first()), ...args], '', { SVC_STATE_DIR: '' });
    expect(await ask('--environment', 'production')).toMatchObject({ code: 0 });
    expect(await ask()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no marketplace runs/) as string,
    });
    expect(await ask('--environment', 'staging')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/must be one of testnet, production/) as string,
    });
  });

  it.each<[string, RegExp, () => unknown]>([
    [
      'a changed cost',
      /cost_usdc/,
      () => ({ ...first(), receipt: { ...first().receipt, cost_usdc: '0.002001' } }),
    ],
    [
      'a changed model',
      /receipt_proof/,
      () => ({ ...first(), receipt: { ...first().receipt, model: 'other' } }),
    ],
    [
      'another contract',
      /settlement\.contract/,
      () => ({ ...first(), settlement: { ...settled(), contract: deployment.usdc } }),
    ],
    [
      'another chain',
      /settlement\.chain_id/,
      () => ({ ...first(), settlement: { ...settled(), chain_id: 1 } }),
    ],
    ['no settlement yet', /not on chain yet/, () => ({ ...first(), settlement: null })],
    ['what is not JSON', /not JSON/, () => '{"receipt":'],
    ['what is no receipt', /receipt is missing/, () => ({})],
  ])('refuses %s in one line', async (_name, reason, document) => {
    const { code, stdout, stderr } = await verify(document());
    expect(stderr).toMatch(/^refused: .+\n$/);
    expect(stderr).toMatch(reason);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });

  it('lets no words of the file steer the terminal', async () => {
    const { code, stderr } = await verify({ ...first(), 'x\u001b[2J\nThe receipt holds.': 1 });
    expect(stderr).toBe('refused: x?[2J\n');
    expect(code).toBe(1);
  });

  it('says what it takes to whoever asks', async () => {
    const { code, stdout, stderr } = await run(['--help']);
    expect(stdout).toMatch(/^usage: npm run verify-receipt -- FILE .*\n$/);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('tells that it could not check from a refusal', async () => {
    const file = fileOf(first());
    const address = deployment.settlement;
    const cases: [RegExp, string[]][] = [
      [/^usage: /, []],
      [/^usage: /, [file, file, ...flags()]],
      [/^Unknown option '--chain'/, [file, '--chain', '1']],
      [/--rpc/, [file]],
      [/--contract/, [file, '--rpc', rpc]],
      [/--contract 0x12 is no address/, [file, '--rpc', rpc, '--contract', '0x12']],
      [/--rpc file:x is no/, [file, '--rpc', 'file:x', '--contract', address]],
      [/^cannot read .*ENOENT/, [`${file}.none`, ...flags()]],
      [
        /^the chain at http:\/\/127.0.0.1:9 did not answer/,
        [file, '--rpc', 'http://127.0.0.1:9', '--contract', address],
      ],
    ];
    for (const [reason, args] of cases) {
      const { code, stdout, stderr } = await run(args);
      expect(stderr).toMatch(reason);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(stdout).toBe('');
      expect(code).toBe(2);
    }
    const noContract = { ...first(), settlement: { ...settled(), contract: deployment.treasury } };
    const ending = await run([fileOf(noContract), '--rpc', rpc, '--contract', deployment.treasury]);
    expect(ending).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no settlement contract/) as string,
    });
  });

  it('agrees with the code that docs/contracts.md gives for checking by hand', async () => {
    const code = /```js\n([^]*?)```/.exec(readFileSync(join(ROOT, 'docs/contracts.md'), 'utf8'))?.[1] ?? '';
    const byHand = (document: unknown) => {
      const args = ['--input-type=module', '-', fileOf(document), rpc, deployment.settlement];
      return runNode(args, code);
    };
    const said = (inBatch: boolean, paid: boolean) =>
      `in the batch: ${inBatch}\nwallet charged: true\npaid: ${paid}\n`;
    expect(await byHand(first())).toEqual({ code: 0, stdout: said(true, true), stderr: '' });
    expect((await byHand(documents[2])).stdout).toBe(said(true, false));
    const changed = { ...first(), receipt: { ...first().receipt, model: 'other' } };
    expect((await byHand(changed)).stdout).toBe(said(false, true));
  });
});

import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogContracts } from '@svc/contracts';
import { CredentialOpener, credentialPublicKeyOf, generateCredentialKey } from '@svc/credential-seal';
import { workspaceRoot } from '@svc/local-servers';
import { eventually } from '@svc/testing';
import { getAddress } from 'ethers';
import { Client } from 'pg';
import { SigningProvider } from '../signing-provider.for-spec';
import { SupplyMarket } from '../supply-market.for-spec';
import { requestOf, wholeRequest } from './catalogue.for-spec';

const KEY = 'sk-vendor-1234567890';
const PAYEE = `0x${'B'.repeat(40)}`;
const ENDPOINT = 'https://vendor.example/v1';

interface Ending {
  code: number | null;
  stdout: string;
  stderr: string;
}

let market: SupplyMarket;
let directory: string;
let gateway: Server;
const privateKey = generateCredentialKey();

beforeAll(async () => {
  market = await SupplyMarket.open();
  await market.apply(wholeRequest());
  directory = mkdtempSync(join(tmpdir(), 'svc-operator-'));
  // As far as the tool asks the gateway.
  const terms = JSON.stringify({ credential_public_key: credentialPublicKeyOf(privateKey) });
  gateway = createServer((_, response) => response.end(terms));
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await new Promise((resolve) => gateway.close(resolve));
  rmSync(directory, { recursive: true });
  await market.close();
});

/** @param stdout where it writes; what comes of a pipe is kept */
function run(
  args: string[],
  variables: Record<string, string> = {},
  stdout: 'pipe' | 'closed pipe' | number = 'pipe',
): Promise<Ending> {
  const url = new URL(market.nats.url);
  url.username = 'setup';
  url.password = market.nats.password;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['tools/operator.mjs', ...args], {
      cwd: workspaceRoot,
      env: {
        PATH: process.env.PATH,
        SVC_STATE_DIR: directory,
        SVC_OPERATOR_NATS_URL: url.href,
        SVC_OPERATOR_GATEWAY_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`,
        ...variables,
      },
      stdio: ['ignore', stdout === 'closed pipe' ? 'pipe' : stdout, 'pipe'],
    });
    const ending: Ending = { code: null, stdout: '', stderr: '' };
    if (stdout === 'closed pipe') child.stdout?.destroy();
    child.stdout?.on('data', (data: Buffer) => (ending.stdout += data.toString()));
    child.stderr?.on('data', (data: Buffer) => (ending.stderr += data.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...ending, code }));
  });
}

const why = ['--reason', 'an agreement', '--actor', 'carol'];
const whole = [
  ...['--model', 'svc/tiny@1', '--endpoint', ENDPOINT, '--upstream-model', 'tiny-pro', '--payee', PAYEE],
  ...['--input-price', '900000', '--output-price', '3600000', '--context', '8192', '--max-output', '4096'],
];
const prices = ['--input-price', '1000000', '--output-price', '4000000'];
const routing = ['--candidates', 'svc/tiny@1', ...prices];

describe('npm run operator -- managed', () => {
  it('adds a vendor whose key nobody but dispatch can read', async () => {
    const set = ['managed', 'set', 'vendor-tiny', ...whole, '--key-env', 'VENDOR_KEY', ...why];
    const { code, stdout, stderr } = await run(set, { VENDOR_KEY: KEY });
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ managedVendors: 1 });
    const offer = await eventually(() => market.offer('managed-vendor-tiny'));
    expect(offer).toMatchObject({ endpoint: ENDPOINT, provider: PAYEE.toLowerCase(), version: 1 });
    const { provider, endpoint, credential = '' } = offer;
    expect(new CredentialOpener(privateKey).open({ provider, endpoint }, credential)).toBe(KEY);
    expect((await run(['managed'])).stdout).not.toContain(credential);
    expect((await run(['audit', 'vendor-tiny'])).stdout).toMatch(
      /managed\.define +vendor-tiny +by carol +because/,
    );
  });

  it('changes what it is told and nothing else', async () => {
    const { code } = await run(['managed', 'set', 'vendor-tiny', '--input-price', '800000', ...why]);
    expect(code).toBe(0);
    await eventually(() => market.offer('managed-vendor-tiny')?.inputPricePerMtok === '800000');
    const { stdout } = await run(['managed']);
    expect(JSON.parse(stdout)).toMatchObject({
      managedVendors: [{ outputPricePerMtok: '3600000', hasCredential: true, version: 2, tools: false }],
    });
  });

  it('says how a vendor calls the fields that not all call alike, and keeps that', async () => {
    const nameOf = () => market.offer('managed-vendor-tiny')?.outputLimitField;
    const thoughts = () => market.offer('managed-vendor-tiny')?.certified.reasoningField;
    const set = ['managed', 'set', 'vendor-tiny', ...why];
    expect(nameOf()).toBeUndefined();
    const names = ['--output-limit-field', 'max_completion_tokens', '--reasoning-field', 'reasoning'];
    expect((await run([...set, ...names])).code).toBe(0);
    await eventually(() => nameOf() === 'max_completion_tokens' && thoughts() === 'reasoning');
    expect((await run([...set, '--chunk-ms', '20000'])).code).toBe(0);
    await eventually(() => market.offer('managed-vendor-tiny')?.chunkTimeoutMs === 20_000);
    expect([nameOf(), thoughts()]).toEqual(['max_completion_tokens', 'reasoning']);
    const usual = ['--output-limit-field', 'max_tokens', '--reasoning-field', 'none'];
    expect((await run([...set, ...usual])).code).toBe(0);
    await eventually(() => nameOf() === undefined && thoughts() === undefined);
    const { code, stderr } = await run([...set, '--output-limit-field', 'max_output_tokens']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('managedVendors[0].outputLimitField')]);
  });

  it('wants the key again for another endpoint, from a file or a variable', async () => {
    const moved = ['managed', 'set', 'vendor-tiny', '--endpoint', 'https://other.example/v1', ...why];
    expect(await run(moved)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('give it again') as string,
    });
    const file = join(directory, 'key');
    writeFileSync(file, `${KEY}\n`);
    expect((await run([...moved, '--key-file', file])).code).toBe(0);
    const offer = await eventually(() => {
      const found = market.offer('managed-vendor-tiny');
      return found?.endpoint === 'https://other.example/v1' ? found : undefined;
    });
    const { provider, endpoint, credential = '' } = offer;
    expect(new CredentialOpener(privateKey).open({ provider, endpoint }, credential)).toBe(KEY);
  });

  it('does not seal a key for the market of this machine when another one is asked', async () => {
    writeFileSync(
      join(directory, 'ready.json'),
      JSON.stringify({ gateway: 'http://127.0.0.1:9', environment: 'testnet' }),
    );
    const set = ['managed', 'set', 'another', ...whole, '--key-env', 'VENDOR_KEY', ...why];
    const { code, stderr } = await run(set, { VENDOR_KEY: KEY, SVC_OPERATOR_GATEWAY_URL: '' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('say with --gateway URL')]);
    expect(await run(['managed', '--environment', 'production'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no production marketplace runs here') as string,
    });
  });

  it('says so when the gateway it was told of is none of a market', async () => {
    const other = createServer((_, response) => response.end('{}'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const set = ['managed', 'set', 'another', ...whole, '--key-env', 'VENDOR_KEY', '--gateway', url, ...why];
    const { code, stderr } = await run(set, { VENDOR_KEY: KEY });
    await new Promise((resolve) => other.close(resolve));
    expect([code, stderr]).toEqual([2, `${url} does not tell what keys are sealed for\n`]);
  });

  it('asks one of several servers, with the user that any of them names', async () => {
    const { host, port } = new URL(market.nats.url);
    const servers = `nats://setup:${market.nats.password}@${host},nats://localhost:${port}`;
    const { code, stdout } = await run(['audit', '--nats', servers]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('carol')]);
  });

  it('retires one', async () => {
    expect((await run(['managed', 'retire', 'vendor-tiny', ...why])).code).toBe(0);
    await eventually(() => market.offer('managed-vendor-tiny') === undefined);
    expect((await run(['managed', 'retire', 'nobody', ...why])).code).toBe(1);
  });

  it.each([
    [['managed', 'set', 'another', ...whole], 'say why'],
    [['managed', 'set', 'another', '--model', 'svc/tiny@1', ...why], 'a new vendor needs --endpoint'],
    [['managed', 'set', 'another', ...whole, '--key-env', 'NOT_SET', ...why], 'NOT_SET holds no key'],
    [
      ['managed', 'set', 'another', ...whole, '--context', 'much', ...why],
      '--context must be a whole number',
    ],
    [
      [
        'managed',
        'set',
        'another',
        ...whole,
        '--key-env',
        'PATH',
        '--gateway',
        'http://market.example',
        ...why,
      ],
      '--gateway must be an https URL',
    ],
    [['managed', 'other', 'x'], 'there is no command "managed other"\nusage:'],
    [['managed', 'set', 'a', 'b'], 'managed set takes no "b"\nusage:'],
    [['managed', 'retire', ...why], 'managed retire needs to know what\nusage:'],
    [['managed', 'retire', 'a', '--reason', ' '], 'say why'],
    [['suspend', '0x123', ...why], '0x123 is no wallet: 0x and 40 hexadecimal digits'],
  ])('does not do %j', async (args, message) => {
    const { code, stderr } = await run(args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

it('says what it takes to whoever asks', async () => {
  expect(await run(['--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^usage: npm run operator -- COMMAND/) as string,
    stderr: '',
  });
});

describe('npm run operator -- routing', () => {
  it('defines a routing model, and changes it', async () => {
    expect((await run(['routing', 'svc/cortex@1', ...prices, ...why])).code).toBe(2);
    expect((await run(['routing', 'svc/cortex@1', ...routing, ...why])).code).toBe(0);
    expect((await run(['routing', 'svc/cortex@1', '--output-price', '5000000', ...why])).code).toBe(0);
    await eventually(() => {
      const view = market.model('svc/cortex@1') as unknown as { maxOutputPricePerMtok?: string } | undefined;
      return view?.maxOutputPricePerMtok === '5000000';
    });
  });
});

describe('npm run operator', () => {
  const as = (credentials: string) => {
    const { host } = new URL(market.nats.url);
    return { SVC_OPERATOR_NATS_URL: `nats://${credentials}@${host}` };
  };

  it.each<[string, () => Record<string, string>, string]>([
    ['is away', () => ({ SVC_OPERATOR_NATS_URL: 'nats://setup:x@127.0.0.1:1' }), 'no connection to NATS'],
    ['knows no such user', () => as('setup:wrong'), 'Authorization Violation'],
  ])('ends, and says that nobody was asked, where NATS %s', async (_, variables, words) => {
    const { code, stderr } = await run(['managed'], variables());
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  it('says that nobody refused where the catalogue fails', async () => {
    const owner = new Client({ connectionString: market.database.adminUrl });
    await owner.connect();
    await owner.query('ALTER TABLE catalog.audit RENAME TO audit_away');
    const { code, stderr } = await run(['audit']);
    await owner.query('ALTER TABLE catalog.audit_away RENAME TO audit');
    await owner.end();
    expect([code, stderr]).toEqual([2, 'the catalogue failed: its log says why\n']);
  });

  it('says that nobody refused where dispatch cannot say whether an endpoint may be called', async () => {
    const { permit } = market;
    market.permit = undefined;
    const { code, stderr } = await run(['managed', 'set', 'another', ...whole, ...why]);
    market.permit = permit;
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be checked right now')]);
  });

  it('does what it is asked though nobody reads what it says', async () => {
    const { code, stderr } = await run(['routing', 'svc/unread@1', ...routing, ...why], {}, 'closed pipe');
    expect([code, stderr]).toEqual([0, '']);
    expect((await run(['audit', 'svc/unread@1'])).stdout).toContain('routing.define');
  });

  it('says in one line that what it says cannot be written', async () => {
    const full = openSync('/dev/full', 'w');
    const { code, stderr } = await run(['audit'], {}, full).finally(() => closeSync(full));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^.*cannot be written: ENOSPC.*\n$/)]);
  });

  it('lists what was done to a wallet in whichever case it is written', async () => {
    const provider = new SigningProvider();
    await market.call(catalogContracts.registerProvider, await provider.registration());
    const { wallet } = provider;
    for (const subject of [wallet, getAddress(wallet)]) {
      expect((await run(['audit', subject])).stdout).toContain('provider.register');
    }
  });

  it('says that it does not show all of a long audit trail', async () => {
    const profile = { hardwareClass: 'cpu', contextLimit: 8_192, speedTier: 'standard' };
    const profiles = Array.from({ length: 101 }, (_, index) => ({ id: `cpu-${index}`, ...profile }));
    await market.apply(requestOf({ profiles }));
    const lines = (await run(['audit'])).stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe('… and older ones, which the portal shows');
    expect((await run(['audit', 'cpu-1'])).stdout).not.toContain('older');
  });

  it('takes the file that docs/certification.md shows, and its model for no other workload', async () => {
    const page = readFileSync(join(workspaceRoot, 'docs/certification.md'), 'utf8');
    const [, shown = ''] = /```json\n([^]*?)```/.exec(page) ?? [];
    const file = join(directory, 'shown.json');
    writeFileSync(file, shown);
    expect((await run(['define', file])).code).toBe(0);
    await eventually(() => market.model('svc/mine@1'));
    writeFileSync(file, shown.replace('"chat"', '"embedding"'));
    const { code, stderr } = await run(['define', file]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('capabilities.workload')]);
  });

  it.each(['null', '[]', '{}', '{"model":[]}'])('says that a file with %s defines nothing', async (text) => {
    const file = join(directory, 'nothing.json');
    writeFileSync(file, text);
    const { code, stderr } = await run(['define', file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('holds no definitions')]);
  });
});

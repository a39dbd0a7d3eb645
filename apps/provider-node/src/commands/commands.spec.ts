import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { Wallet, encryptKeystoreJsonSync } from 'ethers';
import { CommandError } from '../command-line/command-error';
import { readCommandLine } from '../command-line/command-line';
import { readSvcProviderConfig } from '../command-line/svc-provider.config';
import { StubMarket } from '../market/stub-market.for-spec';
import type { Command } from './command-context';
import { earnings } from './earnings.command';
import { init } from './init.command';
import { nodeSettings } from './node-settings';
import { offer } from './offer.command';
import { register } from './register.command';
import { status } from './status.command';
import { withdraw } from './withdraw.command';
import { ProviderFile } from '../provider-file/provider-file';

const commands: Record<string, Command> = { init, register, offer, withdraw, status, earnings };
const probe = (name: string, fields: object = {}) => ({ name, required: true, status: 'passed', ...fields });

describe('the commands', () => {
  let folder: string;
  let file: string;
  let market: StubMarket;
  let said: string;
  let shown: object | undefined;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-commands-'));
    file = join(folder, 'svc-provider.yaml');
    market = await StubMarket.start();
    said = '';
    await run('init', '--url', market.url);
  });
  afterEach(async () => {
    await market.stop();
    rmSync(folder, { recursive: true });
  });

  const runAs = (environment: Record<string, string>, ...args: string[]): Promise<number> => {
    const line = readCommandLine([...args, '--file', file]);
    const terminal = {
      say: (text: string) => void (said += `${text}\n`),
      result: (document: object) => void (shown = document),
    };
    const config = readSvcProviderConfig(environment);
    return commands[line.command ?? '']?.({ line, config, terminal }) ?? Promise.resolve(2);
  };
  const run = (...args: string[]) => runAs({}, ...args);
  const edit = (from: string | RegExp, to: string) =>
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(from, () => to),
    );
  const wallet = () => new Wallet(readFileSync(join(folder, 'svc-provider.key'), 'utf8').trim());

  describe('init', () => {
    it('overwrites nothing', async () => {
      await expect(run('init')).rejects.toThrow(/is there already/);
    });

    it('writes down the chain and the contract that it saw', () => {
      expect(readFileSync(file, 'utf8')).toContain(market.domain.verifyingContract);
    });

    it('writes down nothing else of what it was told', async () => {
      const contract = `${market.domain.verifyingContract}'\n  rpc_url: 'http://evil.example/\${SECRET}`;
      Object.assign(market.domain, { verifyingContract: contract });
      file = join(folder, 'other.yaml');
      await runAs({ SECRET: 'secret' }, 'init', '--url', market.url);
      expect(readFileSync(file, 'utf8')).not.toContain('evil');
      expect(said).toContain('fill in "chain" yourself');
    });

    it('says where it cannot write', async () => {
      file = join(folder, 'nowhere', 'svc-provider.yaml');
      await expect(run('init')).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringMatching(/cannot write .*: ENOENT$/) as string,
      });
    });

    it('leaves no file behind whose key it cannot read', async () => {
      file = join(folder, 'other.yaml');
      const none = join(folder, 'none.key');
      await expect(run('init', '--key-file', none, '--url', market.url)).rejects.toThrow(
        /cannot read .*ENOENT/,
      );
      expect(existsSync(file)).toBe(false);
    });

    it('takes a key that exists', async () => {
      const key = join(folder, 'mine.key');
      writeFileSync(key, Wallet.createRandom().privateKey, { mode: 0o600 });
      file = join(folder, 'other.yaml');
      await run('init', '--key-file', key, '--url', market.url);
      expect(readFileSync(file, 'utf8')).toContain('key_file: "mine.key"');
    });
  });

  describe('the key', () => {
    it('is one that a wallet can have', async () => {
      const none = `0x${'0'.repeat(64)}`;
      const refusal = 'SVC_PROVIDER_KEY: must be a private key of 32 bytes in hex';
      expect(() => runAs({ SVC_PROVIDER_KEY: none }, 'status')).toThrow(refusal);
      writeFileSync(join(folder, 'svc-provider.key'), none);
      const refused = { exitCode: 2, message: expect.stringMatching(/no private key/) as string };
      await expect(run('status')).rejects.toMatchObject(refused);
    });

    it('is not used when others may read it', async () => {
      chmodSync(join(folder, 'svc-provider.key'), 0o644);
      await expect(run('register')).rejects.toThrow(/wallet\.key_file: others may read .*chmod 600/);
    });

    it('may be encrypted, with its password from the environment', async () => {
      const { address, privateKey } = wallet();
      // The least that may be asked for, for the test's sake.
      const encrypted = encryptKeystoreJsonSync({ address, privateKey }, 'pass', { scrypt: { N: 1_024 } });
      writeFileSync(join(folder, 'wallet.json'), encrypted, { mode: 0o600 });
      edit('key_file: "svc-provider.key"', 'keystore: wallet.json');
      expect(await runAs({ SVC_PROVIDER_PASSWORD: 'pass' }, 'register')).toBe(0);
      await expect(runAs({ SVC_PROVIDER_PASSWORD: 'word' }, 'register')).rejects.toThrow(/cannot be opened/);
    });

    it('may come from the environment', async () => {
      const other = Wallet.createRandom();
      await runAs({ SVC_PROVIDER_KEY: other.privateKey }, 'register');
      expect(market.acts[0]?.body.provider).toBe(other.address.toLowerCase());
    });

    it('is not told when it is none', async () => {
      writeFileSync(join(folder, 'svc-provider.key'), '0xsecret');
      await expect(run('register')).rejects.toThrow(/holds no private key/);
    });
  });

  describe('signing', () => {
    it('is refused for another chain or contract', async () => {
      edit('id: 31337', 'id: 1');
      await expect(run('register')).rejects.toThrow(
        /:\d+: chain\.id: the market is of chain 31337; nothing was signed/,
      );
      edit('id: 1\n', 'id: 31337\n');
      edit(market.domain.verifyingContract, `0x${'6'.repeat(40)}`);
      await expect(run('register')).rejects.toThrow(/chain\.settlement: .*nothing was signed/);
      expect(market.acts).toEqual([]);
    });

    it('has nonces above the last one, also one from the future', async () => {
      market.nonce = Date.now() + 1_000_000;
      const before = market.nonce;
      await run('register');
      expect(market.acts[0]?.body.nonce).toBe(before + 1);
    });

    it('is done once more when the nonce was used meanwhile, and not twice', async () => {
      market.refusals.push({ status: 409, param: 'nonce' });
      expect(await run('register')).toBe(0);
      market.refusals.push(
        { status: 409, param: 'nonce', message: 'used' },
        { status: 409, param: 'nonce', message: 'used' },
      );
      await expect(run('register')).rejects.toThrow(/wallet: used/);
    });

    it('waits where the market says that it is too much at once', async () => {
      market.refusals.push({ status: 429, headers: { 'retry-after': '1' } });
      expect(await run('register')).toBe(0);
    });
  });

  describe('offer', () => {
    it('registers who is not, sends what is signed and sealed, and follows the probes until it is live', async () => {
      market.registered = false;
      edit('    # token: ${NODE_TOKEN}', '    token: ${SECRET}');
      const certification = { certification_id: 'c1', kind: 'full', status: 'running', done: 1, total: 2 };
      market.standings = [
        {},
        { certification },
        { state: 'live', certification: { ...certification, status: 'passed' } },
      ];
      const failed = probe('tools', { required: false, status: 'failed', message: 'no call' });
      market.reports.c1 = { version: 1, done: 2, total: 2, probes: [probe('plain_text'), failed] };
      expect(await runAs({ SECRET: 's3cret-token' }, 'offer')).toBe(0);
      expect(market.acts.map(({ type }) => type)).toEqual(['Registration', 'Offer']);
      expect(market.acts[1]?.body).toMatchObject({
        ...{ model: 'svc/demo-small@1', credential: 's3cret-token', input_price_per_mtok: '90000' },
        bundle_definition: { weights_digest: 'none:simulated', quantisation: 'none' },
        profile_definition: { hardware_class: 'cpu', context_limit: 8_192, speed_tier: 'standard' },
      });
      expect(said).toContain('first: ✓ plain_text  (1/2)');
      expect(said).toContain('first: ✗ tools (not required): no call  (2/2)');
      expect(said).toMatch(/first: live\n {2}report: .*\/v1\/certifications\/c1/);
    });

    it('says once why a probe is put off', async () => {
      const certification = { certification_id: 'c1', kind: 'full', status: 'running', done: 2, total: 2 };
      market.standings = [
        ...[{}, { certification }, { certification }],
        { state: 'live', certification: { ...certification, status: 'passed' } },
      ];
      const putOff = probe('concurrency', { status: 'pending', message: 'the endpoint is busy' });
      market.reports.c1 = { version: 1, done: 1, total: 2, probes: [probe('plain_text'), putOff] };
      expect(await run('offer')).toBe(0);
      expect(said).toContain('first: ✓ plain_text  (1/2)');
      const lines = said.split('\n').filter((line) => line.includes('concurrency'));
      expect(lines).toEqual(['first: … concurrency is tried again soon: the endpoint is busy  (1/2)']);
    });

    it('sends what is unchanged once', async () => {
      await run('offer');
      expect(await run('offer')).toBe(0);
      expect(market.acts).toHaveLength(1);
      expect(said).toContain('first: unchanged, live');
      edit('90000', '80000');
      await run('offer');
      expect(market.acts.at(-1)?.body.input_price_per_mtok).toBe('80000');
    });

    it('shows no probes of the version before for a price that is live at once', async () => {
      await run('offer');
      market.standings = [
        {
          state: 'live',
          certification: { certification_id: 'c1', kind: 'full', status: 'passed', done: 1, total: 1 },
        },
      ];
      market.reports.c1 = { version: 1, done: 1, total: 1, probes: [probe('plain_text')] };
      edit('90000', '80000');
      said = '';
      expect(await run('offer')).toBe(0);
      expect(said).toMatch(/^first: version 2 submitted, \w+\nfirst: live\n {2}report: .*\n$/);
    });

    it('does not sign anew what lasts as long as the market allows', async () => {
      edit('valid_days: 90', 'valid_days: 3650');
      await run('offer');
      await run('offer');
      expect(market.acts).toHaveLength(1);
    });

    it('repeats no token that the market has, and takes away one that the file has no more', async () => {
      edit('    # token: ${NODE_TOKEN}', '    token: s3cret-token');
      const sent = async () => {
        await run('offer');
        return market.acts.at(-1)?.body.credential;
      };
      expect(await sent()).toBe('s3cret-token');
      edit('90000', '80000');
      expect(await sent()).toBeUndefined();
      expect(market.acts).toHaveLength(2);
      edit('s3cret-token', 'other-token');
      expect(await sent()).toBe('other-token');
      edit('9100/v1', '9101/v1');
      expect(await sent()).toBe('other-token');
      rmSync(`${file}.submitted`);
      expect(await sent()).toBe('other-token');
      // The market may not be able to read it any more.
      market.standings = [{ state: 'suspended' }, { state: 'live' }];
      edit('80000', '70000');
      expect(await sent()).toBe('other-token');
      edit('    token: other-token', '    #');
      expect(await sent()).toBe('');
      edit('70000', '60000');
      expect(await sent()).toBeUndefined();
      expect(market.acts).toHaveLength(8);
    });

    it('ends with 1 and says which probe refused it, and sends it anew the next time', async () => {
      const refusal = { probe: 'usage_honesty', message: 'It says 90 tokens of 9.' };
      const certification = {
        certification_id: 'c1',
        kind: 'full',
        status: 'refused',
        done: 1,
        total: 1,
        refusal,
      };
      market.standings = [{ state: 'refused', certification }];
      market.reports.c1 = { done: 1, total: 1, probes: [], refusal };
      expect(await run('offer')).toBe(1);
      expect(said).toContain('first: refused by the probe "usage_honesty": It says 90 tokens of 9.');
      await run('offer');
      expect(market.acts).toHaveLength(2);
    });

    it('is made anew when its certification ended, and no other one is under way', async () => {
      await run('offer');
      const suspended = (code: string) => ({ state: 'suspended', reason: { code, message: 'It ended.' } });
      market.standings = [suspended('certification_expired'), { state: 'live' }];
      expect(await run('offer')).toBe(0);
      expect(said).toMatch(/^first: version 2 submitted, certifying$/m);
      expect(market.acts).toHaveLength(2);
      const certification = { certification_id: 'c1', kind: 'full', status: 'queued', done: 0, total: 1 };
      const awaited = { ...suspended('certification_expired'), certification };
      const passed = { ...certification, status: 'passed', done: 1 };
      market.standings = [awaited, awaited, { state: 'live', certification: passed }];
      market.reports.c1 = { version: 2, done: 1, total: 1, probes: [probe('plain_text')] };
      said = '';
      expect(await run('offer')).toBe(0);
      expect(said).toMatch(
        /^first: unchanged, suspended \(certification_expired: It ended\.\)\n[^]*^first: live/m,
      );
      market.standings = [suspended('no_heartbeat')];
      expect(await run('offer')).toBe(0);
      expect(market.acts).toHaveLength(2);
    });

    it('says of which field of the file the market speaks', async () => {
      market.refusals.push({ status: 400, param: 'bundle_definition.engine', message: 'The engine is odd.' });
      await expect(run('offer')).rejects.toThrow(
        /^svc-provider\.yaml:\d+: offers\[0\]\.bundle\.engine: The engine is odd\.$/,
      );
      market.refusals.push({ status: 404, param: 'model', message: 'The model does not exist here.' });
      await expect(run('offer')).rejects.toMatchObject({
        exitCode: 1,
        details: { path: 'offers[0].model', status: 404 },
      });
    });

    it('goes on with the others when one is refused, and ends with 1', async () => {
      const second =
        '{name: second, model: svc/demo-large@1, endpoint: http://127.0.0.1:9100/v1, upstream_model: m, concurrency: 1,' +
        ' bundle: {id: b}, profile: {id: p}, input_price_per_mtok: 1, output_price_per_mtok: 1, context_limit: 100}';
      edit('offers:\n', `offers:\n  - ${second}\n`);
      market.refusals.push({ status: 400, param: 'bundle', message: 'The bundle is not defined here.' });
      expect(await run('offer')).toBe(1);
      expect(market.acts.map(({ body }) => body.model)).toEqual(['svc/demo-small@1']);
      expect(said).toMatch(
        /^second: svc-provider\.yaml:\d+: offers\[0\]\.bundle: The bundle is not defined here\.$/m,
      );
      expect(said).toMatch(/^first: live$/m);
      expect(shown).toMatchObject({
        offers: [
          { name: 'first', submitted: true, result: 'live' },
          { name: 'second', submitted: false, error: { status: 400, param: 'bundle' } },
        ],
      });
    });

    it('is followed on by a market that did not answer for a moment', async () => {
      market.brokenPolls = 2;
      expect(await run('offer')).toBe(0);
      expect(said).toMatch(/^first: live$/m);
    });

    it('is followed no longer where the market does not know it any more', async () => {
      market.standings = [{}, { offer_id: 'ofr_of_another_market' }];
      expect(await run('offer')).toBe(1);
      expect(said).toMatch(/^first: the market does not know it any more$/m);
      expect(shown).toMatchObject({ offers: [{ name: 'first', submitted: true, result: 'stopped' }] });
    });

    it('names what the file does not say any more, and leaves it on offer', async () => {
      await run('offer');
      const [old] = market.offers.keys();
      expect(said).not.toContain('not in the file');
      edit('weights_digest: none:simulated', 'weights_digest: sha256:new');
      await run('offer');
      expect(said).toContain(
        `${old} (svc/demo-small@1) is not in the file and still on offer, live: "svc-provider withdraw ${old}" takes it off\n`,
      );
      expect(market.acts.map(({ type }) => type)).toEqual(['Offer', 'Offer']);
      said = '';
      await run('status');
      expect(said).toMatch(new RegExp(`^- +svc/demo-small@1 +${old}`, 'm'));
    });

    it('withdraws what the file does not say any more, if told to', async () => {
      await run('offer');
      edit('weights_digest: none:simulated', 'weights_digest: sha256:new');
      await run('offer', '--exact', '--no-wait');
      expect(said).not.toContain('not in the file');
      expect(market.acts.map(({ type }) => type)).toEqual(['Offer', 'Withdrawal', 'Offer']);
    });
  });

  it('withdraw takes names and ids, or all', async () => {
    await run('offer');
    market.standings = [{}];
    await expect(run('withdraw')).rejects.toThrow(/--all/);
    await expect(run('withdraw', 'second')).rejects.toThrow(/no offer second/);
    expect(await run('withdraw', 'first')).toBe(0);
    expect(market.acts.at(-1)).toMatchObject({ type: 'Withdrawal' });
    expect(await run('withdraw', '--all')).toBe(0);
    expect(said).toContain('nothing is on offer');
  });

  it('withdraw --all is done where the market does not know the wallet, and a name is not found there', async () => {
    market.registered = false;
    expect(await run('withdraw', '--all')).toBe(0);
    expect(said).toContain('nothing is on offer');
    expect(shown).toEqual({ withdrawn: [] });
    await expect(run('withdraw', 'first')).rejects.toThrow(/is not registered at this market/);
    expect(market.acts).toEqual([]);
  });

  it('status shows the state, and why', async () => {
    await run('offer');
    market.standings = [
      { state: 'suspended', reason: { code: 'no_heartbeat', message: 'silent since noon' } },
    ];
    await run('status');
    expect(said).toMatch(
      /first +svc\/demo-small@1 +ofr_\w+ +suspended \(no_heartbeat\) +0\.090000 +0\.360000/,
    );
    expect(said).toContain('no_heartbeat: silent since noon');
  });

  it('status says that the wallet is not registered', async () => {
    market.registered = false;
    await expect(run('status')).rejects.toThrow(/is not registered at this market/);
  });

  it('earnings are summed by day, and nothing is claimed that is not published', async () => {
    const line = (time: string, credited_usdc: string) => ({ time, model: 'm', requests: 2, credited_usdc });
    market.earnings = {
      lines: [line('2026-11-20T00:00:00Z', '0.000007'), line('2026-11-20T00:00:00Z', '1.000003')],
      account: { credited_usdc: '1.000010', released_usdc: '0.5', paid_out_usdc: '0', payable_usdc: '0.5' },
      ...{ share_bps: 8_750, claim: null, next: null },
    };
    await run('earnings');
    expect(said).toMatch(/2026-11-20 +4 +1\.000010/);
    expect(said).toMatch(/^your share +87\.5 % of each charge, rounded down$/m);
    await expect(run('earnings', '--claim')).rejects.toThrow(/chain: rpc_url is missing/);
    edit('# rpc_url', 'rpc_url');
    await expect(run('earnings', '--claim')).rejects.toThrow(/nothing can be claimed yet/);
  });

  it.each(['1.5', '1.500000'])(
    'earnings are read however many decimals the market writes: %s',
    async (credited_usdc) => {
      const line = { time: '2026-11-20T00:00:00Z', model: 'm', requests: 1, credited_usdc };
      market.earnings = {
        lines: [line],
        account: { credited_usdc, released_usdc: '0.25', paid_out_usdc: '0', payable_usdc: '0' },
        ...{ claim: null, next: null },
      };
      edit('# rpc_url', 'rpc_url');
      expect(await run('earnings', '--claim')).toBe(0);
      expect(said).toMatch(/2026-11-20 +1 +1\.500000/);
      expect(said).toContain('1.250000 USDC of what was earned are not payable');
    },
  );

  it.each([
    ['1,5', '"1,5"'],
    ['1.0000001', '"1.0000001"'],
    [1.5, '1.5'],
    [undefined, 'undefined'],
    ['9'.repeat(1_000), `"${'9'.repeat(59)}`],
  ])('a reply whose amount is none is said, and nothing is summed or claimed: %p', async (amount, shown) => {
    const credited_usdc = amount as string;
    market.earnings = {
      lines: [{ time: '2026-11-20T00:00:00Z', model: 'm', requests: 1, credited_usdc }],
      account: { credited_usdc: '0', released_usdc: '0', paid_out_usdc: '0', payable_usdc: '0' },
      ...{ claim: null, next: null },
    };
    const failure = await run('earnings', '--claim').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CommandError);
    expect((failure as Error).message).toBe(`the market's reply has ${shown} where an amount belongs`);
  });

  it('nothing is left to claim once everything is paid out, and the market publishes no proof any more', async () => {
    market.earnings = {
      lines: [],
      account: { credited_usdc: '0.5', released_usdc: '0.5', paid_out_usdc: '0.5', payable_usdc: '0.000000' },
      ...{ claim: null, next: null },
    };
    edit('# rpc_url', 'rpc_url');
    expect(await run('earnings', '--claim')).toBe(0);
    expect(said).toContain('everything that is payable was paid out');
    expect(said).not.toContain('not payable');
  });

  it('what was earned and not paid for yet is said when there is nothing to claim', async () => {
    market.earnings = {
      lines: [],
      account: {
        credited_usdc: '0.000040',
        released_usdc: '0',
        paid_out_usdc: '0',
        payable_usdc: '0.000000',
      },
      ...{ claim: null, next: null },
    };
    edit('# rpc_url', 'rpc_url');
    expect(await run('earnings', '--claim')).toBe(0);
    expect(said).toContain('0.000040 USDC of what was earned are not payable: not collected from payers yet');
  });

  it('a chain that does not answer a claim is named, in few words', async () => {
    market.earnings = {
      lines: [],
      account: { credited_usdc: '0.5', released_usdc: '0.5', paid_out_usdc: '0', payable_usdc: '0.5' },
      claim: { state: 'settled', cumulative: '500000', proof: [] },
      next: null,
    };
    edit(/# rpc_url: \S+/, 'rpc_url: http://127.0.0.1:1');
    const refusal = await run('earnings', '--claim').catch((error: Error) => error.message);
    expect(refusal).toMatch(/^no claim through chain\.rpc_url: [^({]*ECONNREFUSED[^({]*$/);
  });

  it('a claim that the wallet cannot pay for says so, without the transaction', async () => {
    const word = `0x${'0'.repeat(64)}`;
    const block = {
      ...{
        hash: word,
        parentHash: word,
        number: '0x1',
        timestamp: '0x1',
        difficulty: '0x0',
        extraData: '0x',
      },
      ...{ gasLimit: '0x1', gasUsed: '0x0', miner: `0x${'0'.repeat(40)}`, transactions: [] },
    };
    // Nothing is paid so far; something would be.
    const amounts = [word, `0x${'1'.padStart(64, '0')}`];
    const results: Record<string, () => unknown> = {
      eth_call: () => amounts.shift(),
      eth_getBlockByNumber: () => block,
    };
    const replyTo = ({ id, method }: { id: number; method: string }) =>
      method === 'eth_sendRawTransaction'
        ? { jsonrpc: '2.0', id, error: { code: -32003, message: 'Insufficient funds for gas' } }
        : { jsonrpc: '2.0', id, result: results[method]?.() ?? '0x7a69' };
    const chain = createServer((request, response) => {
      void json(request).then((body) => {
        const calls = body as Parameters<typeof replyTo>[0] | Parameters<typeof replyTo>[0][];
        response.end(JSON.stringify(Array.isArray(calls) ? calls.map(replyTo) : replyTo(calls)));
      });
    });
    await new Promise<void>((resolve) => chain.listen(0, '127.0.0.1', resolve));
    const { port } = chain.address() as AddressInfo;
    edit(/# rpc_url: \S+/, `rpc_url: http://127.0.0.1:${port}`);
    market.earnings = {
      lines: [],
      account: { credited_usdc: '0.5', released_usdc: '0.5', paid_out_usdc: '0', payable_usdc: '0.5' },
      claim: { state: 'settled', cumulative: '500000', proof: [] },
      next: null,
    };
    try {
      const refusal = await run('earnings', '--claim').catch((error: Error) => error.message);
      expect(refusal).toMatch(/^0x[0-9a-f]{40} cannot pay for the gas of its claim: [^:]*$/);
    } finally {
      chain.close();
    }
  });

  it('says that nobody answers', async () => {
    const gone = await StubMarket.start();
    await gone.stop();
    await expect(run('register', '--url', gone.url)).rejects.toThrow(/does not answer: ECONNREFUSED/);
  });

  it("serve's settings are those of the file", () => {
    edit('  # upstream: ', '  upstream: {url: http://127.0.0.1:1/v1, model: m}\n  # ');
    expect(nodeSettings(ProviderFile.read(file, {}).content)).toEqual({
      ...{ PROVIDER_NAME: 'My models', HTTP_PORT: '9100', PROVIDER_MODEL: 'my-model' },
      ...{ UPSTREAM_URL: 'http://127.0.0.1:1/v1', UPSTREAM_MODEL: 'm' },
    });
  });
});

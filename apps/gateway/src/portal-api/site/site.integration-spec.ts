import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { eventually } from '@svc/testing';
import { GatewayHarness } from '../../testing/gateway-harness.for-spec';

const script = 'export const page = "the page";'.repeat(40);
/** The second account of development nodes, known to everybody. */
const DEVELOPMENT_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
const DEVELOPMENT_ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

let directory: string;
const harness = new GatewayHarness();

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'svc-portal-'));
  mkdirSync(join(directory, 'dist/assets'), { recursive: true });
  writeFileSync(join(directory, 'secret.txt'), 'outside the page');
  const file = (name: string, content: string | Buffer) =>
    writeFileSync(join(directory, 'dist', name), content);
  file(
    'index.html',
    '<!doctype html><meta name="csp-nonce" content="__NONCE__" /><style nonce="__NONCE__"></style><p>page</p>',
  );
  file('icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  // More than the system takes for a client that reads nothing.
  file('assets/long-a1b2c3.js', Buffer.alloc(64 * 1024 * 1024, ' '));
  file('assets/page-a1b2c3.js', script);
  file('assets/page-a1b2c3.js.br', brotliCompressSync(script));
  file('assets/page-a1b2c3.js.gz', gzipSync(script));
  await harness.start({
    PORTAL_DIR: join(directory, 'dist'),
    PORTAL_CHAIN_RPC_URL: 'http://127.0.0.1:8545/rpc',
    PORTAL_FAUCET: 'on',
    PORTAL_DEVELOPMENT_WALLETS: `Buyer=${DEVELOPMENT_KEY}`,
  });
});
afterAll(async () => {
  await harness.stop();
  rmSync(directory, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${harness.url}${path}`, { headers, redirect: 'manual' });

/** As a client that does not tidy paths up. */
function getRaw(
  path: string,
  method = 'GET',
): Promise<{ status: number; body: string; headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(harness.url);
    request({ hostname, port, path, method }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body, headers: response.headers }),
      );
    })
      .on('error', reject)
      .end();
  });
}

describe('the portal’s page', () => {
  it.each([
    '/portal/',
    '/portal/usage',
    '/portal/usage/req_1',
    '/portal/models/svc/demo-2.5@1',
    '/portal/?x=a.b',
  ])('is at %s, with a policy of its own', async (path) => {
    const replies = await Promise.all([get(path), get(path)]);
    const policies = replies.map(({ headers }) => headers.get('content-security-policy') ?? '');
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(replies[0].headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(replies[0].headers.get('cache-control')).toBe('no-cache');
    const [nonce, other] = policies.map((policy) => /'nonce-([\w+/=]{24})'/.exec(policy)?.[1]);
    expect(nonce).not.toBe(other);
    const page = await replies[0].text();
    for (const name of ['content', 'nonce']) expect(page).toContain(`${name}="${nonce}"`);
    expect(policies[0]).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; ` +
        `manifest-src 'self'; connect-src 'self' http://127.0.0.1:8545; frame-ancestors 'none'; base-uri 'none'; form-action 'self'`,
    );
  });

  it.each([
    '/portal/',
    '/portal/assets/page-a1b2c3.js',
    '/portal/api/config',
    '/portal/api/session',
    '/portal/nope.js',
  ])('can be framed by nobody, and tells nobody where it is: %s', async (path) => {
    const { headers } = await get(path);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toContain('camera=()');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each([
    ['GET', '/portal/', ['/%70ortal/', 'http://host/portal/']],
    ['GET', '/portal/api/session', ['/%70ortal/%61pi/session', 'https://host/portal/api/session?x=%zz']],
    ['GET', '/portal/api/nope', ['/%70ortal/api/nope', 'http://host/portal/api/nope']],
    ['POST', '/portal/api/config', ['/portal/%61pi/config', 'http://host/portal/api/config']],
    ['GET', '/docs', ['/%64ocs', 'http://host/docs']],
    ['GET', '/v1/models', ['/%76%31/models', 'http://host/v1/models']],
    ['POST', '/v1/models', ['/%76%31/models', 'http://host/v1/models']],
    ['POST', '/v1/chat/completions', ['/%76%31/chat/completions', 'http://host/v1/chat/completions']],
    ['OPTIONS', '/v1/chat/completions', ['/%76%31/chat/completions', 'http://host/v1/chat/completions']],
  ])('is answered alike however its path is spelt: %s %s', async (method, path, spellings) => {
    const told = async (url: string) => {
      const { status, headers } = await getRaw(url, method);
      const policy = headers['content-security-policy']?.toString().replace(/'nonce-[^']+'/, '');
      const ofThisReply = { 'x-svc-request-id': '', 'x-request-id': '', date: '' };
      return { status, ...headers, 'content-security-policy': policy, ...ofThisReply };
    };
    const plain = await told(path);
    for (const url of spellings) expect([url, await told(url)]).toEqual([url, plain]);
    const routes = () =>
      harness.logLines.slice(-3).map((line) => (JSON.parse(line) as { route: string }).route);
    await eventually(() => new Set(routes()).size === 1);
  });

  it('has assets that are kept for a year, in the form that the browser takes', async () => {
    const path = '/portal/assets/page-a1b2c3.js';
    for (const coding of ['br', 'gzip', 'identity']) {
      const reply = await get(path, { 'accept-encoding': coding });
      expect(reply.headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding);
      expect(reply.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(reply.headers.get('content-type')).toMatch(/javascript/);
      expect(reply.headers.get('vary')).toMatch(/accept-encoding/i);
      expect(await reply.text()).toBe(script);
    }
    expect((await get('/portal/icon.svg')).headers.get('cache-control')).toBe('public, no-cache');
    const { headers } = await get('/portal/icon.svg');
    const again = await get('/portal/icon.svg', { 'if-none-match': headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });

  it.each([
    '/portal/assets/gone-123.js',
    '/portal/assets/',
    '/portal/api',
    '/portal/api/nope',
    '/portal/nope.png',
  ])('is not what %s gets', async (path) => {
    const reply = await get(path);
    expect(reply.status).toBe(404);
    expect(await reply.json()).toMatchObject({ error: { code: 'invalid_request' } });
  });

  it.each([
    '/portal/../secret.txt',
    '/portal/assets/../../secret.txt',
    '/portal/%2e%2e/secret.txt',
    '/portal/..%2fsecret.txt',
    '/portal/assets/..%2f..%2fsecret.txt',
    '/portal/%2e%2e%2fsecret.txt',
    '/portal/..%5csecret.txt',
    '/portal//etc/passwd',
    '/portal/icon.svg%00.js',
  ])('has nothing outside it: %s', async (path) => {
    const { status, body } = await getRaw(path);
    expect([status >= 400 || body.includes('<p>page</p>'), body]).toEqual([
      true,
      expect.not.stringMatching(/outside|root:/),
    ]);
  });

  it('does not pile up for a client that asks for it thousands of times and reads nothing', async () => {
    const connections: Socket[] = [];
    harness.app.getHttpServer().once('connection', (socket: Socket) => connections.push(socket));
    const { hostname, port } = new URL(harness.url);
    const client = connect(Number(port), hostname).on('error', () => undefined);
    client.write('GET /portal/assets/page-a1b2c3.js HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2_000));
    await eventually(() => connections[0]?.destroyed);
    client.destroy();
    expect((await get('/portal/')).status).toBe(200);
  });

  it('is not kept waiting for a client that takes nothing of it', async () => {
    const connections: Socket[] = [];
    harness.app.getHttpServer().once('connection', (socket: Socket) => connections.push(socket));
    const { hostname, port } = new URL(harness.url);
    const client = connect(Number(port), hostname).on('error', () => undefined);
    client.write('GET /portal/assets/long-a1b2c3.js HTTP/1.1\r\nhost: x\r\n\r\n');
    const connection = await eventually(() => connections[0]);
    await eventually(() => connection.writableLength > 0);
    // The system may take some more of it at first.
    await eventually(() => {
      harness.pass(31_000);
      return connection.destroyed;
    });
    client.destroy();
  });

  it('is where / leads', async () => {
    for (const path of ['/', '/portal']) {
      const reply = await get(path);
      expect([reply.status, reply.headers.get('location')]).toEqual([302, '/portal/']);
    }
  });

  it('takes no writes, and says of an unknown path of its API that it is unknown', async () => {
    for (const path of ['/portal/usage', '/portal/api/nope']) {
      expect((await fetch(`${harness.url}${path}`, { method: 'POST' })).status).toBe(404);
    }
    const wrong = await fetch(`${harness.url}/portal/api/config`, { method: 'POST' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('GET /portal/api/config', () => {
  it('tells the page where it is', async () => {
    expect(await (await get('/portal/api/config')).json()).toEqual({
      environment: 'testnet',
      chain: {
        id: 31337,
        name: 'Local chain',
        rpc_url: 'http://127.0.0.1:8545/rpc',
        usdc: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/) as string,
        settlement: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/) as string,
        explorer_url: null,
        is_local: true,
        faucet: true,
      },
      base_url: `${harness.url}/v1`,
      development_wallets: [{ label: 'Buyer', private_key: DEVELOPMENT_KEY, address: DEVELOPMENT_ADDRESS }],
      key_prefix: 'svc_test_',
    });
  });
});

describe('a gateway without the page', () => {
  it.each([
    [{}, /started without PORTAL_DIR/],
    [{ PORTAL_DIR: mkdtempSync(join(tmpdir(), 'svc-portal-')) }, /npm run build/],
  ])('serves everything else, and says so (%j)', async (environment, words) => {
    const bare = await new GatewayHarness().start(environment);
    const reply = await fetch(`${bare.url}/portal/`);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
    expect(await reply.text()).toMatch(words);
    expect((await fetch(`${bare.url}/v1/models`)).status).toBe(200);
    await bare.stop();
  });
});

import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { ModelView } from '@svc/contracts';
import { eventually } from '@svc/testing';
import { GatewayHarness } from '../testing/gateway-harness.for-spec';
import { demoModel, toollessModel } from '../testing/models.for-spec';

const harness = new GatewayHarness();
beforeAll(() => harness.start());
afterAll(() => harness.stop());

interface RawReply {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** As it is on the wire: fetch decodes and says nothing of it. */
function ask(headers: Record<string, string> = {}, method = 'GET', path = '/v1/models'): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(`${harness.url}${path}`, { method, headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () =>
        resolve({ status: reply.statusCode, headers: reply.headers, body: Buffer.concat(chunks) }),
      );
    });
    asked.on('error', reject).end();
  });
}

/** Waits until the list is compressed. */
async function compressed(): Promise<void> {
  await eventually(async () => (await ask({ 'accept-encoding': 'br' })).headers['content-encoding'] === 'br');
}

describe('the model list', () => {
  it('comes in the coding that the client likes best, each with a tag of its own', async () => {
    await compressed();
    const plain = await ask();
    const gzip = await ask({ 'accept-encoding': 'gzip, deflate' });
    const brotli = await ask({ 'accept-encoding': 'gzip, deflate, br, zstd' });
    expect([plain, gzip, brotli].map(({ headers }) => headers['content-encoding'])).toEqual([
      undefined,
      'gzip',
      'br',
    ]);
    expect(gunzipSync(gzip.body)).toEqual(plain.body);
    expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
    expect(new Set([plain, gzip, brotli].map(({ headers }) => headers.etag)).size).toBe(3);
    for (const { headers, body } of [plain, gzip, brotli]) {
      expect(headers).toMatchObject({
        vary: 'accept-encoding',
        'cache-control': 'public, no-cache',
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(body.length),
      });
    }
  });

  it('comes as well with a slash at the end of its path', async () => {
    const [plain, slash] = [await ask(), await ask({}, 'GET', '/v1/models/')];
    expect([slash.status, slash.headers.etag]).toEqual([200, plain.headers.etag]);
    expect(slash.body).toEqual(plain.body);
  });

  it('is not sent again to whoever has it in that coding', async () => {
    await compressed();
    for (const coding of ['identity', 'gzip', 'br']) {
      const { headers } = await ask({ 'accept-encoding': coding });
      const etag = headers.etag ?? '';
      for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const again = await ask({ 'accept-encoding': coding, 'if-none-match': tags });
        expect([again.status, again.body.length]).toEqual([304, 0]);
        expect(again.headers).toMatchObject({
          etag,
          vary: 'accept-encoding',
          'cache-control': 'public, no-cache',
        });
        expect(again.headers).not.toHaveProperty('content-encoding');
      }
      const other = coding === 'gzip' ? 'br' : 'gzip';
      expect((await ask({ 'accept-encoding': other, 'if-none-match': etag })).status).toBe(200);
    }
  });

  it('has the same headers for HEAD, and no body', async () => {
    await compressed();
    const got = await ask({ 'accept-encoding': 'br' });
    const head = await ask({ 'accept-encoding': 'br' }, 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
    const lastingOf = ({ headers }: RawReply) =>
      Object.entries(headers).filter(([name]) => name !== 'date' && !name.endsWith('request-id'));
    expect(lastingOf(head)).toEqual(lastingOf(got));
  });

  // That it takes less than a second is CurrentModelList's to show, on a clock of the spec's own.
  it('shows a change by itself, and one model at once', async () => {
    await compressed();
    await harness.publishModels([{ ...toollessModel, ownedBy: 'someone' }]);
    await eventually(async () => (await ask()).body.includes('"owned_by":"someone"'));
    expect((await ask({}, 'GET', '/v1/models/svc/plain@1')).body.toString()).toContain(
      '"owned_by":"someone"',
    );
    await harness.publishModels([toollessModel]);
  });

  it('leaves out what is no model', async () => {
    const odd = [{ id: 'svc/odd@1' }, { ...demoModel, id: 'svc/odd@2', contextLimit: undefined }];
    await harness.publishModels([...odd, { ...demoModel, id: 'svc/last@1' }] as ModelView[]);
    await eventually(async () => (await ask()).body.includes('svc/last@1'));
    expect((await ask()).body.toString()).not.toContain('svc/odd');
    expect((await ask({}, 'GET', '/v1/models/svc/odd@1')).status).toBe(404);
  });
});

describe('a gateway that starts while the catalogue is down', () => {
  const own = new GatewayHarness();
  beforeAll(() => own.start());
  afterAll(() => own.stop());

  it('serves what was published last, also after NATS was restarted', async () => {
    const list = async () => (await fetch(`${own.url}/v1/models`)).json();
    const before = await list();
    await own.stopCatalog();
    await own.stopGateway();
    await own.nats.stop();
    await own.nats.startAgain();
    await own.startGateway();
    expect(await list()).toEqual(before);
    own.dispatch.onRun = (run) => void run.complete();
    const request = { model: 'svc/demo@1', messages: [{ role: 'user', content: 'Hello' }] };
    // Whoever else was connected needs a moment to be again.
    await eventually(async () => (await own.post(request)).status === 200, { timeoutMs: 30_000 });
  });
});

describe('what a request needs', () => {
  const request = { model: 'svc/demo@1', messages: [{ role: 'user', content: 'Hello' }] };
  const tools = [{ type: 'function', function: { name: 'look_up', strict: true } }];

  it.each([
    ['text', {}, undefined],
    ['tools', { tools }, { toolChoice: 'auto', strictSchemas: true }],
    [
      'JSON by a tool',
      { tools, tool_choice: 'required', parallel_tool_calls: true, response_format: { type: 'json_object' } },
      { toolChoice: 'required', parallelToolCalls: true, strictSchemas: true, structuredOutputs: true },
    ],
  ])('is told to whoever plans: %s', async (_, fields, needs) => {
    harness.dispatch.onRun = (run) => void run.complete();
    expect((await harness.post({ ...request, ...fields })).status).toBe(200);
    expect(harness.cortex.requests.at(-1)?.needs).toEqual(needs);
  });
});

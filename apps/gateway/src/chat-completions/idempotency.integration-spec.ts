import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { generateApiKey } from '@svc/api-key';
import { RUN_CREDIT_BYTES } from '@svc/contracts';
import { ResponseCipher } from '@svc/response-cipher';
import { eventually } from '@svc/testing';
import { newRequestId } from '../http/request-ids';
import { wallet } from '../testing/fake-billing.for-spec';
import { SILENT_INSTANCE } from '../testing/fake-dispatch.for-spec';
import type { FakeRun } from '../testing/fake-dispatch.for-spec';
import { GatewayHarness, TEST_RESPONSE_KEY } from '../testing/gateway-harness.for-spec';

const harness = new GatewayHarness();
beforeAll(() => harness.start());
afterAll(() => harness.stop());
afterEach(() => jest.restoreAllMocks());
beforeEach(() => {
  harness.billing.standing = undefined;
  harness.billing.key = 'ok';
  harness.billing.admission = 'ok';
  harness.billing.responses = 'ok';
  harness.billing.beforeAdmission = () => Promise.resolve();
  harness.cortex.beforePlan = () => Promise.resolve();
  harness.cortex.plan = { attempts: [attempt] };
  harness.dispatch.attaches = [];
  harness.dispatch.detaches = [];
  harness.dispatch.onAttach = () => undefined;
});

const request = { model: 'svc/demo@1', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 };
const streamed = { ...request, stream: true };
const ORIGINAL = 'req_original1';
const ATTACH_WITHIN_MS = 1_000;
const attempt = {
  offerId: 'offer_1',
  model: 'svc/demo@1',
  provider: `0x${'a'.repeat(40)}`,
  bundleId: 'bundle_1',
  profileId: 'profile_1',
  inputPricePerMtok: '100000',
  outputPricePerMtok: '400000',
  why: 'the test says so',
};

const broken = { code: 'internal_error', message: 'Nothing was charged.' } as const;

const post = (body: object, init: { signal?: AbortSignal; key?: string; apiKey?: string } = {}) => {
  const apiKey = init.apiKey ?? harness.apiKey;
  const headers = { 'idempotency-key': init.key ?? 'key-1', authorization: `Bearer ${apiKey}` };
  return harness.post(body, { headers, signal: init.signal });
};
const sealed = (text: string | Buffer) =>
  new ResponseCipher(TEST_RESPONSE_KEY).seal({ wallet, holdId: ORIGINAL }, Buffer.from(text));
const completed = (text: string | Buffer) => {
  harness.billing.standing = { state: 'completed', holdId: ORIGINAL, reply: sealed(text) };
};
const runsUnderWay = () => {
  const { plain, stream } = harness.runs.count();
  return plain + stream;
};
/**
 * Sends a request that follows a run. The gateway attaches anew when it heard nothing for a second: so it is answered at once, each time,
 * and what the spec has to say is said to the attach whose answer was heard.
 */
async function follow(body: object, init: { signal?: AbortSignal } = {}) {
  const { dispatch } = harness;
  await eventually(() => runsUnderWay() === 0);
  dispatch.onAttach = ({ frames }) => frames.send('accepted');
  const replied = post(body, init);
  const { holdId, frames } = await eventually(() => runsUnderWay() > 0 && dispatch.attaches.at(-1));
  return { replied, holdId, frames };
}
/** Has the gateway wait for whoever may have a run for longer than any spec takes. */
function neverAskAgain(): void {
  const { setTimeout } = globalThis;
  jest
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation((work: () => void, ms?: number, ...more: []) =>
      setTimeout(work, ms === ATTACH_WITHIN_MS ? 60_000 : ms, ...more),
    );
}
/** The client hangs up, and the gateway has noticed. */
async function leave(abort: AbortController): Promise<void> {
  const { length } = harness.logLines;
  abort.abort();
  await eventually(() => harness.logLines.slice(length).some((line) => line.includes('client_closed')));
}
const settlementOf = (run: FakeRun, outcome: string) =>
  harness.billing.settlements.get(`${run.request.requestId}:${outcome}`);

describe('the first request under a key', () => {
  it('runs as one that others may follow', async () => {
    const replied = post(request);
    const run = await harness.dispatch.nextRun();
    expect(run.request.idempotent).toBe(true);
    run.complete();
    const reply = await replied;
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-svc-idempotent-replay')).toBeNull();
    expect(harness.billing.admissions.at(-1)?.idempotency).toEqual({
      keyHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(harness.dispatch.delivered).not.toContain(run.request.requestId);
  });

  it('is known by what it says, not by how it is spelt', async () => {
    const prints: (string | undefined)[] = [];
    const { max_tokens, messages, model } = request;
    for (const body of [request, { unknown: 1, messages, max_tokens, model, stop: null }, streamed]) {
      const replied = post(body);
      const run = await harness.dispatch.nextRun();
      run.complete();
      await (await replied).text();
      prints.push(harness.billing.admissions.at(-1)?.idempotency?.fingerprint);
    }
    expect(prints[1]).toBe(prints[0]);
    expect(prints[2]).not.toBe(prints[0]);
  });

  it('goes on when its client hangs up: only the client leaves', async () => {
    const abort = new AbortController();
    const replied = post(streamed, { signal: abort.signal });
    const run = await harness.dispatch.nextRun();
    run.send('data', 'data: 1\n\n');
    await (await replied).body?.getReader().read();
    abort.abort();
    await eventually(() => harness.dispatch.detaches.includes(run.subscriberId));
    expect(harness.dispatch.cancels).not.toContain(run.request.requestId);
    expect(settlementOf(run, 'void')).toBeUndefined();
  });

  describe.each([
    ['planned', (hangUp: () => Promise<void>) => (harness.cortex.beforePlan = hangUp)],
    ['admitted', (hangUp: () => Promise<void>) => (harness.billing.beforeAdmission = hangUp)],
  ])('whose client hangs up while it is being %s', (_, meanwhile) => {
    /** The request's run, which began without its client. */
    async function begunAlone(body: object): Promise<FakeRun> {
      const abort = new AbortController();
      meanwhile(() => leave(abort));
      await expect(post(body, { signal: abort.signal })).rejects.toThrow();
      return harness.dispatch.nextRun();
    }

    it.each([
      ['plain', request],
      ['streamed', streamed],
    ])('runs all the same (%s), and is left to whoever takes it up', async (__, body) => {
      const run = await begunAlone(body);
      expect(runsUnderWay()).toBe(1);
      run.send(body === streamed ? 'data' : 'accepted', 'data: 1\n\n');
      await eventually(() => harness.dispatch.detaches.includes(run.subscriberId));
      expect(runsUnderWay()).toBe(0);
      await harness.heard();
      expect(harness.dispatch.cancels).not.toContain(run.request.requestId);
      for (const outcome of ['void', 'abandon']) expect(settlementOf(run, outcome)).toBeUndefined();
    });

    it('is let go of when nobody takes it up', async () => {
      const run = await begunAlone(request);
      const released = await eventually(() => {
        harness.pass(3_100);
        return settlementOf(run, 'void');
      });
      expect(released).toMatchObject({ reason: 'not_accepted' });
      expect(runsUnderWay()).toBe(0);
    });

    it('leaves nothing where it runs already', async () => {
      harness.billing.standing = { state: 'running', holdId: ORIGINAL };
      const abort = new AbortController();
      const asked = harness.billing.admissions.length;
      meanwhile(() => leave(abort));
      await expect(post(request, { signal: abort.signal })).rejects.toThrow();
      await eventually(() => harness.billing.admissions.length > asked);
      await harness.heard();
      expect([harness.dispatch.runs.length, runsUnderWay()]).toEqual([0, 0]);
      expect(harness.billing.settlements.has(`${ORIGINAL}:void`)).toBe(false);
    });
  });

  it('waits for a taker when its client hangs up at once, and lets the hold go when there is none', async () => {
    for (const taken of [true, false]) {
      const abort = new AbortController();
      const replied = post(request, { signal: abort.signal }).catch(() => undefined);
      const run = await harness.dispatch.nextRun();
      abort.abort();
      await replied;
      await harness.settled();
      if (taken) {
        run.send('accepted');
        await eventually(() => harness.dispatch.detaches.includes(run.subscriberId));
      } else {
        await eventually(() => {
          harness.pass(3_100);
          return settlementOf(run, 'void');
        });
        await eventually(() => harness.dispatch.cancels.includes(run.request.requestId));
      }
      expect(harness.dispatch.cancels.includes(run.request.requestId)).toBe(!taken);
    }
  });

  it('is not undone for a frame that this gateway missed, and is when nobody has it', async () => {
    const replied = post(request);
    const run = await harness.dispatch.nextRun();
    run.send('accepted');
    run.sequence++;
    run.send('end', '{}');
    const reply = await replied;
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(await reply.text()).toContain('same Idempotency-Key');
    await eventually(() => harness.dispatch.detaches.includes(run.subscriberId));
    expect(settlementOf(run, 'void')).toBeUndefined();
    expect(settlementOf(run, 'abandon')).toBeUndefined();

    const unheard = post(request);
    const lost = await harness.dispatch.nextRun();
    await eventually(() => {
      harness.pass(3_100);
      return settlementOf(lost, 'void');
    });
    const unheardReply = await unheard;
    expect(unheardReply.status).toBe(503);
    // Somebody may have run it whom nobody hears.
    expect(await unheardReply.text()).toContain('same Idempotency-Key');
  });

  it('is let go of when its dispatch falls silent; what was charged by then stands', async () => {
    const replied = post(request);
    const run = await harness.dispatch.nextRun();
    run.send('accepted', '', SILENT_INSTANCE);
    const reply = await replied;
    expect(reply.status).toBe(503);
    const settlement = await eventually(() => settlementOf(run, 'void'));
    expect(settlement).toMatchObject({ outcome: 'void', reason: 'dispatch_lost' });
  });

  it('makes room for its own inbox', async () => {
    const replied = post(streamed);
    const run = await harness.dispatch.nextRun();
    const block = `data: ${'x'.repeat(100_000)}\n\n`;
    run.send('data', block);
    const reply = await replied;
    void reply.text();
    await eventually(() => harness.dispatch.credits.some(({ requestId }) => requestId === run.subscriberId));
    run.complete();
  });
});

describe('a request under the key of one that was charged', () => {
  it('gets its reply byte for byte, under its id', async () => {
    const body = '{"id":"chatcmpl-original1",  "svc":{"cost_usdc":"0.000002"}}';
    completed(body);
    const reply = await post(request);
    expect(reply.status).toBe(200);
    expect(await reply.text()).toBe(body);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(body.length),
      'x-svc-request-id': ORIGINAL,
      'x-request-id': ORIGINAL,
      'x-svc-idempotent-replay': 'true',
      'x-svc-hold-usdc': expect.stringMatching(/^0\.\d{6}$/) as string,
    });
    await harness.heard();
    expect(harness.dispatch.runs).toEqual([]);
    await eventually(() => harness.logLines.some((line) => line.includes(`"replayOf":"${ORIGINAL}"`)));
  });

  it('takes no place in cortex’ reckoning once it is known to be told again', async () => {
    const planned = harness.cortex.requests.length;
    completed('{"it":"was"}');
    for (const key of ['told-1', 'told-1', 'told-2', 'told-1']) await (await post(request, { key })).text();
    harness.billing.standing = undefined;
    for (const key of ['told-1', 'told-1']) {
      const replied = post(request, { key });
      (await harness.dispatch.nextRun()).complete();
      await (await replied).text();
    }
    const tentative = harness.cortex.requests.slice(planned).map((each) => each.tentative);
    expect(tentative).toEqual([undefined, true, undefined, true, true, undefined]);
  });

  it('gets a long reply whole', async () => {
    const body = JSON.stringify({ it: 'was'.repeat(100_000) });
    completed(body);
    expect((await (await post(request)).text()) === body).toBe(true);
  });

  it('gets its stream all at once, so that what its client leaves unread is known', async () => {
    const text = `data: ${'x'.repeat(8 * 1024 * 1024)}\n\n`;
    completed(text);
    const server = harness.app.getHttpServer();
    const connections: Socket[] = [];
    const note = (socket: Socket) => connections.push(socket);
    server.on('connection', note);
    const headers = { authorization: `Bearer ${harness.apiKey}`, 'idempotency-key': 'key-1' };
    const asked = httpRequest(`${harness.url}/v1/chat/completions`, {
      method: 'POST',
      agent: false,
      headers,
    });
    asked.setHeader('content-type', 'application/json').end(JSON.stringify(streamed));
    const [reply] = (await once(asked, 'response')) as [IncomingMessage];
    server.off('connection', note);
    // More than a live stream ever leaves there, and what the system took of it.
    expect(connections.map(({ writableLength }) => writableLength > 2 * RUN_CREDIT_BYTES)).toEqual([true]);
    expect((await buffer(reply)).toString() === text).toBe(true);
  });

  it('gets its stream, however long it is', async () => {
    const text = Array.from({ length: 60_000 }, (_, n) => `data: {"n":${n},"pad":"é漢"}\n\n`).join('');
    completed(text);
    expect(harness.billing.standing?.reply?.length).toBeGreaterThan(1);
    const reply = await post(streamed);
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(reply.headers.get('x-svc-request-id')).toBe(ORIGINAL);
    expect((await reply.text()) === text).toBe(true);
  });

  it.each<[string, () => void, object]>([
    ['nobody could serve now', () => (harness.cortex.plan = { attempts: [] }), request],
    ['cortex is away', () => (harness.cortex.plan = 'silent'), request],
    ['the model is gone', () => undefined, { ...request, model: 'svc/gone@1' }],
    ['the model cannot any more', () => undefined, { ...request, model: 'svc/plain@1', tools: [tool()] }],
  ])('gets it when %s', async (_, prepare, body) => {
    completed('{"it":"was"}');
    prepare();
    const reply = await post(body);
    expect(await reply.text()).toBe('{"it":"was"}');
    expect(reply.headers.get('x-svc-hold-usdc')).toBe('0.000077');
  });

  it('is refused as ever when nothing stands under the key', async () => {
    harness.cortex.plan = { attempts: [], retryAfterSeconds: 7 };
    const reply = await post(request);
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '7']);
    harness.cortex.plan = 'silent';
    expect(await (await post(request)).text()).toContain('Nothing was charged.');
  });

  it.each<[string, () => void, object]>([
    ['tell the reply', () => (harness.billing.responses = 'silent'), request],
    ['admit it', () => (harness.billing.admission = 'silent'), request],
    [
      'say what stands under its key, and nobody could serve now',
      () => {
        harness.billing.key = 'silent';
        harness.cortex.plan = { attempts: [] };
      },
      request,
    ],
    [
      'say what stands under its key, and cortex is away',
      () => {
        harness.billing.key = 'silent';
        harness.cortex.plan = 'silent';
      },
      request,
    ],
    [
      'say what stands under its key, and the model is gone',
      () => (harness.billing.key = 'silent'),
      { ...request, model: 'svc/gone@1' },
    ],
  ])(
    'is to be repeated, and not told that it was not charged, when billing cannot %s',
    async (_, prepare, body) => {
      completed('{"it":"was"}');
      prepare();
      const reply = await post(body);
      expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
      const text = await reply.text();
      expect(text).toMatch(/Repeat the request under the same Idempotency-Key: it is charged once\./);
      expect(text).not.toContain('Nothing was charged');
    },
  );

  it.each<[string, () => void]>([
    ['admits it', () => (harness.billing.admission = broken)],
    ['tells the reply', () => (harness.billing.responses = broken)],
    [
      'says what stands under its key',
      () => {
        harness.billing.key = broken;
        harness.cortex.plan = { attempts: [] };
      },
    ],
    [
      'looks at an API key that was not heard of, and nobody can say what stands under the other',
      () => {
        harness.billing.key = broken;
        harness.billing.admission = broken;
      },
    ],
  ])('is not told that it was not charged when billing breaks as it %s', async (_, prepare) => {
    completed('{"it":"was"}');
    prepare();
    const reply = await post(request, { apiKey: generateApiKey('svc_test_') });
    expect(reply.status).toBe(500);
    const text = await reply.text();
    expect(text).toMatch(/Repeat the request under the same Idempotency-Key: it is charged once\./);
    expect(text).not.toContain('Nothing was charged');
  });

  it('hears of its API key first', async () => {
    harness.cortex.plan = { attempts: [] };
    harness.billing.key = { code: 'invalid_api_key', message: 'no' };
    completed('{}');
    expect((await post(request)).status).toBe(401);
  });

  it('hears of a mismatch as billing tells it', async () => {
    harness.billing.admission = {
      code: 'invalid_request',
      message: 'other',
      param: 'Idempotency-Key',
      status: 422,
    };
    const reply = await post(request);
    expect(reply.status).toBe(422);
    expect(reply.headers.get('x-should-retry')).toBe('false');
    expect(await reply.json()).toMatchObject({
      error: { code: 'invalid_request', param: 'Idempotency-Key' },
    });
  });

  it('runs when the reply was purged just now', async () => {
    harness.billing.standing = { state: 'completed', holdId: ORIGINAL };
    harness.billing.beforeAdmission = () => {
      if (harness.billing.admissions.length % 2 === 0) harness.billing.standing = undefined;
      return Promise.resolve();
    };
    const replied = post(request);
    const run = await harness.dispatch.nextRun();
    run.complete();
    expect((await replied).status).toBe(200);
    harness.billing.beforeAdmission = () => Promise.resolve();
  });

  it('tells nothing of a reply that cannot be read, nor that it was not charged', async () => {
    harness.billing.standing = { state: 'completed', holdId: ORIGINAL, reply: [Buffer.alloc(100)] };
    const reply = await post(request);
    expect(reply.status).toBe(500);
    expect(reply.headers.get('x-svc-idempotent-replay')).toBeNull();
    const { error } = (await reply.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe('internal_error');
    expect(error.message).toMatch(/cannot be read any more\..* charged when it was served/);
    expect(error.message).not.toContain('Nothing was charged');
    expect(harness.logLines.some((line) => line.includes(ORIGINAL) && line.includes('RESPONSE_KEY'))).toBe(
      true,
    );
  });

  it('tells of a reply for which there was no room what it tells of one that cannot be read', async () => {
    harness.billing.standing = { state: 'completed', holdId: ORIGINAL };
    const reply = await post(request);
    expect(reply.status).toBe(500);
    const { error } = (await reply.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe('internal_error');
    expect(error.message).toMatch(/cannot be read any more\..* charged when it was served/);
  });
});

describe('a request under the key of one that runs', () => {
  beforeEach(() => {
    harness.billing.standing = { state: 'running', holdId: ORIGINAL };
  });

  it('follows it from the first byte', async () => {
    const { replied, holdId, frames } = await follow(streamed);
    expect(holdId).toBe(ORIGINAL);
    frames.send('data', 'data: 1\n\n');
    frames.send('end', 'data: {"svc":{"cost_usdc":"0.000002"}}\n\ndata: [DONE]\n\n');
    const reply = await replied;
    expect(await reply.text()).toBe('data: 1\n\ndata: {"svc":{"cost_usdc":"0.000002"}}\n\ndata: [DONE]\n\n');
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'x-svc-request-id': ORIGINAL,
      'x-request-id': ORIGINAL,
      'x-svc-idempotent-replay': 'true',
    });
  });

  it('hears of its failure, which is nobody’s earlier reply', async () => {
    const { replied, frames } = await follow(request);
    frames.send('failure', JSON.stringify({ code: 'no_capacity', message: 'none', retryAfterSeconds: 3 }));
    const reply = await replied;
    expect(reply.status).toBe(503);
    expect(reply.headers.get('x-svc-idempotent-replay')).toBeNull();
    expect(reply.headers.get('x-svc-request-id')).toBe(ORIGINAL);
  });

  it('does not say of a stream that breaks off that nothing is charged: the request goes on', async () => {
    const { replied, frames } = await follow(streamed);
    frames.send('data', 'data: 1\n\n');
    frames.sequence++;
    frames.send('end', '');
    const [, event = ''] = (await (await replied).text()).split('\n\n');
    const told = JSON.parse(event.slice('data: '.length)) as object;
    expect(told).toMatchObject({ model: streamed.model, error: { code: 'no_capacity' } });
    expect(told).not.toHaveProperty('svc');
  });

  it('is told of a stream that breaks off in a chunk like those of the run', async () => {
    harness.billing.standing = { state: 'running', holdId: newRequestId(1_700_000_000_000) };
    const { replied, frames } = await follow({ ...streamed, stream_options: { include_usage: true } });
    frames.send('data', 'data: 1\n\n');
    frames.sequence++;
    frames.send('end', '');
    const [, event = ''] = (await (await replied).text()).split('\n\n');
    expect(JSON.parse(event.slice('data: '.length))).toMatchObject({ created: 1_700_000_000, usage: null });
  });

  it('lets nothing go when it hangs up or loses contact: the run is another’s', async () => {
    const abort = new AbortController();
    const first = await follow(streamed, { signal: abort.signal });
    first.frames.send('data', 'data: 1\n\n');
    await (await first.replied).body?.getReader().read();
    abort.abort();
    await eventually(() => harness.dispatch.detaches.includes(first.frames.subscriberId));

    const second = await follow(request);
    second.frames.sequence++;
    second.frames.send('end', '{}');
    expect((await second.replied).status).toBe(503);
    expect(harness.dispatch.cancels).not.toContain(ORIGINAL);
    expect([...harness.billing.settlements.keys()].join()).not.toContain(ORIGINAL);
  });

  it('is not asked about again when it hangs up before anybody answers', async () => {
    const abort = new AbortController();
    neverAskAgain();
    const replied = post(request, { signal: abort.signal }).catch(() => undefined);
    const attach = await eventually(() => harness.dispatch.attaches[0]);
    const asked = harness.billing.admissions.length;
    abort.abort();
    await replied;
    await eventually(() => harness.dispatch.detaches.includes(attach.frames.subscriberId));
    await harness.heard();
    expect(harness.billing.admissions).toHaveLength(asked);
  });

  it('asks again how it stands when nobody answers', async () => {
    const replied = post(request);
    const attach = await eventually(() => harness.dispatch.attaches[0]);
    completed('{"done":"meanwhile"}');
    expect(await (await replied).text()).toBe('{"done":"meanwhile"}');
    await eventually(() => harness.dispatch.detaches.includes(attach.frames.subscriberId));
  });

  it('is told to come back when nobody ever answers', async () => {
    const reply = await post(request);
    expect(reply.status).toBe(409);
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(reply.headers.get('x-should-retry')).toBe('false');
    expect(await reply.json()).toMatchObject({
      error: { code: 'invalid_request', param: 'Idempotency-Key' },
    });
  });
});

it('is counted by what came of it', async () => {
  const counts = async () => {
    const metrics = await (await fetch(`${harness.url}/metrics`)).text();
    const lines = metrics.matchAll(/^svc_gateway_idempotent_requests_total\{outcome="(\w+)",?.*\} (\d+)$/gm);
    return new Map([...lines].map(([, outcome, count]) => [outcome, Number(count)]));
  };
  const before = await counts();
  const replied = post(request);
  (await harness.dispatch.nextRun()).complete();
  await (await replied).text();
  completed('{"it":"was"}');
  await (await post(request)).text();
  harness.billing.standing = { state: 'completed', holdId: ORIGINAL };
  await (await post(request)).text();
  harness.billing.standing = { state: 'running', holdId: ORIGINAL };
  const followed = await follow(request);
  followed.frames.send('end', '{}');
  await (await followed.replied).text();
  harness.dispatch.onAttach = () => undefined;
  expect((await post(request)).status).toBe(409);
  const after = [...(await counts())].map(([outcome, count]) => [
    outcome,
    count - (before.get(outcome) ?? 0),
  ]);
  expect(Object.fromEntries(after)).toEqual({ run: 1, replayed: 1, attached: 1, lost: 1, conflict: 1 });
});

function tool(): object {
  return { type: 'function', function: { name: 'a', parameters: { type: 'object' } } };
}

import { MOST_PASSED_OVER, MOST_RUN_ATTEMPTS } from '@svc/contracts';
import { eventually } from '@svc/testing';
import OpenAI from 'openai';
import { attempt } from '../testing/fake-cortex.for-spec';
import { wallet } from '../testing/fake-billing.for-spec';
import { GatewayHarness } from '../testing/gateway-harness.for-spec';

const harness = new GatewayHarness();
beforeAll(() => harness.start());
afterEach(() => {
  harness.cortex.plan = { attempts: [attempt] };
});
afterAll(() => harness.stop());

const request = { model: 'svc/demo@1', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 };

describe('a plain completion', () => {
  it('goes the straight way and comes back byte for byte', async () => {
    const replied = harness.post({ ...request, temperature: 0.5, user: 'someone', unknown: 1 });
    const run = await harness.dispatch.nextRun();
    run.send('accepted');
    const body = run.complete();
    const reply = await replied;
    expect(reply.status).toBe(200);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(JSON.stringify(body).length),
      'cache-control': 'no-store',
    });
    expect(await reply.json()).toEqual(body);
    const requestId = reply.headers.get('x-svc-request-id') ?? '';
    expect(requestId).toMatch(/^req_[0-9a-z]{33}$/);
    // ceil(36 bytes of messages / 3) + 8, at 0.1 and 0.4 USDC per million tokens, rounded up.
    const inputEstimate = Math.ceil(JSON.stringify(request.messages).length / 3) + 8;
    const amount = Math.ceil((inputEstimate * 100_000 + 100 * 400_000) / 1_000_000);
    expect(reply.headers.get('x-svc-hold-usdc')).toBe(`0.0000${amount}`);
    expect(run.request).toEqual({
      requestId,
      completionId: `chatcmpl-${requestId.slice(4)}`,
      created: expect.any(Number) as number,
      model: 'svc/demo@1',
      stream: false,
      includeUsage: false,
      inputEstimate,
      maxTokens: 100,
      hold: { holdId: requestId, wallet, amount: String(amount) },
      attempts: [attempt],
      body: { messages: request.messages, temperature: 0.5 },
    });
    expect(harness.billing.admissions.at(-1)).toMatchObject({ requestId, model: 'svc/demo@1' });
    await eventually(() => harness.dispatch.delivered.includes(requestId));
  });

  it.each([[1], [10_000]])('comes back as it was written, in any script: %i times', async (times) => {
    const body = '{"content":"é漢🙂"}'.repeat(times);
    const replied = harness.post(request);
    (await harness.dispatch.nextRun()).send('end', body);
    const reply = await replied;
    expect(reply.headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
    expect((await reply.text()) === body).toBe(true);
  });

  it('holds at the dearest attempt', async () => {
    harness.cortex.plan = {
      attempts: [attempt, { ...attempt, offerId: 'offer_2', outputPricePerMtok: '40000000' }, attempt],
    };
    const replied = harness.post(request);
    const run = await harness.dispatch.nextRun();
    run.complete();
    expect((await replied).headers.get('x-svc-hold-usdc')).toBe('0.004002');
    expect(run.request.attempts.map(({ offerId }) => offerId)).toEqual(['offer_1', 'offer_2', 'offer_1']);
  });

  it('is tried with as many offers as a run may have, and holds for no further one', async () => {
    const attempts = Array.from({ length: MOST_RUN_ATTEMPTS }, (_, n) => ({
      ...attempt,
      offerId: `offer_${n}`,
    }));
    const passedOver = Array.from({ length: MOST_PASSED_OVER + 1 }, (_, n) => ({
      offerId: `passed_${n}`,
      why: 'busy',
    }));
    const dear = { ...attempt, offerId: 'offer_dear', outputPricePerMtok: '40000000' };
    harness.cortex.plan = { attempts: [...attempts, dear], passedOver };
    const replied = harness.post(request);
    const run = await harness.dispatch.nextRun();
    run.complete();
    expect((await replied).headers.get('x-svc-hold-usdc')).toBe('0.000042');
    expect(run.request.attempts).toEqual(attempts);
    expect(run.request.passedOver).toEqual(passedOver.slice(0, MOST_PASSED_OVER));
  });

  it('passes on what dispatch refuses with, and leaves the hold to it', async () => {
    const replied = harness.post(request);
    const run = await harness.dispatch.nextRun();
    run.send(
      'failure',
      JSON.stringify({
        code: 'provider_output_invalid',
        message: 'Broken tool calls.',
        retryAfterSeconds: 2,
      }),
    );
    const reply = await replied;
    expect(reply.status).toBe(502);
    expect(reply.headers.get('retry-after')).toBe('2');
    expect(reply.headers.get('x-should-retry')).toBeNull();
    expect(await reply.json()).toEqual({
      error: {
        message: 'Broken tool calls.',
        type: 'server_error',
        code: 'provider_output_invalid',
        param: null,
      },
    });
    await eventually(() => harness.dispatch.delivered.includes(run.request.requestId));
    expect(harness.billing.settlements.has(`${run.request.hold.holdId}:abandon`)).toBe(false);
  });

  it('tells the official SDK the request’s id, of a reply and of a refusal', async () => {
    const client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: harness.apiKey, maxRetries: 0 });
    const asked = { model: 'svc/demo@1', messages: [{ role: 'user' as const, content: 'Hello' }] };
    const replied = client.chat.completions.create(asked);
    const run = await harness.dispatch.nextRun();
    run.complete();
    expect((await replied)._request_id).toBe(run.request.requestId);
    await expect(client.chat.completions.create({ ...asked, model: 'svc/none@1' })).rejects.toMatchObject({
      requestID: expect.stringMatching(/^req_/) as string,
    });
  });

  it('writes one log line without the prompt or the key', async () => {
    const replied = harness.post(request);
    (await harness.dispatch.nextRun()).complete();
    const requestId = (await replied).headers.get('x-svc-request-id') ?? '';
    const line = await eventually(() =>
      harness.logLines.find((each) => each.includes(requestId) && each.includes('"msg":"request"')),
    );
    expect(JSON.parse(line)).toMatchObject({
      requestId,
      method: 'POST',
      route: 'chat_completions',
      status: 200,
      code: 'ok',
      model: 'svc/demo@1',
      costUsdc: '0.000002',
      durationMs: expect.any(Number) as number,
    });
    expect(harness.logLines.join('')).not.toMatch(/Hello|svc_test_/);
  });

  it('traces across services', async () => {
    const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    const replied = harness.post(request, { headers: { traceparent } });
    const run = await harness.dispatch.nextRun();
    run.complete();
    expect((await replied).status).toBe(200);
    expect(run.message.headers?.get('traceparent')).toBe(traceparent);
  });

  it('hands on no trace that is none', async () => {
    const replied = harness.post(request, { headers: { traceparent: `00-${'1'.repeat(32)}-2-01` } });
    const run = await harness.dispatch.nextRun();
    run.complete();
    expect((await replied).status).toBe(200);
    expect(run.message.headers?.get('traceparent') ?? '').toBe('');
  });
});

describe('a stream', () => {
  const streamed = { ...request, stream: true, stream_options: { include_usage: true } };

  it('carries the ready bytes, in order', async () => {
    const replied = harness.post(streamed);
    const run = await harness.dispatch.nextRun();
    expect(run.request).toMatchObject({ stream: true, includeUsage: true });
    expect(run.request.body).toEqual({ messages: request.messages });
    run.send('accepted');
    run.send('data', 'data: {"a":"é漢🙂"}\n\n');
    const reply = await replied;
    expect(reply.status).toBe(200);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      // Proxies neither keep, nor compress, nor gather it.
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(reply.headers.get('x-svc-hold-usdc')).toMatch(/^0\.0000\d\d$/);
    run.send('data', 'data: {"b":2}\n\n');
    run.send('end', 'data: {"svc":{"cost_usdc":"0.000009"}}\n\ndata: [DONE]\n\n');
    expect(await reply.text()).toBe(
      'data: {"a":"é漢🙂"}\n\ndata: {"b":2}\n\ndata: {"svc":{"cost_usdc":"0.000009"}}\n\ndata: [DONE]\n\n',
    );
    await eventually(() => harness.dispatch.delivered.includes(run.request.requestId));
    expect(harness.dispatch.cancels).not.toContain(run.request.requestId);
  });

  it('fails with a real status before the first bytes', async () => {
    const replied = harness.post(streamed);
    const run = await harness.dispatch.nextRun();
    run.send('accepted');
    run.send(
      'failure',
      JSON.stringify({ code: 'no_capacity', message: 'All failed.', retryAfterSeconds: 7 }),
    );
    const reply = await replied;
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).toBe('7');
    expect(await reply.json()).toMatchObject({ error: { code: 'no_capacity' } });
  });

  it.each([false, true])(
    'is told for good that providers refused the request itself, opened: %s',
    async (opened) => {
      const replied = harness.post(streamed);
      const run = await harness.dispatch.nextRun();
      run.send('accepted');
      await harness.settled();
      if (opened) harness.pass(9_000);
      if (opened) harness.pass(1_000);
      if (opened) await replied;
      run.send('failure', JSON.stringify({ code: 'invalid_request', message: 'All refused it.' }));
      const reply = await replied;
      const error = {
        message: 'All refused it.',
        type: 'invalid_request_error',
        code: 'invalid_request',
        param: null,
      };
      if (opened) {
        const [, event, ...end] = (await reply.text()).split('\n\n');
        expect(JSON.parse(event?.slice(6) ?? '')).toMatchObject({
          choices: [],
          error,
          svc: { cost_usdc: '0.000000' },
        });
        expect(end).toEqual(['data: [DONE]', '']);
        return;
      }
      expect(reply.status).toBe(400);
      expect(await reply.json()).toEqual({ error });
      expect([reply.headers.get('x-should-retry'), reply.headers.get('retry-after')]).toEqual([
        'false',
        null,
      ]);
    },
  );

  it('fails in the middle with an error chunk, nothing charged, and an end', async () => {
    const replied = harness.post(streamed);
    const run = await harness.dispatch.nextRun();
    run.send('data', 'data: {"a":1}\n\n');
    run.send('failure', JSON.stringify({ code: 'internal_error', message: 'It broke.' }));
    const events = (await (await replied).text()).split('\n\n');
    expect(events[0]).toBe('data: {"a":1}');
    expect(JSON.parse((events[1] ?? '').slice(6))).toEqual({
      id: run.request.completionId,
      object: 'chat.completion.chunk',
      created: run.request.created,
      model: 'svc/demo@1',
      choices: [],
      usage: null,
      error: { message: 'It broke.', type: 'server_error', code: 'internal_error', param: null },
      svc: { cost_usdc: '0.000000' },
    });
    expect(events.slice(2)).toEqual(['data: [DONE]', '']);
  });

  it('opens after 10 s and keeps alive each 10 s of silence', async () => {
    const replied = harness.post(streamed);
    const run = await harness.dispatch.nextRun();
    run.send('accepted');
    await harness.settled();
    harness.pass(9_000);
    harness.pass(1_000);
    const reply = await replied;
    expect(reply.status).toBe(200);
    const reader = (reply.body ?? new ReadableStream<Uint8Array>()).getReader();
    const next = async () => Buffer.from((await reader.read()).value ?? []).toString();
    expect(await next()).toBe(': keep-alive\n\n');
    run.send('data', 'data: 1\n\n');
    expect(await next()).toBe('data: 1\n\n');
    harness.pass(9_000);
    harness.pass(1_000);
    expect(await next()).toBe(': keep-alive\n\n');
    run.send('failure', JSON.stringify({ code: 'no_capacity', message: 'Late.' }));
    expect(await next()).toMatch(/"code":"no_capacity".*"0\.000000".*\n\ndata: \[DONE\]\n\n$/s);
  });

  it('gives credit as the client takes the bytes', async () => {
    const replied = harness.post(streamed);
    const run = await harness.dispatch.nextRun();
    const chunk = `data: ${'x'.repeat(16 * 1024)}\n\n`;
    for (let sent = 0; sent < 12; sent++) run.send('data', chunk);
    const reply = await replied;
    const credited = () =>
      harness.dispatch.credits
        .filter(({ requestId }) => requestId === run.request.requestId)
        .reduce((sum, { bytes }) => sum + bytes, 0);
    const reading = reply.text();
    await eventually(() => credited() >= 128 * 1024);
    run.send('end', 'data: [DONE]\n\n');
    expect((await reading).length).toBe(12 * chunk.length + 14);
    expect(credited()).toBeLessThanOrEqual(12 * chunk.length);
  });
});

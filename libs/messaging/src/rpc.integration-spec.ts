import { getEventListeners, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Controller, Module } from '@nestjs/common';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  CheckKeyRequest,
  CreatePlanRequest,
  DISPATCH_SUBJECTS,
  VerifySignatureRequest,
  billingContracts,
  cortexContracts,
} from '@svc/contracts';
import type { CheckedKey, Plan, VerifiedSignature } from '@svc/contracts';
import { accountSuspended, noCapacity } from '@svc/errors';
import { PrivateNats, eventually, waitLongFor } from '@svc/testing';
import { AckPolicy } from 'nats';
import type { Msg, MsgHdrs } from 'nats';
import { Bundle } from './bundle';
import { toHeaders } from './call-headers';
import type { Messaging } from './connect';
import { HandleMessages, HandleRpc } from './handle-rpc.decorator';
import type { RpcContext } from './handle-rpc.decorator';
import { bundleOf } from './inbox';
import type { InboxMessage } from './inbox';
import { KvView } from './kv-view';
import { NatsRpcStrategy } from './nats-rpc.strategy';
import { PeerClocks } from './peer-clocks';
import { RpcClient } from './rpc-client';

const WALLET = `0x${'1'.repeat(40)}`;
const hash = (digit: string) => digit.repeat(64);

let release: (() => void) | undefined;
/** How many calls about keys were handled, and until when the last of them was waited for. */
let checks = 0;
let deadlineMs: number | undefined;

@Controller()
class KeyController {
  @HandleRpc(billingContracts.checkKey)
  async check(request: CheckKeyRequest, context: RpcContext): Promise<CheckedKey> {
    checks++;
    deadlineMs = context.deadlineMs;
    if (request.keyHash === hash('c')) return { wallet: WALLET, keyId: context.requestId ?? 'none' };
    if (request.keyHash === hash('5')) throw accountSuspended();
    if (request.keyHash === hash('b')) throw new Error('password=hunter2');
    if (request.keyHash === hash('e')) throw new RangeError('password=hunter2');
    if (request.keyHash === hash('d')) await new Promise<void>((done) => (release = done));
    return { wallet: WALLET, keyId: request.keyHash.slice(0, 4) };
  }

  @HandleRpc(billingContracts.verifySignature, { whilePaused: true })
  verify({ message }: VerifySignatureRequest): VerifiedSignature {
    return { isValid: message === 'signed' };
  }
}

/** Another process, as far as standing still goes. */
const answerer = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { url, password, subject, words } = workerData;
  require('nats').connect({ servers: url, user: 'billing', pass: password, inboxPrefix: '_INBOX.billing' }).then(async (nats) => {
    nats.subscribe(subject, { callback: async (_, message) => {
      Atomics.wait(words, 0, 0);
      message.respond(JSON.stringify({ keyId: 'key_1' }));
      await nats.flush();
      Atomics.store(words, 1, 1);
      Atomics.notify(words, 1);
    } });
    await nats.flush();
    parentPort.postMessage('listening');
  });
`;

let hold: Promise<void> | undefined;

/** One call of many in a message each. */
@Controller()
class CortexController {
  @HandleRpc(cortexContracts.createPlan)
  async plan({ model, inputEstimate }: CreatePlanRequest, context: RpcContext): Promise<Plan> {
    if (model === 'svc/refused@1') throw accountSuspended();
    if (model === 'svc/broken@1') throw new Error('password=hunter2');
    if (model === 'svc/slow@1') await hold;
    if (model === 'svc/large@1') return { attempts: [], retryAfterSeconds: inputEstimate, ...large };
    const retryAfterSeconds = inputEstimate;
    return { attempts: [], retryAfterSeconds, ...{ heard: [context.requestId, context.traceparent] } };
  }
}

const large = { filling: 'x'.repeat(9_000_000) };

@Module({ controllers: [KeyController] })
class KeyModule {}

const heard: string[] = [];

@Controller()
class HealthController {
  @HandleMessages(DISPATCH_SUBJECTS.health)
  hear(message: Msg): void {
    heard.push(message.string());
  }
}

@Module({ controllers: [CortexController, HealthController] })
class CortexModule {}

const started: string[] = [];

@Controller()
class StartController {
  @HandleMessages(DISPATCH_SUBJECTS.start, { queue: DISPATCH_SUBJECTS.queue })
  start(message: Msg): void {
    started.push(message.string());
  }
}

@Module({ controllers: [StartController] })
class StartModule {}

/** @param leads what it learns of others' clocks */
async function slowClient(behindMs: number, leads: [string, number][] = []): Promise<RpcClient> {
  const clocks = new PeerClocks(
    (service, aheadMs) => leads.push([service, aheadMs]),
    () => Date.now() - behindMs,
  );
  return new RpcClient(await nats.connectAs('gateway'), clocks);
}

// Of its own: other specs answer the same subjects, and some must be answered by nobody.
let nats: PrivateNats;

beforeAll(async () => {
  waitLongFor({ ...billingContracts, ...cortexContracts });
  nats = await PrivateNats.start();
});
afterAll(() => nats.close());

describe('RPC over NATS', () => {
  let server: Messaging;
  let caller: Messaging;
  let client: RpcClient;
  let app: INestMicroservice;
  let strategy: NatsRpcStrategy;
  const refused: string[] = [];
  const failed: unknown[] = [];

  beforeAll(async () => {
    server = await nats.connectAs('billing');
    caller = await nats.connectAs('gateway');
    client = new RpcClient(caller);
    strategy = new NatsRpcStrategy(
      server,
      {
        refused: (_, reason) => refused.push(reason),
        failed: (_, error) => failed.push(error),
      },
      (error) => (error instanceof RangeError ? noCapacity('Try again.', 2) : undefined),
    );
    app = await NestFactory.createMicroservice(KeyModule, { strategy, logger: false });
    await app.listen();
  });
  afterAll(() => app.close());

  it('answers, a hundred at once, each in a message of its own where the contract does not gather them', async () => {
    const sentBefore = caller.connection.stats().outMsgs;
    const keys = Array.from({ length: 100 }, (_, index) => index.toString(16).padStart(64, '0'));
    const replies = await Promise.all(
      keys.map((keyHash) => client.call(billingContracts.checkKey, { keyHash })),
    );
    expect(replies).toEqual(keys.map((keyHash) => ({ wallet: WALLET, keyId: keyHash.slice(0, 4) })));
    expect(caller.connection.stats().outMsgs - sentBefore).toBe(100);
  });

  it('shares calls among the instances of a service: each is answered by one of them', async () => {
    const another = new NatsRpcStrategy(await nats.connectAs('billing'), {
      refused: () => undefined,
      failed: () => undefined,
    });
    const beside = await NestFactory.createMicroservice(KeyModule, { strategy: another, logger: false });
    await beside.listen();
    checks = 0;
    const calls = Array.from({ length: 50 }, () =>
      client.call(billingContracts.checkKey, { keyHash: hash('1') }),
    );
    await Promise.all(calls);
    // Finishes what it has begun.
    await beside.close();
    expect(checks).toBe(50);
  });

  it('takes no second handler for a subject', () => {
    const { subject } = billingContracts.checkKey;
    expect(() => strategy.addHandler(subject, () => Promise.resolve())).toThrow(subject);
  });

  it('carries the request id and the deadline', async () => {
    const reply = client.call(billingContracts.checkKey, { keyHash: hash('c') }, { requestId: 'req_7' });
    await expect(reply).resolves.toMatchObject({ keyId: 'req_7' });
  });

  it('carries errors of the catalogue, and nothing of others', async () => {
    failed.length = 0;
    await expect(client.call(billingContracts.checkKey, { keyHash: hash('5') })).rejects.toMatchObject({
      payload: { code: 'account_suspended' },
    });
    expect(failed).toEqual([]);
    const failure = client.call(billingContracts.checkKey, { keyHash: hash('b') });
    await expect(failure).rejects.toMatchObject({ payload: { code: 'internal_error' } });
    await expect(failure).rejects.not.toMatchObject({
      message: expect.stringContaining('hunter2') as string,
    });
  });

  it('tells of errors outside the catalogue what the service has for them, and its observer all of it', async () => {
    failed.length = 0;
    await expect(client.call(billingContracts.checkKey, { keyHash: hash('e') })).rejects.toMatchObject({
      payload: { code: 'no_capacity', message: 'Try again.', retryAfterSeconds: 2 },
    });
    expect(failed).toEqual([new RangeError('password=hunter2')]);
  });

  it('refuses what does not validate or parse, and lives on', async () => {
    refused.length = 0;
    await expect(client.call(billingContracts.checkKey, { keyHash: 'short' })).rejects.toMatchObject({
      payload: { code: 'invalid_request', message: 'keyHash must be 64 hex digits.', param: 'keyHash' },
    });
    const [notJson, noObject] = ['The request is not JSON.', 'The request must be an object.'];
    for (const [bytes, message] of [
      ['{', notJson],
      ['', notJson],
      [Buffer.from([0xff, 0xfe]), notJson],
      ['null', noObject],
      ['[]', noObject],
      ['"text"', noObject],
    ] as const) {
      const { subject, timeoutMs } = billingContracts.checkKey;
      const reply = await caller.connection.request(subject, bytes, { timeout: timeoutMs });
      expect(reply.json()).toEqual({ code: 'invalid_request', message });
    }
    expect(refused).toHaveLength(7);
    await expect(client.call(billingContracts.checkKey, { keyHash: hash('1') })).resolves.toBeDefined();
  });

  it('answers a call whose headers cannot be read, and hears those after it', async () => {
    const { subject, timeoutMs } = billingContracts.checkKey;
    const unreadable = { encode: () => Buffer.from('NATS/1.0\r\nmy key: x\r\n\r\n') };
    const reply = await caller.connection.request(subject, JSON.stringify({ keyHash: hash('1') }), {
      timeout: timeoutMs,
      headers: unreadable as unknown as MsgHdrs,
    });
    expect(reply.json()).toEqual({ wallet: WALLET, keyId: '1111' });
    await expect(client.call(billingContracts.checkKey, { keyHash: hash('1') })).resolves.toBeDefined();
  });

  it('writes its answers into inboxes and nowhere else: it may publish what its caller may not', async () => {
    const heard: string[] = [];
    const listening = server.connection.subscribe('$KV.catalog_offers.x', {
      callback: (_, message) => heard.push(message.subject),
    });
    await server.connection.flush();
    for (const request of [JSON.stringify({ keyHash: hash('a') }), 'not JSON']) {
      caller.connection.publish('billing.v1.key.check', request, { reply: '$KV.catalog_offers.x' });
    }
    await eventually(() => refused.filter((reason) => reason === 'no_inbox').length === 2);
    // Whatever was sent before this answer has come by now.
    await client.call(billingContracts.checkKey, { keyHash: hash('a') });
    await server.connection.flush();
    expect(heard).toEqual([]);
    listening.unsubscribe();
  });

  it('hears no call that has no inbox: none was sent by a caller', async () => {
    refused.length = 0;
    caller.connection.publish('billing.v1.key.check', JSON.stringify({ keyHash: hash('c') }));
    await eventually(() => refused.includes('no_inbox'));
  });

  it('gives up at its deadline, when aborted, and at once when nobody listens', async () => {
    const call = billingContracts.checkKey;
    await expect(client.call(call, { keyHash: hash('d') }, { timeoutMs: 50 })).rejects.toMatchObject({
      reason: 'timeout',
    });
    const aborted = client.call(call, { keyHash: hash('d') }, { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ reason: 'aborted' });
    await expect(client.call(billingContracts.admitHold, admission)).rejects.toMatchObject({
      reason: 'no_responders',
    });
    release?.();
  });

  it('handles no call that nobody waits for any more, and allows for clocks that differ', async () => {
    const { subject, timeoutMs } = billingContracts.checkKey;
    const deadlineMs = Date.now();
    const ask = () => {
      const options = { timeout: timeoutMs, headers: toHeaders({ deadlineMs }) };
      return caller.connection.request(subject, JSON.stringify({ keyHash: hash('1') }), options);
    };
    const clock = jest.spyOn(Date, 'now').mockReturnValue(deadlineMs + 500);
    expect((await ask()).json()).toMatchObject({ keyId: '1111' });
    [checks, refused.length] = [0, 0];
    clock.mockReturnValue(deadlineMs + 501);
    const refusal = await ask();
    clock.mockRestore();
    expect([refused, checks]).toEqual([['expired'], 0]);
    expect(refusal.json()).toMatchObject({ code: 'no_capacity' });
    expect(refusal.headers?.get('Svc-Clock')).toBe(String(deadlineMs + 501));
  });

  it.each([5 * 60_000, 86_400_000])(
    'calls by a clock that is %d ms behind, once it knows',
    async (behindMs) => {
      const leads: [string, number][] = [];
      const slow = await slowClient(behindMs, leads);
      const keys = ['1', '2'].map((digit) => ({ keyHash: hash(digit) }));
      [checks, refused.length] = [0, 0];
      await expect(
        Promise.all(keys.map((key) => slow.call(billingContracts.checkKey, key))),
      ).resolves.toEqual([
        { wallet: WALLET, keyId: '1111' },
        { wallet: WALLET, keyId: '2222' },
      ]);
      expect(await slow.call(billingContracts.checkKey, { keyHash: hash('3') })).toMatchObject({
        keyId: '3333',
      });
      expect([refused, checks]).toEqual([['expired', 'expired'], 3]);
      expect(leads[0]?.[0]).toBe('billing');
      expect(Math.abs((leads[0]?.[1] ?? 0) - behindMs)).toBeLessThan(60_000);
    },
  );

  it('sends a call again no more than thrice, whatever the clock over there says', async () => {
    refused.length = 0;
    const now = Math.trunc(performance.timeOrigin);
    const quick = new RpcClient(await nats.connectAs('gateway'), new PeerClocks(undefined, () => now));
    const clock = jest.spyOn(Date, 'now');
    let leapMs = 0;
    clock.mockImplementation(() => now + (leapMs += 3_600_000));
    const call = quick.call(billingContracts.checkKey, { keyHash: hash('1') });
    await expect(call).rejects.toMatchObject({ payload: { code: 'no_capacity' } });
    clock.mockRestore();
    expect(refused).toEqual(Array.from({ length: 4 }, () => 'expired'));
  });

  it('tells handlers how long their callers wait by a clock that nobody sets', async () => {
    for (const behindMs of [0, 5 * 60_000, -5 * 60_000]) {
      const slow = await slowClient(behindMs);
      const beganMs = performance.now();
      await slow.call(billingContracts.checkKey, { keyHash: hash('1') }, { timeoutMs: 20_000 });
      expect(deadlineMs).toBeGreaterThan(beganMs + 1_000);
      expect(deadlineMs).toBeLessThan(performance.now() + billingContracts.checkKey.timeoutMs + 1);
    }
  });

  it('refuses a request that the server would not take', async () => {
    const request = { keyHash: 'x'.repeat(20_000_000) };
    await expect(client.call(billingContracts.checkKey, request)).rejects.toThrow(RangeError);
  });

  it('leaves nothing behind with who called, whatever came of it', async () => {
    const { signal } = new AbortController();
    for (const digit of ['1', '5'])
      await Promise.allSettled([
        client.call(billingContracts.checkKey, { keyHash: hash(digit) }, { signal }),
      ]);
    release = undefined;
    const unanswered = client.call(
      billingContracts.checkKey,
      { keyHash: hash('d') },
      { signal, timeoutMs: 1 },
    );
    await expect(unanswered).rejects.toMatchObject({ reason: 'timeout' });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    while (!release) await new Promise((next) => setImmediate(next));
    (release as () => void)();
  });

  it('hears an answer that came in time while this process stood still', async () => {
    const { subject } = billingContracts.showKey;
    // Whether the other may answer, and whether it has.
    const words = new Int32Array(new SharedArrayBuffer(8));
    const other = new Worker(answerer, { eval: true, workerData: { ...nats.access, subject, words } });
    await once(other, 'message');
    // Its time is over when the spec says so: how soon it gets to the other says nothing.
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const timeoutMs = 123_456;
    const call = client.call(billingContracts.showKey, { keyHash: hash('a') }, { timeoutMs });
    const [timer] = timers.mock.calls.filter(([, ms]) => ms === timeoutMs);
    timers.mockRestore();
    await caller.connection.flush();
    // Among the timers, which come before what there is to read.
    await new Promise((resolve) => setTimeout(resolve));
    Atomics.store(words, 0, 1);
    Atomics.notify(words, 0);
    Atomics.wait(words, 1, 0, 30_000);
    // The server has it, and brings it here without this process.
    Atomics.wait(words, 1, 1, 2_000);
    timer?.[0]();
    await expect(call).resolves.toEqual({ keyId: 'key_1' });
    await other.terminate();
  });

  it('leaves its share to others while it pauses, finishes what is under way, and takes it again', async () => {
    release = undefined;
    const check = (digit: string) => client.call(billingContracts.checkKey, { keyHash: hash(digit) });
    const pending = check('d');
    await eventually(() => release !== undefined);
    strategy.pause();
    await server.connection.flush();
    await expect(check('1')).rejects.toMatchObject({ reason: 'no_responders' });
    const signed = { wallet: WALLET, message: 'signed', signature: `0x${'0'.repeat(130)}` };
    await expect(client.call(billingContracts.verifySignature, signed)).resolves.toEqual({ isValid: true });

    const other = await nats.connectAs('billing');
    const handled: string[] = [];
    other.connection.subscribe(billingContracts.checkKey.subject, {
      queue: billingContracts.checkKey.queue,
      callback: (_, message) => {
        handled.push(message.subject);
        message.respond(JSON.stringify({ wallet: WALLET, keyId: 'other' }));
      },
    });
    await other.connection.flush();
    const answers = await Promise.all(Array.from({ length: 50 }, () => check('1')));
    expect([handled.length, new Set(answers.map(({ keyId }) => keyId))]).toEqual([50, new Set(['other'])]);
    (release as unknown as () => void)();
    await expect(pending).resolves.toMatchObject({ wallet: WALLET });

    strategy.resume();
    strategy.resume();
    await server.connection.flush();
    // The server knows that it has left.
    await other.connection.drain();
    checks = 0;
    await expect(check('1')).resolves.toMatchObject({ keyId: '1111' });
    expect(checks).toBe(1);
  });

  it('finishes what is under way before it closes', async () => {
    release = undefined;
    const pending = client.call(billingContracts.checkKey, { keyHash: hash('d') });
    while (!release) await new Promise((next) => setImmediate(next));
    const order: string[] = [];
    const closed = strategy.close().then(() => order.push('closed'));
    await server.connection.flush();
    // It takes no more calls by now.
    await expect(client.call(billingContracts.checkKey, { keyHash: hash('1') })).rejects.toMatchObject({
      reason: 'no_responders',
    });
    expect(order).toEqual([]);
    (release as () => void)();
    await expect(pending.finally(() => order.push('answered'))).resolves.toMatchObject({ wallet: WALLET });
    await closed;
    expect(order).toContain('closed');
    strategy.resume();
    await server.connection.flush();
    await expect(client.call(billingContracts.checkKey, { keyHash: hash('1') })).rejects.toMatchObject({
      reason: 'no_responders',
    });
  });
});

describe('calls gathered in one message', () => {
  let server: Messaging;
  let caller: Messaging;
  let client: RpcClient;
  let app: INestMicroservice;
  const refused: string[] = [];
  const { createPlan } = cortexContracts;
  const plan = (model: string, inputEstimate = 1) => ({
    requestId: 'req_1',
    model: `svc/${model}@1`,
    inputEstimate,
    inputLeast: 1,
    maxTokens: 1,
  });

  beforeAll(async () => {
    server = await nats.connectAs('cortex');
    caller = await nats.connectAs('gateway');
    client = new RpcClient(caller);
    const strategy = new NatsRpcStrategy(server, {
      refused: (_, reason) => refused.push(reason),
      failed: () => undefined,
    });
    app = await NestFactory.createMicroservice(CortexModule, { strategy, logger: false });
    await app.listen();
  });
  afterAll(() => app.close());

  it('are answered each for itself, with far fewer messages than calls', async () => {
    const sentBefore = caller.connection.stats().outMsgs;
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        client.call(createPlan, plan('a', index + 1), { requestId: `req_${index}`, traceparent: 't' }),
      ),
    );
    expect(answers).toEqual(
      answers.map((_, index) => ({
        attempts: [],
        retryAfterSeconds: index + 1,
        heard: [`req_${index}`, 't'],
      })),
    );
    // 64 a message at most.
    expect(caller.connection.stats().outMsgs - sentBefore).toBe(4);
  });

  it('are sent again together by a clock that is behind', async () => {
    refused.length = 0;
    const slow = await slowClient(3_600_000);
    const sentBefore = slow.messaging.connection.stats().outMsgs;
    const answers = await Promise.all([1, 2, 3].map((tokens) => slow.call(createPlan, plan('a', tokens))));
    expect(answers).toMatchObject([1, 2, 3].map((retryAfterSeconds) => ({ retryAfterSeconds })));
    expect(refused).toEqual(['expired', 'expired', 'expired']);
    expect(slow.messaging.connection.stats().outMsgs - sentBefore).toBe(2);
  });

  it('suffer nothing for what is wrong with one among them', async () => {
    refused.length = 0;
    const results = await Promise.allSettled([
      client.call(createPlan, plan('refused')),
      client.call(createPlan, plan('broken')),
      client.call(createPlan, plan('large')),
      client.call(createPlan, { ...plan('a'), maxTokens: -1 }),
      client.call(createPlan, plan('a', 7)),
    ]);
    const codes = results.map((result) =>
      result.status === 'rejected'
        ? (result.reason as { payload: { code: string } }).payload.code
        : result.value.retryAfterSeconds,
    );
    expect(codes).toEqual(['account_suspended', 'internal_error', 'internal_error', 'invalid_request', 7]);
    expect(refused).toEqual(['invalid']);
  });

  it('wait for none that takes longer, and give up each by itself', async () => {
    let go: () => void = () => undefined;
    hold = new Promise((resolve) => (go = resolve));
    const slow = client.call(createPlan, plan('slow', 5));
    const given = client.call(createPlan, plan('slow'), { timeoutMs: 50 });
    const quick = client.call(createPlan, plan('a', 6));
    await expect(quick).resolves.toMatchObject({ retryAfterSeconds: 6 });
    await expect(given).rejects.toMatchObject({ reason: 'timeout' });
    go();
    await expect(slow).resolves.toMatchObject({ retryAfterSeconds: 5 });
  });

  it('go with no message that has left already', async () => {
    let go: () => void = () => undefined;
    hold = new Promise((resolve) => (go = resolve));
    const slow = client.call(createPlan, plan('slow', 5));
    await caller.connection.flush();
    await expect(client.call(createPlan, plan('a', 6))).resolves.toMatchObject({ retryAfterSeconds: 6 });
    go();
    await expect(slow).resolves.toMatchObject({ retryAfterSeconds: 5 });
  });

  it('are answered also when everybody who called before them has given up', async () => {
    const leaving = new AbortController();
    const given = client.call(createPlan, plan('a'), { signal: leaving.signal });
    leaving.abort();
    const next = client.call(createPlan, plan('a', 8), { timeoutMs: 5_000 });
    await expect(given).rejects.toMatchObject({ reason: 'aborted' });
    await expect(next).resolves.toMatchObject({ retryAfterSeconds: 8 });
  });

  it('are all told at once that nobody listens', async () => {
    const calls = [1, 2, 3].map(() => client.call(billingContracts.admitHold, admission));
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'no_responders' } });
    }
  });
});

describe('messages of a queue', () => {
  it('come to one instance each', async () => {
    const instances = await Promise.all(
      [1, 2].map(async () => {
        const messaging = await nats.connectAs('dispatch');
        const observer = { refused: () => undefined, failed: () => undefined };
        const strategy = new NatsRpcStrategy(messaging, observer);
        const app = await NestFactory.createMicroservice(StartModule, { strategy, logger: false });
        await app.listen();
        return app;
      }),
    );
    const { connection } = await nats.connectAs('gateway');
    const sent = Array.from({ length: 50 }, (_, index) => String(index));
    for (const each of sent) connection.publish(DISPATCH_SUBJECTS.start, each);
    await connection.flush();
    await Promise.all(instances.map((app) => app.close()));
    expect(started.sort((a, b) => Number(a) - Number(b))).toEqual(sent);
  });
});

describe('a stream that delivers where its reader may not publish', () => {
  it('is heard by no handler, and answers no call', async () => {
    const [catalog, cortex] = [await nats.connectAs('catalog'), await nats.connectAs('cortex')];
    const [dispatch, gateway] = [await nats.connectAs('dispatch'), await nats.connectAs('gateway')];
    const refused: string[] = [];
    const failed: unknown[] = [];
    const strategy = new NatsRpcStrategy(cortex, {
      refused: (_, reason) => refused.push(reason),
      failed: (_, error) => failed.push(error),
    });
    const app = await NestFactory.createMicroservice(CortexModule, { strategy, logger: false });
    await app.listen();
    const answers: string[] = [];
    const { subject: inbox } = new RpcClient(gateway).inbox.openReusable('billing', ({ data }) => {
      answers.push(Buffer.from(data).toString());
    });
    await gateway.connection.flush();

    // A key so long that what follows in the stream's subject stands where an inbox has its token.
    const token = inbox.split('.').slice(-2).join('.');
    const key = `${'x'.repeat(inbox.length - token.length - '$KV.catalog_models.'.length - 1)}.${token}`;
    const bucket = await catalog.connection.jetstream().views.kv('catalog_models', { history: 1 });
    await bucket.put(key, 'forged');
    const manager = await catalog.connection.jetstreamManager();
    for (const deliver_subject of [DISPATCH_SUBJECTS.health, inbox]) {
      await manager.consumers.add('KV_catalog_models', { deliver_subject, ack_policy: AckPolicy.None });
    }
    await eventually(() => refused.length === 1);
    dispatch.connection.publish(DISPATCH_SUBJECTS.health, 'genuine');
    await eventually(() => heard.length > 0);
    await gateway.connection.flush();
    expect({ heard, refused, answers }).toEqual({ heard: ['genuine'], refused: ['no_inbox'], answers: [] });
    await app.close();
    expect(failed).toEqual([]);
  });
});

describe('JetStream, which answers wherever it is asked to', () => {
  it('answers no call', async () => {
    const [billing, gateway] = [await nats.connectAs('billing'), await nats.connectAs('gateway')];
    const [cortex, dispatch] = [await nats.connectAs('cortex'), await nats.connectAs('dispatch')];
    await dispatch.connection.jetstream().views.kv('dispatch_places', { history: 1 });
    const { subject } = billingContracts.checkKey;
    const asked: Msg[] = [];
    billing.connection.subscribe(subject, { callback: (_, message) => void asked.push(message) });
    await billing.connection.flush();
    const answer = new RpcClient(gateway).call(billingContracts.checkKey, { keyHash: hash('a') });
    await eventually(() => asked.length === 1);
    const reply = asked[0]?.reply ?? '';
    const forged: string[] = [];
    gateway.connection.subscribe(reply, { callback: (_, message) => void forged.push(message.string()) });
    await gateway.connection.flush();
    cortex.connection.publish('$JS.API.INFO', '', { reply });
    cortex.connection.publish('$JS.API.STREAM.INFO.KV_catalog_offers', '', { reply });
    dispatch.connection.publish('$KV.dispatch_places.offer', '{}', { reply });
    await eventually(() => forged.length === 3);
    asked[0]?.respond(JSON.stringify({ wallet: WALLET, keyId: 'genuine' }));
    expect(await answer).toEqual({ wallet: WALLET, keyId: 'genuine' });
  });

  it('changes nothing in a view of a bucket', async () => {
    const [catalog, dispatch] = [await nats.connectAs('catalog'), await nats.connectAs('dispatch')];
    const gateway = await nats.connectAs('gateway');
    const bucket = await catalog.connection.jetstream().views.kv('catalog_offers', { history: 1 });
    await bucket.put('offer', '{"price":1}');
    const broken: string[] = [];
    const view = new KvView<object>(dispatch.connection, 'catalog_offers', (key) => void broken.push(key));
    view.start();
    await eventually(() => view.get('offer') !== undefined);
    gateway.connection.publish('$JS.API.INFO', '', { reply: '$KV.catalog_offers.offer' });
    await eventually(() => broken.length === 1 || !('price' in (view.get('offer') ?? {})));
    expect([broken, view.get('offer')]).toEqual([['offer'], { price: 1 }]);
    await bucket.put('offer', '{"price":2}');
    await eventually(() => (view.get('offer') as { price: number }).price === 2);
    view.stop();
  });
});

describe('a bundle of frames', () => {
  it('answers no call to another service', async () => {
    const [dispatch, gateway] = [await nats.connectAs('dispatch'), await nats.connectAs('gateway')];
    const { inbox } = new RpcClient(gateway);
    const heard: string[] = [];
    const hear = ({ data }: InboxMessage) => heard.push(Buffer.from(data).toString());
    const answers = inbox.openReusable('billing', hear).subject;
    const frames = inbox.open(hear).subject;
    await gateway.connection.flush();
    const { subject, token } = bundleOf(frames);
    const bundle = new Bundle();
    bundle.add(answers.split('.').slice(-2).join('.'), Buffer.from('forged'));
    bundle.add(token, Buffer.from('a frame'));
    dispatch.connection.publish(subject, bundle.encode());
    await eventually(() => heard.includes('a frame'));
    expect(heard).toEqual(['a frame']);
  });
});

const admission = { requestId: 'req_1', keyHash: hash('a'), model: 'svc/a@1', amount: '1' };

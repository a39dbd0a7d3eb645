import { SETTLEMENT_QUEUE } from '@svc/contracts';
import { invalidRequest } from '@svc/errors';
import { createLogger, createMetricsRegistry } from '@svc/observability';
import type { JsMsg } from 'nats';
import type { ResolutionService } from '../hold/resolution.service';
import { usageOf } from '../ledger/ledger.for-spec';
import { DeferredResolutionHandler } from './deferred-resolution.handler';

const wallet = `0x${'a'.repeat(40)}`;
const abandon = { holdId: 'req_1', wallet, outcome: 'abandon' };

function setUp(settle: (request: unknown) => Promise<unknown>) {
  const answers: string[] = [];
  const registry = createMetricsRegistry('test');
  const handler = new DeferredResolutionHandler(createLogger('test', 'silent'), registry, {
    settle,
  } as unknown as ResolutionService);
  const message = (
    body: string,
    seq = 1,
    deliveryCount = 1,
    subject: string = SETTLEMENT_QUEUE.deferSubject,
  ) =>
    ({
      seq,
      subject,
      info: { deliveryCount, timestampNanos: 1_000 },
      json: () => JSON.parse(body) as unknown,
      ack: () => answers.push(`ack ${deliveryCount}`),
      nak: (delayMs: number) => answers.push(`nak ${delayMs}`),
      term: () => answers.push('term'),
    }) as unknown as JsMsg;
  return { handler, answers, message, registry };
}

describe('DeferredResolutionHandler', () => {
  it('acknowledges after the commit', async () => {
    let commit: () => void = () => undefined;
    const { handler, answers, message } = setUp(() => new Promise<void>((resolve) => (commit = resolve)));
    const handled = handler.handle(message(JSON.stringify(abandon)));
    await Promise.resolve();
    expect(answers).toEqual([]);
    commit();
    await handled;
    expect(answers).toEqual(['ack 1']);
  });

  it.each(['malformed', 'forbidden', 'refused'])(
    'counts what is %s from 0 on: an alarm waits for it',
    async (outcome) => {
      const { registry } = setUp(() => Promise.resolve());
      const told = await registry.metrics();
      expect(told).toMatch(
        new RegExp(`deferred_settlements_total\\{[^}]*outcome="${outcome}"[^}]*\\} 0$`, 'm'),
      );
    },
  );

  it.each([
    ...['not json', '{}', '[]', 'null', JSON.stringify({ ...abandon, outcome: 'steal' })],
    // The database refuses these each time.
    ...['', 'a\u0000b'].map((reason) => JSON.stringify({ ...abandon, reason })),
  ])('drops %j for good, and counts it', async (body) => {
    const { handler, answers, message, registry } = setUp(() =>
      Promise.reject(new Error('reached the ledger')),
    );
    await handler.handle(message(body));
    expect(answers).toEqual(['term']);
    expect(await registry.metrics()).toMatch(/deferred_settlements_total\{[^}]*outcome="malformed"[^}]*\} 1/);
  });

  it('drops what the ledger refuses for good, and puts back what it may take later', async () => {
    const refused = setUp(() => Promise.reject(invalidRequest('costs more than was held')));
    await refused.handler.handle(refused.message(JSON.stringify(abandon)));
    expect(refused.answers).toEqual(['term']);
    const failed = setUp(() => Promise.reject(new Error('closed')));
    await failed.handler.handle(failed.message(JSON.stringify(abandon), 1, 3));
    expect(failed.answers).toEqual(['nak 1500']);
  });

  it('takes a charge only by the subject that dispatch alone may publish to', async () => {
    const settled: unknown[] = [];
    const { handler, answers, message, registry } = setUp((request) =>
      Promise.resolve(settled.push(request)),
    );
    const post = { holdId: 'req_1', wallet, outcome: 'post', usage: usageOf(5) };
    const { deferSubject, releaseSubject } = SETTLEMENT_QUEUE;
    await handler.handle(message(JSON.stringify(post), 1, 1, releaseSubject));
    await handler.handle(message(JSON.stringify(post), 2, 1, 'billing.v1.settlement.other'));
    expect({ settled, answers }).toEqual({ settled: [], answers: ['term', 'term'] });
    expect(await registry.metrics()).toMatch(/deferred_settlements_total\{[^}]*outcome="forbidden"[^}]*\} 2/);
    const releases = [abandon, { ...abandon, outcome: 'void' }];
    for (const release of releases)
      await handler.handle(message(JSON.stringify(release), 3, 1, releaseSubject));
    await handler.handle(message(JSON.stringify(post), 4, 1, deferSubject));
    expect(settled).toEqual([...releases, post]);
    expect(answers.slice(2)).toEqual(['ack 1', 'ack 1', 'ack 1']);
  });

  it('takes nothing by another subject: whoever may read a stream may have it delivered into the queue', async () => {
    const settled: unknown[] = [];
    const { handler, answers, message, registry } = setUp((request) =>
      Promise.resolve(settled.push(request)),
    );
    const releases = [abandon, { ...abandon, outcome: 'void' }];
    for (const release of releases)
      await handler.handle(message(JSON.stringify(release), 1, 1, '$KV.catalog_models.forged'));
    expect({ settled, answers }).toEqual({ settled: [], answers: ['term', 'term'] });
    expect(await registry.metrics()).toMatch(/deferred_settlements_total\{[^}]*outcome="forbidden"[^}]*\} 2/);
  });

  it('applies a message once though it is delivered again meanwhile, and acknowledges the later delivery', async () => {
    let commit: () => void = () => undefined;
    let applied = 0;
    const { handler, answers, message } = setUp(() => {
      applied++;
      return new Promise<void>((resolve) => (commit = resolve));
    });
    const first = handler.handle(message(JSON.stringify(abandon), 7, 1));
    await handler.handle(message(JSON.stringify(abandon), 7, 2));
    commit();
    await first;
    expect({ applied, answers }).toEqual({ applied: 1, answers: ['ack 2'] });
  });

  it('counts what it put back, until it comes again or another instance must have taken it', async () => {
    jest.useFakeTimers();
    try {
      let failing = true;
      const { handler, message, registry } = setUp(() =>
        failing ? Promise.reject(new Error('closed')) : Promise.resolve(),
      );
      const deliver = (seq: number) => handler.handle(message(JSON.stringify(abandon), seq));
      for (const seq of [1, 2, 3]) await deliver(seq);
      expect(handler.putBack).toBe(3);
      expect(await registry.metrics()).toMatch(/deferred_settlements_put_back\{[^}]*\} 3/);
      failing = false;
      await deliver(1);
      expect(handler.putBack).toBe(2);
      await jest.advanceTimersByTimeAsync(50_000);
      failing = true;
      await deliver(2);
      // The third was due half a minute after it was put back, and whoever took it had half a minute to settle it.
      await jest.advanceTimersByTimeAsync(10_001);
      expect(handler.putBack).toBe(1);
      handler.forgetPutBack();
      expect(handler.putBack).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});

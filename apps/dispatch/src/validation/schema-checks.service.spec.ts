import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { checkJsonSchema } from '@svc/openai-api';
import { SchemaChecks } from './schema-checks.service';
import { SchemaUse } from './schema-use';
import { CrowdedOutError } from './turns';

const catastrophic = { type: 'string', pattern: '^(a+)+$' };
const endless = `${'a'.repeat(40)}!`;

/** As large as the gateway takes one, with nothing odd in it. */
function largeSchema() {
  const fields = (depth: number): object => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 15 }, (_, at) => [
        `field_${depth}_${at}`,
        depth > 0 && at % 5 === 0
          ? fields(depth - 1)
          : {
              type: ['string', 'null'],
              description: 'Some words about this field, as people write them. '.repeat(3),
            },
      ]),
    ),
    additionalProperties: false,
  });
  return fields(3);
}

describe('SchemaChecks', () => {
  let checks!: SchemaChecks;
  beforeEach(() => {
    checks = new SchemaChecks();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await checks.onApplicationShutdown();
  });

  const matches = (schema: object, value: unknown, use = new SchemaUse()) =>
    checks.of(use, () => true).matches(schema, value);
  const expensive = (schema: object, value: unknown, use?: SchemaUse) =>
    expect(matches(schema, value, use)).rejects.toMatchObject({ reason: 'schema_too_expensive' });

  it('says whether a value fits', async () => {
    const schema = { type: 'object', required: ['a'] };
    expect([await matches(schema, { a: 1 }), await matches(schema, {})]).toEqual([true, false]);
  });

  it('takes a large ordinary schema for what it is', async () => {
    const schema = largeSchema();
    expect(JSON.stringify(schema).length).toBeGreaterThan(100 * 1024);
    expect(checkJsonSchema(schema)).toBeUndefined();
    const value = (last: unknown) => ({ field_3_0: { field_2_5: { field_1_10: { field_0_14: last } } } });
    const use = new SchemaUse();
    expect(await matches(schema, value('x'), use)).toBe(true);
    expect(await matches(schema, value(7), use)).toBe(false);
  });

  it('holds nobody else up, whatever a schema takes', async () => {
    await matches({}, 1);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    // Each would take minutes.
    for (let times = 0; times < 5; times++) await expensive({ ...catastrophic, title: `${times}` }, endless);
    delay.disable();
    // Some waits are the machine's; these would be ten, of 100 ms each.
    expect(delay.percentile(99) / 1e6).toBeLessThan(50);
  });

  it('spends its time on what cannot be had once for all, and holds one value against no other', async () => {
    const use = new SchemaUse();
    await expensive(catastrophic, endless, use);
    expect(await matches(catastrophic, 'aaa', use)).toBe(true);
    const unusable = { $ref: 'https://elsewhere.example/schema' };
    const asked = jest.spyOn(Worker.prototype, 'postMessage');
    const unusableAgain = () =>
      expect(matches({ ...unusable }, 1)).rejects.toMatchObject({ reason: 'schema_unusable' });
    await unusableAgain();
    const times = asked.mock.calls.length;
    await unusableAgain();
    expect(asked).toHaveBeenCalledTimes(times);
  });

  it('gives all that a request brings so much time together, and no more', async () => {
    // Fits, after the engine has tried all ways to find a b.
    const slow = { pattern: '^(?:(a+)+b|.*)$' };
    const use = new SchemaUse();
    expect(await matches(slow, 'a'.repeat(16), use)).toBe(true);
    const once = use.spentMs;
    expect(once).toBeGreaterThan(0);
    expect(await matches(slow, 'a'.repeat(16), use)).toBe(true);
    expect(use.spentMs).toBeGreaterThan(once);
    use.spentMs = 1_999;
    expect(await matches(slow, 'a'.repeat(16), use)).toBe(true);
    use.spentMs = 2_000;
    await expensive(slow, 'a', use);
    await expensive({}, 1, use);
    expect(await matches(slow, 'a', new SchemaUse())).toBe(true);
  });

  it('answers others while one wallet has much to ask', async () => {
    const flooding = Array.from({ length: 30 }, (_, at) =>
      expensive({ ...catastrophic, title: `${at}` }, endless, new SchemaUse('0xa')),
    );
    let answered = 0;
    for (const each of flooding) void each.then(() => answered++);
    const others = ['0xb', '0xc'].map((wallet) => matches({ maximum: 1 }, 1, new SchemaUse(wallet)));
    expect(await Promise.all(others)).toEqual([true, true]);
    expect(answered).toBeLessThan(10);
    await Promise.all(flooding);
  });

  it('does not look at what nobody waits for any more', async () => {
    const first = expensive(catastrophic, endless);
    const asked = jest.spyOn(Worker.prototype, 'postMessage');
    const left = checks.of(new SchemaUse(), () => false).matches({ maximum: 1 }, 1);
    await Promise.all([first, expect(left).rejects.toBeInstanceOf(CrowdedOutError)]);
    expect(asked.mock.calls).toEqual([[{ schema: JSON.stringify(catastrophic) }], [{ value: endless }]]);
  });

  it('goes on with another thread where one was lost, and does not give that the schema which the former was lost over', async () => {
    await matches({}, 1);
    const lost: Worker[] = [];
    const post = jest.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker) {
      lost.push(this);
      void this.terminate();
    });
    await expensive({ title: 'deadly' }, 1);
    post.mockRestore();
    const asked = jest.spyOn(Worker.prototype, 'postMessage');
    await expensive({ title: 'deadly' }, 1);
    expect(asked).not.toHaveBeenCalled();
    expect(await matches({ title: 'mild' }, 1)).toBe(true);
    expect(asked.mock.contexts).not.toContain(lost[0]);
  });

  it('outlives a value that uses up the memory, and holds it against no other value of the same schema', async () => {
    // Here once, there as often as it is said.
    const text = 'x'.repeat(1024 * 1024);
    const use = new SchemaUse();
    await expensive(
      { items: {} },
      Array.from({ length: 320 }, () => text),
      use,
    );
    expect(use.spentMs).toBeGreaterThan(0);
    expect(await matches({ items: {} }, [text])).toBe(true);
  });

  it('ends a thread that is silent for too long', async () => {
    await matches({}, 1);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const post = jest.spyOn(Worker.prototype, 'postMessage').mockImplementation(() => undefined);
    const stuck = expensive({ title: 'stuck' }, 1);
    await jest.advanceTimersByTimeAsync(15_000);
    jest.useRealTimers();
    post.mockRestore();
    await stuck;
    expect(await matches({ maximum: 1 }, 1)).toBe(true);
  });
});

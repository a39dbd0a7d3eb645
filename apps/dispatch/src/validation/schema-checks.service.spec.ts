import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { checkJsonSchema } from '@svc/openai-api';
import { eventually } from '@svc/testing';
import { uncrowded } from '../testing/uncrowded.for-spec';
import { SchemaChecks } from './schema-checks.service';
import { SchemaThread } from './schema-thread';
import { Stage } from './schema-question';
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

/** Takes for ever to compile: until its thread is told to give up, seconds later. */
function endlessSchema() {
  const parts = Object.fromEntries(
    Array.from({ length: 2_500 }, (_, at) => [`p${at}`, { type: ['string', 'null'] }]),
  );
  return { properties: parts, patternProperties: parts };
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

  const matches = (schema: object, value: unknown, wallet?: string) =>
    checks.of(wallet, () => true).matches(schema, value);
  const expensive = (schema: object, value: unknown, wallet?: string) =>
    expect(uncrowded(() => matches(schema, value, wallet))).rejects.toMatchObject({
      reason: 'schema_too_expensive',
    });
  const unusable = (schema: object) =>
    expect(matches(schema, 1)).rejects.toMatchObject({ reason: 'schema_unusable' });

  it('says whether a value fits', async () => {
    const schema = { type: 'object', required: ['a'] };
    expect([await matches(schema, { a: 1 }), await matches(schema, {})]).toEqual([true, false]);
  });

  it('takes a large ordinary schema for what it is', async () => {
    const schema = largeSchema();
    expect(JSON.stringify(schema).length).toBeGreaterThan(100 * 1024);
    expect(checkJsonSchema(schema)).toBeUndefined();
    const value = (last: unknown) => ({ field_3_0: { field_2_5: { field_1_10: { field_0_14: last } } } });
    const reply = checks.of(undefined, () => true);
    expect(await reply.matches(schema, value('x'))).toBe(true);
    expect(await reply.matches(schema, value(7))).toBe(false);
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
    await expensive(catastrophic, endless);
    expect(await matches(catastrophic, 'aaa')).toBe(true);
    const schema = { $ref: 'https://elsewhere.example/schema' };
    const sent = jest.spyOn(Worker.prototype, 'postMessage');
    await unusable(schema);
    const times = sent.mock.calls.length;
    await unusable({ ...schema });
    expect(sent).toHaveBeenCalledTimes(times);
  });

  it('gives all that a reply brings so much time together, and no more', async () => {
    const reply = checks.of('0xa', () => true);
    const answer = { verdict: true, matchMs: 1_000 };
    jest.spyOn(SchemaThread.prototype, 'ask').mockResolvedValue(answer);
    expect([await reply.matches({}, 1), await reply.matches({}, 2)]).toEqual([true, true]);
    await expect(reply.matches({}, 3)).rejects.toMatchObject({ reason: 'schema_too_expensive' });
    expect(await matches({}, 3, '0xa')).toBe(true);
  });

  it('gives up where a reply’s schemas take long to compile, and asks again for those that were unusable a while ago', async () => {
    jest.useFakeTimers();
    const reply = checks.of('0xa', () => true);
    const ask = jest.spyOn(SchemaThread.prototype, 'ask').mockImplementation(() => {
      jest.advanceTimersByTime(15_000);
      return Promise.resolve({ verdict: true, matchMs: 0 });
    });
    // So long it was written.
    jest.advanceTimersByTime(600_000);
    expect([await reply.matches({}, 1), await reply.matches({}, 2)]).toEqual([true, true]);
    await expect(reply.matches({}, 3)).rejects.toBeInstanceOf(CrowdedOutError);
    ask.mockResolvedValueOnce({ verdict: 'schema_unusable', matchMs: 0 });
    await unusable({});
    jest.advanceTimersByTime(599_000);
    await unusable({});
    jest.advanceTimersByTime(1_000);
    expect(await matches({}, 1)).toBe(true);
    jest.useRealTimers();
  });

  it('blames nobody where the machine stood still', async () => {
    jest.spyOn(SchemaThread.prototype, 'ask').mockResolvedValueOnce({ verdict: 'stood_still', matchMs: 0 });
    await expect(matches({}, 1)).rejects.toBeInstanceOf(CrowdedOutError);
    expect(await matches({}, 1)).toBe(true);
  });

  it('answers others while one wallet has much to ask', async () => {
    const flooding = Array.from({ length: 30 }, (_, at) =>
      expect(matches({ ...catastrophic, title: `${at}` }, endless, '0xa')).rejects.toBeInstanceOf(Error),
    );
    let answered = 0;
    for (const each of flooding) void each.then(() => answered++);
    const others = ['0xb', '0xc'].map((wallet) => matches({ maximum: 1 }, 1, wallet));
    expect(await Promise.all(others)).toEqual([true, true]);
    expect(answered).toBeLessThan(10);
    await Promise.all(flooding);
  });

  it('does not look at what nobody waits for any more', async () => {
    const first = expect(matches(catastrophic, endless)).rejects.toThrow();
    const asked = jest.spyOn(Worker.prototype, 'postMessage');
    const left = checks.of(undefined, () => false).matches({ maximum: 1 }, 1);
    await Promise.all([first, expect(left).rejects.toBeInstanceOf(CrowdedOutError)]);
    expect(asked.mock.calls).toEqual([[{ schema: JSON.stringify(catastrophic) }], [{ value: endless }]]);
  });

  it('goes on with another thread where one was lost, and does not give that the schema which the former was lost over', async () => {
    const stages = jest.spyOn(Atomics, 'store');
    await matches({}, 1);
    const stage = stages.mock.calls[0]?.[0] as unknown as Int32Array;
    const sent = jest.spyOn(Worker.prototype, 'postMessage');
    const refused = unusable(endlessSchema());
    await eventually(() => Atomics.load(stage, 0) === Stage.compiling);
    const [lost] = sent.mock.contexts as Worker[];
    void lost?.terminate();
    await refused;
    sent.mockClear();
    await unusable(endlessSchema());
    expect(sent).not.toHaveBeenCalled();
    expect(await matches({ title: 'mild' }, 1)).toBe(true);
    expect(sent.mock.contexts).not.toContain(lost);
  });

  it('holds nothing against what a dying thread did not come to', async () => {
    await matches({}, 1);
    const post = jest.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker) {
      void this.terminate();
    });
    await expect(matches({ title: 'mild' }, 1)).rejects.toBeInstanceOf(CrowdedOutError);
    post.mockRestore();
    expect(await matches({ title: 'mild' }, 1)).toBe(true);
  });

  it('outlives a value that uses up the memory, and holds it against no other value of the same schema', async () => {
    // Here once, there as often as it is said.
    const text = 'x'.repeat(1024 * 1024);
    await expensive(
      { items: {} },
      Array.from({ length: 320 }, () => text),
    );
    expect(await matches({ items: {} }, [text])).toBe(true);
  });

  it('ends a thread that is silent for too long', async () => {
    await matches({}, 1);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const post = jest.spyOn(Worker.prototype, 'postMessage').mockImplementation(() => undefined);
    const stuck = expect(matches({ title: 'stuck' }, 1)).rejects.toBeInstanceOf(CrowdedOutError);
    await jest.advanceTimersByTimeAsync(15_000);
    jest.useRealTimers();
    post.mockRestore();
    await stuck;
    expect(await matches({ maximum: 1 }, 1)).toBe(true);
  });
});

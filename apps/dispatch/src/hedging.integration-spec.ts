import { eventually } from '@svc/testing';
import { chunk, saying, writeEvents, writeJson } from './testing/provider.for-spec';
import type { Answer } from './testing/provider.for-spec';
import { runRequest } from './testing/run-request.for-spec';
import { Surroundings } from './testing/surroundings.for-spec';
import type { TestOffer } from './testing/surroundings.for-spec';
import type { TestRun } from './testing/test-gateway.for-spec';

/** As many as make an offer's usual time known. */
const KNOWN_AFTER = 20;

describe('hedging', () => {
  let around: Surroundings;
  beforeAll(async () => {
    around = await Surroundings.start({ HEDGING: 'on', QUEUE_PATIENCE_MS: '0' });
  });
  afterAll(() => around.stop());

  /** An offer whose usual time is known, and that from then on answers otherwise. */
  async function usuallyQuick(then: Answer, fields = {}): Promise<TestOffer> {
    let answer = saying('quick');
    const offer = await around.offerFrom((request, response) => answer(request, response), fields);
    for (let time = 0; time < KNOWN_AFTER; time++) await around.start([offer]).ended();
    offer.provider.requests.length = 0;
    answer = then;
    return offer;
  }

  /** A run along offers at each of which there is a place: without one, nobody is asked beside a late one. */
  async function race(offers: readonly TestOffer[], fields = {}): Promise<TestRun> {
    await around.dispatch.awaitOffers(...offers.map(({ id }) => id));
    return around.start(offers, fields);
  }

  const silent: Answer = () => undefined;
  /** Gives its first token only after the other has been asked. */
  const after =
    (isTime: () => boolean | Promise<boolean>, answer: Answer): Answer =>
    (request, response) =>
      void eventually(isTime).then(() => answer(request, response));

  const wordless = ({ id }: TestOffer) => new RegExp(`attempts_total.*"${id}",outcome="wordless"`);

  it.each([true, false])('the next offer serves when the first is late (stream: %s)', async (stream) => {
    const late = await usuallyQuick(silent);
    const next = await around.offerFrom(saying('from the next'));
    const run = await race([late, next], { stream });
    expect((await run.ended()).type).toBe('end');
    expect(run.words).toBe('from the next');
    await eventually(() => late.provider.requests[0]?.closedByCaller === true);
    expect(around.outcomesOf(run)).toEqual(['stopped', 'served']);
    expect(around.usageOf(run)).toMatchObject({ offerId: next.id, attempts: 2 });
    expect(around.billing.of(run.request.requestId)).toHaveLength(1);
    expect(await around.dispatch.metric(/hedges_total.*won/)).toBeGreaterThan(0);
    // It has not failed: nothing is held against it.
    expect(
      await around.dispatch.metric(new RegExp(`attempts_total.*"${late.id}".*first_token_timeout`)),
    ).toBe(0);
  });

  it.each([true, false])('the first serves when it is first after all (stream: %s)', async (stream) => {
    const next = await around.offerFrom(silent);
    const late = await usuallyQuick(after(() => next.provider.requests.length > 0, saying('from the first')));
    const run = await race([late, next], { stream });
    expect((await run.ended()).type).toBe('end');
    expect(run.words).toBe('from the first');
    expect(around.outcomesOf(run)).toEqual(['served', 'stopped']);
    await eventually(() => next.provider.requests[0]?.closedByCaller === true);
  });

  it('gives the client the words of one alone, however close they are', async () => {
    const letters = (letter: string): Answer => saying(`${letter} `.repeat(200).trim());
    const [first, second] = ['first', 'second'];
    for (let time = 0; time < 5; time++) {
      const next = await around.offerFrom(letters(second));
      const late = await usuallyQuick(after(() => next.provider.requests.length > 0, letters(first)));
      const run = await race([late, next]);
      await run.ended();
      expect(new Set(run.words.split(' ')).size).toBe(1);
      const servedBy = run.words.startsWith(first) ? late.id : next.id;
      expect(around.usageOf(run)?.offerId).toBe(servedBy);
      for (const sent of run.chunks) expect(sent.system_fingerprint).toBe(`bundle-${servedBy}:profile`);
    }
  });

  it('goes on with the other when one of the two fails, and with a third when both do', async () => {
    const next = await around.offerFrom((_request, response) => writeJson(response, {}, 500));
    const late = await usuallyQuick(after(() => next.provider.requests.length > 0, saying('after all')));
    const run = await race([late, next]);
    await run.ended();
    expect(run.words).toBe('after all');
    expect(around.outcomesOf(run)).toEqual(['served', 'status_5xx']);

    const fails: Answer = (_request, response) => writeJson(response, {}, 500);
    const bad = await usuallyQuick(after(() => next.provider.requests.length > 1, fails));
    const third = await around.offerFrom(saying('third'));
    const unlucky = await race([bad, next, third]);
    await unlucky.ended();
    expect(unlucky.words).toBe('third');
  });

  it('asks who was stopped again when the winner turns out invalid unseen', async () => {
    const body = { messages: [], response_format: { type: 'json_object' } };
    const next = await around.offerFrom(saying('no JSON'));
    let asked = 0;
    const late = await usuallyQuick((request, response) => {
      if (++asked > 1) saying('{"json":true}')(request, response);
    });
    const run = await race([late, next], { body });
    expect((await run.ended()).type).toBe('end');
    expect(run.words).toBe('{"json":true}');
    expect(around.outcomesOf(run)).toEqual(['served', 'structured_output']);
  });

  it('has whoever says nothing replaced by the other, though it was the first to be done', async () => {
    const next = await around.offerFrom(saying(''));
    const late = await usuallyQuick(
      after(async () => (await around.dispatch.metric(wordless(next))) > 0, saying('after all')),
    );
    const run = await race([late, next]);
    expect((await run.ended()).type).toBe('end');
    expect(run.words).toBe('after all');
    expect(around.outcomesOf(run)).toEqual(['served', 'wordless']);
  });

  it('stops both when the client leaves, and charges nothing', async () => {
    const next = await around.offerFrom(silent);
    const late = await usuallyQuick(silent);
    const run = await race([late, next]);
    await eventually(() => next.provider.requests.length > 0);
    run.cancel();
    expect((await run.ended()).type).toBe('failure');
    await eventually(
      () => late.provider.requests[0]?.closedByCaller && next.provider.requests[0]?.closedByCaller,
    );
    expect(around.billing.of(run.request.requestId)).toMatchObject([{ outcome: 'void' }]);
  });

  it('gives both places back', async () => {
    const late = await usuallyQuick(silent, { concurrency: 1 });
    const next = await around.offerFrom(saying('from the next'), { concurrency: 1 });
    for (let time = 0; time < 3; time++) {
      const run = await race([late, next]);
      await run.ended();
      expect(run.words).toBe('from the next');
      expect(around.outcomesOf(run)).toEqual(['stopped', 'served']);
    }
  });

  it('asks no managed vendor beside a provider, and nobody while the usual time is unknown', async () => {
    const late = await usuallyQuick((_request, response) => {
      setTimeout(() => {
        writeEvents(response, chunk({ content: 'late' }), chunk({}, 'stop'), '[DONE]');
        response.end();
      }, 300);
    });
    const vendor = await around.offerFrom(saying('vendor'), { mapping: 'acme' });
    const request = runRequest([late.id, vendor.id]);
    Object.assign(request.attempts[1] ?? {}, { mapping: 'acme' });
    const run = around.gateway.run(request);
    await run.ended();
    expect(run.words).toBe('late');
    const unknown = await around.offerFrom((request, response) =>
      setTimeout(() => saying('unknown')(request, response), 300),
    );
    const next = await around.offerFrom(saying('next'));
    const second = await race([unknown, next]);
    await second.ended();
    expect(second.words).toBe('unknown');
    expect([vendor, next].flatMap(({ provider }) => provider.requests)).toEqual([]);
  });
});

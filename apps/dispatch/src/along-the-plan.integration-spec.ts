import type { RunAttempt } from '@svc/contracts';
import { eventually } from '@svc/testing';
import { chunk, saying, writeEvents, writeJson } from './testing/provider.for-spec';
import type { Answer } from './testing/provider.for-spec';
import { runRequest } from './testing/run-request.for-spec';
import { Surroundings } from './testing/surroundings.for-spec';
import type { TestOffer } from './testing/surroundings.for-spec';

const failing: Answer = (_request, response) => writeJson(response, {}, 500);

/** Answers when it is let. */
function held(text: string): { answer: Answer; release: () => void; waiting: () => number } {
  const waiting: (() => void)[] = [];
  return {
    answer: (request, response) => waiting.push(() => saying(text)(request, response)),
    release: () => waiting.shift()?.(),
    waiting: () => waiting.length,
  };
}

describe('the way along a plan', () => {
  let around: Surroundings;
  beforeAll(async () => {
    // Longer than any test waits: who is served or leaves does so before it is over.
    around = await Surroundings.start({ QUEUE_PATIENCE_MS: '30000' });
  });
  afterAll(() => around.stop());

  describe('where all are busy', () => {
    it('waits for the first that has a place, and is served there', async () => {
      const [slow, quick] = [held('slow'), held('quick')];
      const offers = await Promise.all(
        [slow, quick].map(({ answer }) => around.offerFrom(answer, { concurrency: 1 })),
      );
      const first = offers.map((offer) => around.start([offer]));
      await eventually(() => slow.waiting() + quick.waiting() === 2);
      const third = around.start(offers);
      quick.release();
      await eventually(() => quick.waiting() === 1);
      quick.release();
      expect((await third.ended()).type).toBe('end');
      expect(third.words).toBe('quick');
      expect(around.outcomesOf(third)).toEqual(['busy', 'served']);
      expect(around.usageOf(third)).toMatchObject({ attempts: 1 });
      slow.release();
      await Promise.all(first.map((run) => run.ended()));
    });

    it('has no capacity when none comes free in time, and says when to come again', async () => {
      const elsewhere = await Surroundings.start({ QUEUE_PATIENCE_MS: '1000' });
      const full = held('late');
      const offer = await elsewhere.offerFrom(full.answer, { concurrency: 1 });
      const first = elsewhere.start([offer]);
      await eventually(() => full.waiting() === 1);
      const startedMs = performance.now();
      expect(await elsewhere.start([offer]).failed()).toMatchObject({
        code: 'no_capacity',
        retryAfterSeconds: expect.any(Number) as number,
      });
      expect(performance.now() - startedMs).toBeGreaterThan(900);
      full.release();
      await first.ended();
      await elsewhere.stop();
    });

    it('a client that hangs up waits no longer, and leaves the place to others', async () => {
      const full = held('late');
      const offer = await around.offerFrom(full.answer, { concurrency: 1 });
      const first = around.start([offer]);
      await eventually(() => full.waiting() === 1);
      const impatient = around.start([offer]);
      await eventually(() => impatient.last?.type === 'accepted');
      impatient.cancel();
      expect((await impatient.ended()).type).toBe('failure');
      full.release();
      await first.ended();
      const next = around.start([offer]);
      await eventually(() => full.waiting() === 1);
      full.release();
      expect((await next.ended()).type).toBe('end');
      expect(offer.provider.requests).toHaveLength(2);
    });

    it('asks those that are free first', async () => {
      const full = held('late');
      const busy = await around.offerFrom(full.answer, { concurrency: 1 });
      const first = around.start([busy]);
      await eventually(() => full.waiting() === 1);
      const bad = await around.offerFrom(failing);
      const good = await around.offerFrom(saying('good'));
      const run = around.start([busy, bad, good]);
      expect((await run.ended()).type).toBe('end');
      expect(around.outcomesOf(run)).toEqual(['busy', 'status_5xx', 'served']);
      full.release();
      await first.ended();
    });
  });

  describe('where an offer keeps failing', () => {
    const open = async (offer: TestOffer) => {
      for (let time = 0; time < 5; time++) await around.start([offer]).failed();
    };
    const changes = ({ id }: TestOffer, state: string) =>
      around.dispatch.metric(new RegExp(`breaker_changes_total.*"${id}".*"${state}"`));

    it('it is not asked any more, until it works again', async () => {
      let broken = true;
      const offer = await around.offerFrom((request, response) =>
        broken ? failing(request, response) : saying('back')(request, response),
      );
      const other = await around.offerFrom(saying('other'));
      await open(offer);
      expect(await changes(offer, 'open')).toBeGreaterThanOrEqual(1);
      // Where the machine stands still until a pause is over, one more is let through, and the next pause is twice as long.
      const [outcomes, error] = await eventually(async () => {
        const asked = offer.provider.requests.length;
        const run = around.start([offer, other]);
        expect((await run.ended()).type).toBe('end');
        const alone = await around.start([offer]).failed();
        return offer.provider.requests.length === asked && ([around.outcomesOf(run), alone] as const);
      });
      expect(outcomes).toEqual(['breaker_open', 'served']);
      expect(error.code).toBe('no_capacity');
      // One second the first time, give or take a quarter.
      expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(1);
      expect(error.retryAfterSeconds).toBeLessThanOrEqual(2 ** (await changes(offer, 'open')));
      broken = false;
      await eventually(async () => {
        const again = around.start([offer, other]);
        await again.ended();
        return again.words === 'back';
      });
      const opened = await changes(offer, 'open');
      expect([await changes(offer, 'half_open'), await changes(offer, 'closed')]).toEqual([opened, 1]);
    });

    it.each([
      [429, () => '25'],
      [503, () => new Date(Date.now() + 25_000).toUTCString()],
    ])('a %d with a time to come back is kept to', async (status, retryAfter) => {
      const offer = await around.offerFrom((_request, response) =>
        response.writeHead(status, { 'retry-after': retryAfter() }).end(),
      );
      expect(await around.start([offer]).failed()).toMatchObject({ code: 'no_capacity' });
      const { retryAfterSeconds } = await around.start([offer]).failed();
      expect(retryAfterSeconds).toBeGreaterThanOrEqual(20);
      expect(offer.provider.requests).toHaveLength(1);
    });

    it.each([86_400, -86_400])(
      'a date goes by the clock of who sent it, %i s apart from ours',
      async (apart) => {
        const offer = await around.offerFrom((_request, response) => {
          const sentMs = Date.now() + apart * 1_000;
          const date = new Date(sentMs).toUTCString();
          response.writeHead(503, { date, 'retry-after': new Date(sentMs + 12_000).toUTCString() }).end();
        });
        expect(await around.start([offer]).failed()).toMatchObject({ code: 'no_capacity' });
        const { retryAfterSeconds } = await around.start([offer]).failed();
        // Twelve and up to a quarter more, less what passes meanwhile; by our own clock it were none, or the most.
        expect(retryAfterSeconds).toBeGreaterThan(2);
        expect(retryAfterSeconds).toBeLessThanOrEqual(16);
        expect(offer.provider.requests).toHaveLength(1);
      },
    );

    it('lets one request at a time try it', async () => {
      let respond: Answer = failing;
      const offer = await around.offerFrom((request, response) => respond(request, response));
      const other = await around.offerFrom(saying('other'));
      await open(offer);
      const probe = held('probed');
      respond = probe.answer;
      const runs = [];
      while (probe.waiting() === 0) {
        const run = around.start([offer, other]);
        runs.push(run);
        await eventually(() => run.words === 'other' || probe.waiting() > 0);
      }
      for (let time = 0; time < 5; time++) {
        const run = around.start([offer, other]);
        await run.ended();
        expect(run.words).toBe('other');
      }
      expect(probe.waiting()).toBe(1);
      probe.release();
      await Promise.all(runs.map((run) => run.ended()));
      expect(runs.at(-1)?.words).toBe('probed');
    });
  });

  describe('to the routing model', () => {
    const routedTo = (offers: readonly TestOffer[], fields: Partial<RunAttempt>[]) => {
      const request = runRequest(
        offers.map(({ id }) => id),
        { model: 'svc/cortex@1', routed: true },
      );
      for (const [index, attempt] of request.attempts.entries()) Object.assign(attempt, fields[index]);
      return request;
    };

    it.each([true, false])('says what was behind the reply (stream: %s)', async (stream) => {
      const bad = await around.offerFrom(failing, { model: 'svc/large@1' });
      const good = await around.offerFrom(saying('good'), { model: 'svc/small@1' });
      const request = routedTo([bad, good], [{ model: 'svc/large@1' }, { model: 'svc/small@1' }]);
      const passedOver = [{ offerId: 'dear', why: 'asks too much' }];
      const run = around.gateway.run({ ...request, stream, passedOver });
      expect((await run.ended()).type).toBe('end');
      const told = stream ? run.chunks.at(-1) : run.body;
      expect(told).toMatchObject({
        model: 'svc/cortex@1',
        system_fingerprint: 'cortex:svc/small@1',
        svc: {
          served: {
            model: 'svc/small@1',
            bundleId: `bundle-${good.id}`,
            provider: request.attempts[0]?.provider,
            managed: false,
            reason: 'failover:1',
          },
        },
      });
      expect(around.usageOf(run)).toMatchObject({
        model: 'svc/small@1',
        attempts: 2,
        route: [
          { offerId: bad.id, why: 'the test says so', outcome: 'status_5xx' },
          { offerId: good.id, why: 'the test says so', outcome: 'served' },
          { offerId: 'dear', why: 'asks too much', outcome: 'passed_over' },
        ],
      });
    });

    it('a managed vendor answers when no provider can', async () => {
      const bad = await around.offerFrom(failing);
      const vendor = await around.offerFrom(saying('from the vendor'), { mapping: 'acme' });
      const request = routedTo([bad, vendor], [{}, { mapping: 'acme', bundleId: 'managed' }]);
      const run = around.gateway.run({ ...request, stream: false });
      await run.ended();
      expect(run.body.svc).toMatchObject({
        provider: 'managed',
        served: { provider: 'acme', managed: true, reason: 'managed:providers_failed' },
      });
    });

    it('an offer of another model, or of a vendor that is not named as one, is not asked', async () => {
      const [small, vendor] = await Promise.all([
        around.offerFrom(saying('x'), { model: 'svc/small@1' }),
        around.offerFrom(saying('x'), { mapping: 'acme' }),
      ]);
      expect(await around.start([small, vendor]).failed()).toMatchObject({ code: 'no_capacity' });
      expect([small, vendor].flatMap(({ provider }) => provider.requests)).toEqual([]);
    });
  });

  describe("what takes too long to be held against the client's schema", () => {
    const json_schema = { name: 'x', schema: { properties: { a: { pattern: '^(a+)+$' } } } };
    const body = { messages: [], response_format: { type: 'json_schema', json_schema } };
    const endless = saying(`{"a":"${'a'.repeat(40)}!"}`);
    const honest = saying('{"a":"aaa"}');
    const along = async (...answers: Answer[]) => {
      const walletOf = (index: number) => `0x${String(index).repeat(40)}`;
      const offers = await Promise.all(
        answers.map((answer, index) => around.offerFrom(answer, { provider: walletOf(index) })),
      );
      const request = runRequest(
        offers.map(({ id }) => id),
        { body },
      );
      for (const [index, attempt] of request.attempts.entries()) attempt.provider = walletOf(index);
      return { run: around.gateway.run(request), offers };
    };
    /** Nobody is blamed where this machine was too busy to tell: then it is tried again, a few times. */
    const judged = async (...answers: Answer[]) => {
      for (let time = 1; ; time++) {
        const tried = await along(...answers);
        await tried.run.ended();
        if (time === 5 || !around.outcomesOf(tried.run).includes('crowded_out')) return tried;
      }
    };

    it('one provider may have written: another is asked', async () => {
      const { run } = await judged(endless, honest);
      expect((await run.ended()).type).toBe('end');
      expect(run.words).toBe('{"a":"aaa"}');
      expect(around.outcomesOf(run)).toEqual(['schema_too_expensive', 'served']);
    });

    it('is the client’s where two have: nobody else works in vain', async () => {
      const { run, offers } = await judged(endless, endless, honest);
      expect(await run.failed()).toMatchObject({ code: 'provider_output_invalid' });
      expect(offers.map(({ provider }) => provider.requests.length)).toEqual([1, 1, 0]);
    });
  });

  it('where one of three fails half of its requests, nobody sees a failure', async () => {
    let turn = 0;
    const faults: Answer[] = [
      failing,
      (_request, response) => response.destroy(),
      (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>'),
      (_request, response) => {
        writeEvents(response, chunk({ role: 'assistant' }));
        response.destroy();
      },
    ];
    const half = await around.offerFrom((request, response) => {
      turn++;
      const fault = turn % 2 === 0 ? faults[(turn / 2) % faults.length] : undefined;
      (fault ?? saying('served'))(request, response);
    });
    const [second, third] = await Promise.all([
      around.offerFrom(saying('served')),
      around.offerFrom(saying('served')),
    ]);
    const plans = [
      [half, second, third],
      [half, third, second],
      [second, half, third],
    ];
    const asked = Array.from({ length: 40 }, async (_, lane) => {
      for (let time = 0; time < 25; time++) {
        const run = around.start(plans[(lane + time) % plans.length] ?? [], { stream: time % 2 === 0 });
        expect((await run.ended()).type).toBe('end');
        expect(run.words).toBe('served');
      }
    });
    await Promise.all(asked);
    expect(turn).toBeGreaterThan(10);
  });

  it('a client that leaves in the middle leaves a trail too', async () => {
    const bad = await around.offerFrom(failing);
    const endless = await around.offerFrom((_request, response) => {
      const timer = setInterval(() => writeEvents(response, chunk({ content: 'word ' })), 20);
      response.on('close', () => clearInterval(timer));
    });
    const run = around.start([bad, endless]);
    await eventually(() => run.content !== '');
    run.cancel();
    await eventually(() => around.usageOf(run));
    expect(around.outcomesOf(run)).toEqual(['status_5xx', 'stopped']);
  });
});

describe('the way along a plan in production', () => {
  let around: Surroundings;
  beforeAll(async () => {
    around = await Surroundings.start({ SVC_ENVIRONMENT: 'production' });
  });
  afterAll(() => around.stop());

  it.each([true, false])(
    'says whether the managed fallback answered (idempotent: %s)',
    async (idempotent) => {
      const bad = await around.offerFrom(failing);
      const vendor = await around.offerFrom(saying('from the vendor'), { mapping: 'acme' });
      const request = runRequest([bad.id, vendor.id], { stream: false, idempotent });
      Object.assign(request.attempts[1] ?? {}, { mapping: 'acme' });
      const fallen = around.gateway.run(request);
      await fallen.ended();
      expect(fallen.body).toMatchObject({
        model: 'svc/test@1',
        system_fingerprint: 'fallback:acme',
        svc: { provider: 'fallback', fallback: true, fallback_mapping: 'acme' },
      });
      const good = await around.offerFrom(saying('from a provider'));
      const served = around.start([good], { stream: false, idempotent });
      await served.ended();
      expect(served.body.svc).toEqual({
        cost_usdc: '0.000003',
        provider: request.attempts[0]?.provider,
        fallback: false,
      });
    },
  );
});

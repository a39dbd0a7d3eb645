import type { StartRunRequest } from '@svc/contracts';
import { eventually } from '@svc/testing';
import { chunk, saying, writeEvents, writeJson } from './testing/provider.for-spec';
import type { Answer } from './testing/provider.for-spec';
import { runRequest } from './testing/run-request.for-spec';
import { Surroundings } from './testing/surroundings.for-spec';
import type { TestOffer } from './testing/surroundings.for-spec';
import type { TestRun } from './testing/test-gateway.for-spec';

const USAGE = { prompt_tokens: 11, completion_tokens: 1, total_tokens: 12 };
/** What is charged of it. */
const CHARGED = { promptTokens: 11, completionTokens: 1, tokenSource: 'provider' };

const walletOf = (index: number) => `0x${String(index).repeat(40)}`;

const failing: Answer = (_request, response) => writeJson(response, {}, 500);
const silent = saying('', USAGE);

/** Writes these pieces of a stream apart, so that each has been read before the next. */
const pieces =
  (...events: (object | string)[]): Answer =>
  (_request, response) => {
    const write = (at: number) => {
      const event = events[at];
      if (event === undefined) return void response.end();
      writeEvents(response, event);
      setTimeout(() => write(at + 1), 30);
    };
    write(0);
  };
const blank = pieces(
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: '\n' }),
  chunk({ content: ' \u200b' }),
  chunk({}, 'stop'),
  { choices: [], usage: USAGE },
  '[DONE]',
);
/** Says that a filter cut its JSON off. */
const filtered = pieces(
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: '{"a' }),
  chunk({}, 'content_filter'),
  { choices: [], usage: USAGE },
  '[DONE]',
);

describe('replies that say nothing', () => {
  let around: Surroundings;
  beforeAll(async () => {
    around = await Surroundings.start();
  });
  afterAll(() => around.stop());

  /** One of each of as many providers. */
  const offersOf = (...answers: Answer[]) =>
    Promise.all(answers.map((answer, index) => around.offerFrom(answer, { provider: walletOf(index) })));

  /** A run along these. */
  function along(offers: readonly TestOffer[], fields: Partial<StartRunRequest> = {}): TestRun {
    const request = runRequest(
      offers.map(({ id }) => id),
      fields,
    );
    for (const [index, attempt] of request.attempts.entries()) attempt.provider = walletOf(index);
    return around.gateway.run(request);
  }

  const served = async (run: TestRun) => {
    expect((await run.ended()).type).toBe('end');
    return around.usageOf(run);
  };

  describe.each([true, false])('(stream: %s)', (stream) => {
    it.each([
      ['empty', silent],
      ['blank, piece by piece', blank],
    ])('one that is %s is replaced unseen, and costs nothing', async (_, answer) => {
      const offers = await offersOf(answer, saying('words'));
      const run = along(offers, { stream });
      expect(await served(run)).toMatchObject({ offerId: offers[1]?.id, attempts: 2 });
      expect(run.words).toBe('words');
      expect(around.outcomesOf(run)).toEqual(['wordless', 'served']);
      for (const { system_fingerprint: by } of stream ? run.chunks : [run.body])
        expect(by).toBe(`bundle-${offers[1]?.id}:profile`);
    });

    it('where two providers agree, a third is not asked, and the first serves', async () => {
      const offers = await offersOf(blank, silent, saying('words'));
      const run = along(offers, { stream });
      const [first, second, third] = offers;
      expect(await served(run)).toMatchObject({ offerId: first?.id, attempts: 2, ...CHARGED });
      expect(run.words).toBe('\n \u200b');
      expect(around.outcomesOf(run)).toEqual(['served', 'wordless', 'not_tried']);
      expect([second, third].map((offer) => offer?.provider.requests.length)).toEqual([1, 0]);
      if (stream) {
        expect(run.chunks.every(({ system_fingerprint: by }) => by === `bundle-${first?.id}:profile`)).toBe(
          true,
        );
        expect(run.chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
      }
    });

    it('one that is followed by failures alone is delivered after all', async () => {
      const offers = await offersOf(failing, silent, failing);
      const run = along(offers, { stream });
      expect(await served(run)).toMatchObject({ offerId: offers[1]?.id, attempts: 3, ...CHARGED });
      expect(run.words).toBe('');
      expect(around.outcomesOf(run)).toEqual(['status_5xx', 'served', 'status_5xx']);
    });

    it('one JSON document that a filter cut short is replaced unseen, and delivered where there is no other', async () => {
      const body = { messages: [], response_format: { type: 'json_object' } };
      const offers = await offersOf(filtered, saying('{"a":1}'));
      const run = along(offers, { stream, body });
      await served(run);
      expect(run.words).toBe('{"a":1}');
      expect(around.outcomesOf(run)).toEqual(['filtered', 'served']);
      const alone = along(offers.slice(0, 1), { stream, body });
      await served(alone);
      expect(alone.words).toBe('{"a');
      expect(around.outcomesOf(alone)).toEqual(['served']);
    });
  });

  it.each([
    [true, ['served', 'not_tried']],
    [false, ['served', 'status_5xx']],
  ])('words before a call that a filter cut are never lost (stream: %s)', async (stream, outcomes) => {
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"a' } };
    const atOnce: Answer = ({ body }, response) => {
      if (body.stream !== true) {
        const message = { role: 'assistant', content: 'words', tool_calls: [call] };
        const choices = [{ index: 0, message, finish_reason: 'content_filter' }];
        return writeJson(response, { object: 'chat.completion', choices, usage: USAGE });
      }
      const words = chunk({ role: 'assistant', content: 'words' });
      const usage = { choices: [], usage: USAGE };
      const events = [words, chunk({ tool_calls: [call] }), chunk({}, 'content_filter'), usage, '[DONE]'];
      // In one read: judged before anything of it leaves.
      writeEvents(
        response,
        events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event))).join('\n\ndata: '),
      );
      response.end();
    };
    const body = { messages: [], tools: [{ type: 'function', function: { name: 'f' } }] };
    const offers = await offersOf(atOnce, failing);
    const run = along(offers, { stream, body });
    expect(await served(run)).toMatchObject({ offerId: offers[0]?.id });
    expect(run.words).toBe('words');
    expect(around.outcomesOf(run)).toEqual(outcomes);
  });

  it('one is delivered at once where nobody else is left', async () => {
    const [offer] = (await offersOf(silent)) as [TestOffer];
    const run = along([offer]);
    expect(await served(run)).toMatchObject({ offerId: offer.id, attempts: 1, ...CHARGED });
    expect(around.outcomesOf(run)).toEqual(['served']);
  });

  it('two of one provider are one word', async () => {
    const offers = await Promise.all([silent, silent, saying('words')].map((each) => around.offerFrom(each)));
    const run = around.start(offers);
    await served(run);
    expect(run.words).toBe('words');
    expect(around.outcomesOf(run)).toEqual(['wordless', 'wordless', 'served']);
  });

  it('one is counted as kept, as long as it is', async () => {
    const kept = () => around.dispatch.metric(/^svc_dispatch_reply_bytes_held/);
    const bytes = 40_000;
    const patient: Answer = (request, response) =>
      void eventually(async () => (await kept()) === bytes).then(() => saying('words')(request, response));
    const offers = await offersOf(saying('\n'.repeat(bytes)), patient);
    const run = along(offers);
    await served(run);
    expect(run.words).toBe('words');
    await eventually(async () => (await kept()) === 0);
  });

  it('one may be what a stop sequence of the client’s leaves', async () => {
    const offers = await offersOf(silent, saying('words'));
    const run = along(offers, { body: { messages: [], stop: ['\n'] } });
    expect(await served(run)).toMatchObject({ offerId: offers[0]?.id });
    expect(run.words).toBe('');
  });

  it('never close an offer: it is asked first as often as before', async () => {
    const offers = await offersOf(silent, saying('words'));
    for (let time = 0; time < 12; time++) await served(along(offers));
    expect(offers[0]?.provider.requests).toHaveLength(12);
    expect(await around.dispatch.metric(new RegExp(`breaker_changes_total.*"${offers[0]?.id}"`))).toBe(0);
  });
});

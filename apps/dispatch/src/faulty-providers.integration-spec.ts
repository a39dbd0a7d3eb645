import { PROVIDER_FAULTS, PrivateNats, eventually, startFaultyProvider } from '@svc/testing';
import type { BreakerVerdict, FaultOutcome, FaultyProvider, ProviderFault } from '@svc/testing';
import { runRequest } from './testing/run-request.for-spec';
import { RunningDispatch } from './testing/running-dispatch.for-spec';
import { TestBilling } from './testing/test-billing.for-spec';
import { TestCatalogue } from './testing/test-catalogue.for-spec';
import { TestGateway } from './testing/test-gateway.for-spec';
import type { TestRun } from './testing/test-gateway.for-spec';

/** Long enough to tell how fast its provider writes. */
const TEXT = `Words from the bad provider: grüße, 世界 and 👋🏽.${' And so on.'.repeat(20)}`;
/** What `usage-padded` puts behind it, which nobody sees. */
const PADDING = '\u200b'.repeat(1_000);
const RETRY_AFTER_SECONDS = 7;
/** How long an offer's first token and its chunks may take: little where that is what must run out, and there alone. */
const PATIENCE_MS = 300;
/** Less than what a provider that trickles takes for a document, which a slow one is not asked for. */
const LONG_PATIENCE_MS = 10_000;
/** Failures in a row that open a breaker. */
const TO_OPEN = 5;
/** A mebibyte of arguments is not written with less. */
const TOKENS_OF_A_MEBIBYTE = 10_000;

/** How a client asks, and how the provider is asked for it. */
const FORMS = ['stream', 'plain', 'document'] as const;
type Form = (typeof FORMS)[number];

const messages = [{ role: 'user', content: 'Hi' }];
const TEXT_BODY = { messages };
const TOOL_BODY = {
  messages,
  tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
};

/** How often the breaker of an offer has opened after the first failure, after one more, and after five. */
const OPENINGS: Record<BreakerVerdict, [first: number, second: number, fifth: number]> = {
  works: [0, 0, 0],
  ignores: [0, 0, 0],
  counts: [0, 0, 1],
  counts_if_plain: [0, 0, 1],
  opens: [1, 1, 1],
};

describe('a provider that misbehaves', () => {
  let nats: PrivateNats;
  let dispatch: RunningDispatch;
  let gateway: TestGateway;
  let billing: TestBilling;
  let catalogue: TestCatalogue;
  let good: FaultyProvider;
  let bad: FaultyProvider;
  let offers = 0;

  beforeAll(async () => {
    nats = await PrivateNats.start();
    [billing, catalogue, gateway] = await Promise.all([
      TestBilling.start(nats),
      TestCatalogue.start(nats),
      TestGateway.start(nats),
    ]);
    dispatch = await RunningDispatch.start(nats);
    good = await startFaultyProvider('ok', { text: 'From the good provider.' });
    await offer('good', good);
  });
  afterEach(() => bad.stop());
  afterAll(async () => {
    await dispatch.stop();
    gateway.stopBeating();
    await nats.close();
    await good.stop();
  });

  /** @param runsOut the outcome of an attempt for which the offer's time has to run out, if any does */
  async function offer(id: string, { url }: FaultyProvider, version = 1, runsOut?: string): Promise<string> {
    const timeoutMs = (outcome: string) => (outcome === runsOut ? PATIENCE_MS : LONG_PATIENCE_MS);
    const [firstTokenTimeoutMs, chunkTimeoutMs] = [
      timeoutMs('first_token_timeout'),
      timeoutMs('chunk_timeout'),
    ];
    await catalogue.offer(id, url, { version, firstTokenTimeoutMs, chunkTimeoutMs });
    await dispatch.awaitOffer(id, version);
    return id;
  }

  const run = (offerIds: string[], stream: boolean, tools?: boolean, maxTokens = 500): TestRun =>
    gateway.run(runRequest(offerIds, { stream, body: tools ? TOOL_BODY : TEXT_BODY, maxTokens }));
  const resolutionsOf = ({ request }: TestRun) =>
    billing
      .of(request.requestId)
      .map(({ outcome, usage }) => (usage ? [outcome, usage.offerId, usage.tokenSource] : [outcome]));
  const attemptsOf = (id: string, outcome: string) =>
    dispatch.metric(new RegExp(`attempts_total\\{offer="${id}",outcome="${outcome}"`));
  const openingsOf = (id: string) =>
    dispatch.metric(new RegExp(`breaker_changes_total\\{offer="${id}",state="open"`));

  /** The offer of a provider that has this fault; before, it has shown how fast it is, if a document is to be asked of it. */
  async function meet(fault: ProviderFault, form: Form): Promise<string> {
    const { behaviour } = fault;
    bad = await startFaultyProvider('ok', {
      text: TEXT,
      pauseMs: 40,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
    const id = await offer(`bad-${offers++}`, bad);
    if (form === 'document') expect((await run([id], true).ended()).type).toBe('end');
    if (behaviour === 'refuse-connection') {
      await bad.stop();
      bad = await startFaultyProvider(behaviour);
    } else bad.behave(behaviour);
    await offer(id, bad, 2, outcomeOf(fault, form).outcome);
    return id;
  }

  describe.each(FORMS)('%s', (form) => {
    const stream = form === 'stream';

    it.each(PROVIDER_FAULTS.map((fault) => [fault.behaviour, fault] as const))('%s', async (_, fault) => {
      const { ending, outcome, breaker, tokens } = outcomeOf(fault, form);
      const id = await meet(fault, form);
      const primed = bad.requests().length;
      const before = await attemptsOf(id, outcome);
      const most = fault.behaviour === 'tool-arguments-megabyte' ? TOKENS_OF_A_MEBIBYTE : undefined;
      const ask = (...offerIds: string[]) => run(offerIds, stream, fault.tools, most);
      const openings = OPENINGS[breaker];

      const alone = ask(id);
      const { type } = await alone.ended();
      expect((await attemptsOf(id, outcome)) - before).toBe(1);
      expect(await openingsOf(id)).toBe(openings[0]);
      if (ending === 'served') {
        expect([type, resolutionsOf(alone)]).toEqual(['end', [['post', id, tokens]]]);
        if (!fault.tools)
          expect(alone.words).toBe(fault.behaviour === 'usage-padded' ? TEXT + PADDING : TEXT);
      } else {
        const error = await alone.failed();
        expect(error.code).toBe(ending === 'broken_off' ? 'provider_output_invalid' : ending);
        if (breaker === 'opens') expect(isPause(error.retryAfterSeconds)).toBe(true);
        expect(alone.frames.some((frame) => frame.type === 'data')).toBe(ending === 'broken_off');
        expect(resolutionsOf(alone)).toEqual([['void']]);
      }

      const withGood = ask(id, 'good');
      const second = await withGood.ended();
      if (ending === 'served') expect(resolutionsOf(withGood)).toEqual([['post', id, tokens]]);
      else if (ending === 'broken_off') {
        expect([second.type, resolutionsOf(withGood)]).toEqual(['failure', [['void']]]);
      } else {
        expect(withGood.words).toBe('From the good provider.');
        expect(resolutionsOf(withGood)).toEqual([['post', 'good', 'provider']]);
      }
      expect(await openingsOf(id)).toBe(openings[1]);

      await Promise.all(Array.from({ length: TO_OPEN - 2 }, () => ask(id).ended()));
      expect(await openingsOf(id)).toBe(openings[2]);
      // Nobody is left working for nothing.
      await eventually(() =>
        bad
          .requests()
          .slice(primed)
          .every(({ aborted }) => aborted || !isSilent(fault)),
      );
    });

    it.each(
      PROVIDER_FAULTS.filter((fault) => outcomeOf(fault, form).breaker === 'counts_if_plain').map(
        (fault) => [fault.behaviour, fault] as const,
      ),
    )("%s: one client's requests with tools do not close an offer to others", async (_, fault) => {
      const id = await meet(fault, form);
      await Promise.all(Array.from({ length: TO_OPEN }, () => run([id], stream, true).ended()));
      expect(await openingsOf(id)).toBe(0);
    });
  });
});

function outcomeOf(fault: ProviderFault, form: Form): FaultOutcome {
  return (form === 'document' && fault.document) || fault[form === 'stream' ? 'stream' : 'plain'];
}

/** As long as the provider said, or up to a quarter longer. */
function isPause(seconds: unknown): boolean {
  const most = Math.ceil(RETRY_AFTER_SECONDS * 1.25);
  return typeof seconds === 'number' && seconds >= RETRY_AFTER_SECONDS && seconds <= most;
}

function isSilent({ behaviour }: ProviderFault): boolean {
  return behaviour.startsWith('hang') || behaviour === 'signs-of-life' || behaviour === 'stall-mid-stream';
}

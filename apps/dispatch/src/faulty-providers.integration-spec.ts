import { PROVIDER_BEHAVIOUR_NAMES, PrivateNats, eventually, startFaultyProvider } from '@svc/testing';
import type { FaultyProvider, ProviderBehaviour } from '@svc/testing';
import { runRequest } from './fixtures/run-request.fixture';
import { RunningDispatch } from './fixtures/running-dispatch.fixture';
import { TestBilling } from './fixtures/test-billing.fixture';
import { TestCatalogue } from './fixtures/test-catalogue.fixture';
import { TestGateway } from './fixtures/test-gateway.fixture';
import type { TestRun } from './fixtures/test-gateway.fixture';

/** What a behaviour comes to: it serves, or the next does; alone it is that error. */
type Verdict = 'serves' | 'no_capacity' | 'provider_output_invalid';

/** Streams whose first words are good break off in the middle; nobody else can be asked then. */
const BREAKS_OFF: ReadonlySet<ProviderBehaviour> = new Set(['stall-mid-stream', 'cut', 'endless']);

/** Whether their first words have left by the time they turn out wrong is a matter of how the bytes arrive. */
const MAY_BREAK_OFF: ReadonlySet<ProviderBehaviour> = new Set(['no-finish-reason']);

const VERDICTS: Record<ProviderBehaviour, Verdict> = {
  ok: 'serves',
  'ok-tool-call': 'serves',
  'tool-arguments-megabyte': 'serves',
  trickle: 'serves',
  'no-done': 'serves',
  'usage-huge': 'serves',
  'usage-missing': 'serves',
  'split-bytes': 'serves',
  crlf: 'serves',
  comments: 'serves',
  'refuse-connection': 'no_capacity',
  reset: 'no_capacity',
  'hang-before-headers': 'no_capacity',
  'hang-before-first-token': 'no_capacity',
  'stall-mid-stream': 'no_capacity',
  cut: 'no_capacity',
  'status-500': 'no_capacity',
  'status-429': 'no_capacity',
  redirect: 'no_capacity',
  'error-in-200': 'no_capacity',
  endless: 'provider_output_invalid',
  'no-finish-reason': 'provider_output_invalid',
  html: 'provider_output_invalid',
  garbage: 'provider_output_invalid',
  'wrong-content-type': 'provider_output_invalid',
  'tool-arguments-broken': 'provider_output_invalid',
  'tool-arguments-array': 'provider_output_invalid',
  'tool-without-name': 'provider_output_invalid',
  'tool-unknown': 'provider_output_invalid',
};

const body = {
  messages: [{ role: 'user', content: 'Hi' }],
  tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
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

  async function offer(id: string, { url }: FaultyProvider): Promise<string> {
    await catalogue.offer(id, url, { firstTokenTimeoutMs: 300, chunkTimeoutMs: 300 });
    await eventually(() => dispatch.knows(id));
    return id;
  }

  const run = (offerIds: string[], stream: boolean): TestRun =>
    gateway.run(runRequest(offerIds, { stream, body, maxTokens: 10_000 }));
  const resolutionsOf = ({ request }: TestRun) =>
    billing.of(request.requestId).map(({ outcome, usage }) => [outcome, usage?.offerId]);

  describe.each([['stream', true] as const, ['plain', false] as const])('%s', (_, stream) => {
    it.each(PROVIDER_BEHAVIOUR_NAMES)('%s', async (behaviour) => {
      bad = await startFaultyProvider(behaviour, {
        text: 'Words from the bad provider: grüße, 世界.',
        pauseMs: 20,
      });
      const id = await offer(`bad-${offers++}`, bad);
      const verdict = VERDICTS[behaviour];
      const alone = run([id], stream);
      if (verdict === 'serves') {
        expect((await alone.ended()).type).toBe('end');
        expect(resolutionsOf(alone)).toEqual([['post', id]]);
        return;
      }
      let breaksOff = stream && BREAKS_OFF.has(behaviour);
      expect(await alone.failed()).toMatchObject({ code: breaksOff ? 'provider_output_invalid' : verdict });
      expect(resolutionsOf(alone)).toEqual([['void', undefined]]);

      const both = run([id, 'good'], stream);
      const end = await both.ended();
      if (stream && MAY_BREAK_OFF.has(behaviour)) breaksOff = end.type === 'failure';
      expect([end.type, resolutionsOf(both)]).toEqual(
        breaksOff ? ['failure', [['void', undefined]]] : ['end', [['post', 'good']]],
      );
      if (!breaksOff) expect(both.words).toBe('From the good provider.');
      // Nobody is left working for nothing.
      await eventually(() => bad.requests().every(({ aborted }) => aborted || !behaviour.startsWith('hang')));
    });
  });
});

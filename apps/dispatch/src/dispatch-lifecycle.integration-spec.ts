import { CredentialSealer, credentialPublicKeyOf, generateCredentialKey } from '@svc/credential-seal';
import { DISPATCH_SUBJECTS, probeContracts } from '@svc/contracts';
import type { HealthReport, OfferHealthReport } from '@svc/contracts';
import { internalError } from '@svc/errors';
import { RpcClient } from '@svc/messaging';
import { ErrorCode } from 'nats';
import type { NatsError } from 'nats';
import { NatsLink, PrivateNats, eventually } from '@svc/testing';
import { chunk, saying, startProvider, writeEvents, writeJson } from './testing/provider.for-spec';
import type { Answer, TestProvider } from './testing/provider.for-spec';
import { TEST_PROVIDER, runRequest } from './testing/run-request.for-spec';
import { RunningDispatch, TEST_CREDENTIAL_KEY } from './testing/running-dispatch.for-spec';
import { TestBilling } from './testing/test-billing.for-spec';
import { TestCatalogue } from './testing/test-catalogue.for-spec';
import { TestGateway } from './testing/test-gateway.for-spec';
import { EndpointOpener } from './provider-client/endpoint-opener.service';

describe('dispatch over its life', () => {
  let nats: PrivateNats;
  let gateway: TestGateway;
  let billing: TestBilling;
  let catalogue: TestCatalogue;
  let dispatch: RunningDispatch;
  const providers: TestProvider[] = [];

  beforeEach(async () => {
    nats = await PrivateNats.start();
    [billing, catalogue, gateway] = await Promise.all([
      TestBilling.start(nats),
      TestCatalogue.start(nats),
      TestGateway.start(nats),
    ]);
  });
  afterEach(async () => {
    gateway.stopBeating();
    await nats.close();
    await Promise.all(providers.splice(0).map((provider) => provider.close()));
  });

  async function offerFrom(id: string, answer: Answer): Promise<TestProvider> {
    const provider = await startProvider(answer);
    providers.push(provider);
    await catalogue.offer(id, provider.url);
    return provider;
  }

  it('takes runs that come before its offers have loaded', async () => {
    await offerFrom('early', saying('hello'));
    dispatch = await RunningDispatch.start(nats);
    const runs = Array.from({ length: 20 }, () => gateway.run(runRequest(['early'])));
    for (const run of runs) expect((await run.ended()).type).toBe('end');
    await dispatch.stop();
  });

  it('leaves runs to others while it cannot read the offers, not probes, and takes its share once it can', async () => {
    const own = await PrivateNats.start();
    const [client] = await Promise.all([TestGateway.start(own), TestBilling.start(own)]);
    dispatch = await RunningDispatch.start(own);
    const isHeard = () =>
      client.messaging.connection.request(DISPATCH_SUBJECTS.start, '{}', { timeout: 500 }).then(
        () => true,
        ({ code }: NatsError) => code !== String(ErrorCode.NoResponders),
      );
    expect(await isHeard()).toBe(true);
    await eventually(async () => !(await isHeard()), { timeoutMs: 20_000 });
    const probed = await startProvider(saying('hello'));
    providers.push(probed);
    const rpc = new RpcClient(await own.connectAs('catalog'));
    const endpoint = { provider: TEST_PROVIDER, endpoint: probed.url };
    expect(await rpc.call(probeContracts.ping, endpoint)).toMatchObject({ alive: true });
    await (await TestCatalogue.start(own)).offer('late', probed.url);
    await eventually(isHeard);
    await dispatch.awaitOffers('late');
    expect((await client.run(runRequest(['late'])).ended()).type).toBe('end');
    client.stopBeating();
    await dispatch.stop();
    await own.close();
  });

  it('passes over entries that are no offers, or stand under the key of another', async () => {
    const opened = jest.spyOn(EndpointOpener.prototype, 'open');
    for (const [at, text] of ['{}', '5', '{"offerId":7}', '{"offerId":"good"}'].entries()) {
      await catalogue.put(`odd-${at}`, text);
    }
    const { url } = await offerFrom('good', saying('hello'));
    dispatch = await RunningDispatch.start(nats);
    // So that no request waits for it.
    await eventually(() => opened.mock.calls.some(([{ endpoint }]) => endpoint === url));
    await dispatch.awaitOffers('good');
    expect((await gateway.run(runRequest(['odd-3', 'good'])).ended()).type).toBe('end');
    expect(opened).toHaveBeenCalledTimes(1);
    opened.mockRestore();
    await dispatch.stop();
  });

  it('passes over offers whose endpoint or credential is none, and lives', async () => {
    const { url } = await offerFrom('good', saying('hello'));
    const odd = [{ endpoint: { toString: 1 } }, { credential: 7 }, { credential: null }];
    for (const [at, fields] of odd.entries()) await catalogue.offer(`odd-${at}`, url, fields as never);
    dispatch = await RunningDispatch.start(nats);
    await dispatch.awaitOffers('good');
    const run = gateway.run(runRequest(['odd-0', 'odd-1', 'odd-2', 'good']));
    expect((await run.ended()).type).toBe('end');
    await dispatch.stop();
  });

  it('finishes what is under way when it stops, and takes no more', async () => {
    const release: (() => void)[] = [];
    await offerFrom('slow', (request, response) => {
      writeEvents(response, chunk({ content: 'first ' }));
      release.push(() => saying('and last')(request, response));
    });
    dispatch = await RunningDispatch.start(nats);
    await dispatch.awaitOffers('slow');
    const run = gateway.run(runRequest(['slow']));
    await eventually(() => run.content === 'first ');
    await dispatch.leave();
    const stopped = dispatch.stop();
    const late = gateway.run(runRequest(['slow']));
    await gateway.messaging.connection.flush();
    release[0]?.();
    expect((await run.ended()).type).toBe('end');
    expect(run.content).toBe('first and last');
    await stopped;
    expect(billing.of(run.request.requestId)).toMatchObject([{ outcome: 'post' }]);
    expect(late.frames).toEqual([]);
    expect(release).toHaveLength(1);
  });

  it('is not ready while it finishes its runs, and leaves places that they do not need to others', async () => {
    const release: (() => void)[] = [];
    await offerFrom('slow', (request, response) => {
      release.push(() => saying('at last')(request, response));
    });
    dispatch = await RunningDispatch.start(nats);
    await dispatch.awaitOffers('slow');
    const run = gateway.run(runRequest(['slow']));
    await eventually(() => release.length === 1);
    const held = () => dispatch.metric(/^svc_dispatch_places_held/);
    expect(await held()).toBeGreaterThan(1);
    const stopped = dispatch.stop();
    // Sooner than what is merely not used is given back.
    await eventually(async () => (await held()) === 1, { timeoutMs: 10_000 });
    expect((await dispatch.get('/health/ready')).status).toBe(503);
    release[0]?.();
    expect((await run.ended()).type).toBe('end');
    await stopped;
  });

  it('breaks off probes at once when it stops, so that they are made elsewhere, and finishes its runs', async () => {
    const release: (() => void)[] = [];
    await offerFrom('slow', (request, response) => {
      release.push(() => saying('at last')(request, response));
    });
    const probed = await startProvider(() => undefined);
    providers.push(probed);
    dispatch = await RunningDispatch.start(nats);
    await dispatch.awaitOffers('slow');
    const run = gateway.run(runRequest(['slow']));
    const rpc = new RpcClient(await nats.connectAs('catalog'));
    const endpoint = { provider: TEST_PROVIDER, endpoint: probed.url };
    const patience = { firstTokenTimeoutMs: 120_000, chunkTimeoutMs: 120_000, timeoutMs: 120_000 };
    const probes = [
      rpc.call(
        probeContracts.call,
        {
          ...{ ...endpoint, ...patience, upstreamModel: 'any', stream: true, maxTokens: 64, until: 'end' },
          body: { messages: [{ role: 'user', content: 'Say something' }] },
        },
        { timeoutMs: 120_000 },
      ),
      rpc.call(probeContracts.ping, endpoint),
    ];
    const answers = Promise.allSettled(probes);
    await eventually(() => release.length === 1 && probed.requests.length === 2);
    const stopped = dispatch.stop();
    for (const answer of await answers) {
      expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'no_capacity' } });
    }
    await eventually(() => probed.requests.every(({ closedByCaller }) => closedByCaller));
    release[0]?.();
    expect((await run.ended()).type).toBe('end');
    await stopped;
  });

  it('breaks off what does not finish within the grace period, and frees its hold', async () => {
    const provider = await offerFrom('stuck', () => undefined);
    dispatch = await RunningDispatch.start(nats, { SHUTDOWN_GRACE_MS: '3100' });
    await dispatch.awaitOffers('stuck');
    const run = gateway.run(runRequest(['stuck']));
    await eventually(() => provider.requests.length === 1);
    await dispatch.stop();
    expect(await run.failed()).toMatchObject({ code: 'no_capacity', retryAfterSeconds: 1 });
    expect(billing.of(run.request.requestId)).toMatchObject([{ outcome: 'void', reason: 'shutdown' }]);
    await eventually(() => provider.requests[0]?.closedByCaller);
  });

  it('hands to the queue what billing does not answer when it stops', async () => {
    const provider = await offerFrom('stuck', () => undefined);
    dispatch = await RunningDispatch.start(nats, { SHUTDOWN_GRACE_MS: '3100' });
    await dispatch.awaitOffers('stuck');
    billing.answer = () => undefined;
    const run = gateway.run(runRequest(['stuck']));
    await eventually(() => provider.requests.length === 1);
    await dispatch.stop();
    const { requestId } = run.request;
    expect(billing.of(requestId)).toMatchObject([{ outcome: 'void', reason: 'shutdown' }]);
    expect(await billing.awaitDeferred(requestId)).toMatchObject([{ outcome: 'void', reason: 'shutdown' }]);
  });

  it('says how many offers need the credential key of before', async () => {
    const former = generateCredentialKey();
    const sealFor = (key: string, endpoint: string) =>
      new CredentialSealer(credentialPublicKeyOf(key)).seal({ provider: TEST_PROVIDER, endpoint }, 'token');
    const provider = await startProvider(saying('x'));
    providers.push(provider);
    const { url } = provider;
    await catalogue.offer('former', url, { credential: sealFor(former, url) });
    await catalogue.offer('current', url, { credential: sealFor(TEST_CREDENTIAL_KEY, url) });
    await catalogue.offer('open', url);
    dispatch = await RunningDispatch.start(nats, { CREDENTIAL_KEY_PREVIOUS: former });
    await dispatch.awaitOffers('former', 'current', 'open');
    expect(await dispatch.metric(/^svc_dispatch_former_credentials/)).toBe(1);
    await catalogue.offer('former', url, { version: 2, credential: sealFor(TEST_CREDENTIAL_KEY, url) });
    await eventually(async () => (await dispatch.metric(/^svc_dispatch_former_credentials/)) === 0);
    await dispatch.stop();
  });

  it('stops only when billing has what the queue did not take, as long as its grace lasts', async () => {
    const provider = await offerFrom('stuck', () => undefined);
    dispatch = await RunningDispatch.start(nats, { SHUTDOWN_GRACE_MS: '12000' });
    await dispatch.awaitOffers('stuck');
    const run = gateway.run(runRequest(['stuck']));
    await eventually(() => provider.requests.length === 1);
    const openQueue = await billing.closeQueue();
    billing.answer = () => internalError();
    const { requestId } = run.request;
    run.cancel();
    await eventually(() => billing.of(requestId).length >= 3);
    const stopping = dispatch.stop();
    billing.answer = TestBilling.usual;
    const tries = billing.of(requestId).length;
    await stopping;
    await openQueue();
    expect(billing.of(requestId).length).toBeGreaterThan(tries);
  });

  it('gives up the runs under way when it loses NATS: nobody could be told of their end', async () => {
    const provider = await offerFrom('lost', (_request, response) =>
      writeEvents(response, chunk({ content: 'half a ' })),
    );
    await offerFrom('after', saying('after'));
    dispatch = await RunningDispatch.start(nats);
    await dispatch.awaitOffers('lost', 'after');
    const run = gateway.run(runRequest(['lost']));
    await eventually(() => run.content === 'half a ');
    await nats.stop();
    await eventually(() => provider.requests[0]?.closedByCaller === true);
    await nats.startAgain();
    // By the queue, or by a call: JetStream may be back later than all else.
    const abandoned = await billing.awaitTold(run.request.requestId);
    for (const told of abandoned) expect(told).toMatchObject({ outcome: 'abandon', reason: 'disconnected' });
    // That dispatch is back says nothing of the gateway, and what that publishes before it is back is lost.
    await eventually(() => gateway.messaging.connection.flush().then(() => true));
    const next = gateway.run(runRequest(['after']));
    expect((await next.ended()).type).toBe('end');
    await dispatch.stop();
  });

  it('tells gateways of the ends they may have missed when its link to NATS is back', async () => {
    const provider = await offerFrom('half', (_request, response) =>
      writeEvents(response, chunk({ content: 'half a ' })),
    );
    await offerFrom('silent', () => undefined);
    await offerFrom('whole', saying('whole'));
    const link = await NatsLink.open(nats, 'dispatch');
    dispatch = await RunningDispatch.startOver(link.messaging);
    await dispatch.awaitOffers('half', 'silent', 'whole');
    gateway.confirms = false;
    const [half, silent, whole] = ['half', 'silent', 'whole'].map((id) => gateway.run(runRequest([id])));
    await eventually(() => half?.content === 'half a ' && silent?.last?.type === 'accepted');
    const end = await whole?.ended();
    link.cut();
    await eventually(() => provider.requests[0]?.closedByCaller === true);
    await eventually(async () => (await dispatch.metric(/^svc_dispatch_runs_in_flight/)) === 0);
    link.restore();
    // Neither provider is to blame, whatever has been delivered.
    for (const run of [half, silent]) {
      expect(await run?.failed()).toMatchObject({ code: 'no_capacity', retryAfterSeconds: 1 });
    }
    // This gateway has the end. One that missed it would take the failure in its place.
    await eventually(() => whole?.last?.type === 'failure', { timeoutMs: 30_000 });
    expect(whole?.last?.sequence).toBe(end?.sequence);
    await dispatch.stop();
    await link.close();
  });

  it('holds a refused request against those who refused it only when another serves it', async () => {
    const cortex = await nats.connectAs('cortex');
    const failed = new Map<string, number>();
    cortex.connection.subscribe(DISPATCH_SUBJECTS.health, {
      callback: (_error, message) => {
        for (const offer of message.json<HealthReport>().offers) {
          failed.set(offer.offerId, (failed.get(offer.offerId) ?? 0) + offer.failed);
        }
      },
    });
    await cortex.connection.flush();
    await offerFrom('good', saying('x'));
    for (const status of [400, 413, 422]) {
      await offerFrom(`picky-${status}`, (_request, response) => writeJson(response, {}, status));
    }
    const picky = ['picky-400', 'picky-413', 'picky-422'];
    dispatch = await RunningDispatch.start(nats);
    await dispatch.awaitOffers(...picky, 'good');
    await gateway.run(runRequest(picky)).failed();
    await eventually(() => picky.every((id) => failed.get(id) === 0));
    expect((await gateway.run(runRequest([...picky, 'good'])).ended()).type).toBe('end');
    await eventually(() => picky.every((id) => failed.get(id) === 1));
    expect(failed.get('good')).toBe(0);
    await dispatch.stop();
  });

  it('tells cortex how its offers do, while they have traffic', async () => {
    const cortex = await nats.connectAs('cortex');
    const reports: HealthReport[] = [];
    cortex.connection.subscribe(DISPATCH_SUBJECTS.health, {
      callback: (_error, message) => reports.push(message.json<HealthReport>()),
    });
    await cortex.connection.flush();
    await offerFrom('good', saying('x'));
    await offerFrom('bad', (_request, response) => writeJson(response, {}, 500));
    dispatch = await RunningDispatch.start(nats);
    await dispatch.awaitOffers('good', 'bad');
    await gateway.run(runRequest(['bad', 'good'])).ended();
    const offers = () => reports.flatMap((report) => report.offers);
    // A report may go while they are being asked: what comes of it stands in the next.
    const tellsOf = (report: OfferHealthReport) =>
      eventually(() => {
        expect(offers()).toContainEqual(report);
        return true;
      });
    await tellsOf({
      offerId: 'bad',
      succeeded: 0,
      failed: 1,
      invalid: 0,
      inFlight: 0,
      blamed: 1,
      blamedInvalid: 0,
      blamedBy: [expect.stringMatching(/^[\w-]{12}$/) as string],
    });
    await tellsOf({
      offerId: 'good',
      succeeded: 1,
      failed: 0,
      invalid: 0,
      inFlight: 0,
      claims: 1,
      claimedTokens: 0,
      outputBytes: 1,
      progressed: true,
      firstTokenMs: expect.any(Number) as number,
    });
    const { instanceId } = dispatch.messaging;
    expect(reports.every((report) => report.instanceId === instanceId)).toBe(true);
    await dispatch.stop();
  });

  it('renews the leases of live runs, all in one message', async () => {
    await offerFrom('long', () => undefined);
    dispatch = await RunningDispatch.start(nats, { SHUTDOWN_GRACE_MS: '0' });
    await dispatch.awaitOffers('long');
    const runs = [gateway.run(runRequest(['long'])), gateway.run(runRequest(['long']))];
    // The first one may go when one of them has begun.
    const renewal = await eventually(
      () => billing.renewed.find(({ holds }) => holds.length === runs.length),
      { timeoutMs: 40_000 },
    );
    expect(new Set(renewal.holds.map(({ holdId }) => holdId))).toEqual(
      new Set(runs.map(({ request }) => request.requestId)),
    );
    await dispatch.stop();
  });
});

import { createLogger, createMetricsRegistry } from '@svc/observability';
import { OfferPlaces } from './offer-places.service';
import { PlaceKeeper } from './place-keeper.service';
import type { PlacePeers } from './place-peers.service';
import type { PlaceStore } from './place-store.service';
import type { PlaceWishes } from './place-wishes.service';
import { PlacesMetrics } from './places.metrics';

it('does not wait for ever for a JetStream that does not answer at the end', async () => {
  const write = jest.fn(() => new Promise<never>(() => undefined));
  const store = { write, stop: jest.fn(), isBeingClaimed: false };
  const peers = { instanceId: 'me', count: 1, isLost: () => false, inTouch: true };
  const keeper = new PlaceKeeper(
    store as unknown as PlaceStore,
    peers as unknown as PlacePeers,
    {} as PlaceWishes,
    new PlacesMetrics(createMetricsRegistry('dispatch')),
    createLogger('dispatch', 'silent'),
  );
  keeper.shareOf('offer').learn({ revision: 1, holdings: new Map([['me', 2]]) }, 0);
  await keeper.beforeApplicationShutdown();
  expect([write.mock.calls.length, store.stop.mock.calls.length]).toEqual([1, 1]);
}, 20_000);

it('warns of an instance that fell silent with places, and of none that left in order', () => {
  const listeners: ((instanceId: string) => void)[] = [];
  const peers = {
    ...{ instanceId: 'me', count: 1, isLost: () => false, inTouch: true },
    onLost: (listener: (instanceId: string) => void) => listeners.push(listener),
  };
  const store = { write: () => new Promise(() => undefined), follow: () => undefined, isBeingClaimed: false };
  const logger = createLogger('dispatch', 'silent');
  const warn = jest.spyOn(logger, 'warn');
  const keeper = new PlaceKeeper(
    store as unknown as PlaceStore,
    peers as unknown as PlacePeers,
    { listen: () => undefined } as unknown as PlaceWishes,
    new PlacesMetrics(createMetricsRegistry('dispatch')),
    logger,
  );
  keeper.shareOf('offer').learn({ revision: 1, holdings: new Map([['killed', 2]]) }, 0);
  keeper.onApplicationBootstrap();
  for (const instanceId of ['left', 'killed']) for (const listener of listeners) listener(instanceId);
  expect(warn.mock.calls).toEqual([[{ instanceId: 'killed' }, expect.stringContaining('fell silent')]]);
});

it('gives those who wait their places when the key says so, though the write that got them is not answered yet', async () => {
  const write = jest.fn(() => new Promise<never>(() => undefined));
  const read = () => Promise.resolve({ revision: 0, holdings: new Map<string, number>() });
  const peers = { ...{ instanceId: 'me', count: 1, inTouch: true }, isLost: () => false, expect: jest.fn() };
  const metrics = new PlacesMetrics(createMetricsRegistry('dispatch'));
  const keeper = new PlaceKeeper(
    { read, write, isBeingClaimed: false } as unknown as PlaceStore,
    peers as unknown as PlacePeers,
    {} as PlaceWishes,
    metrics,
    createLogger('dispatch', 'silent'),
  );
  const found = new OfferPlaces(keeper, metrics).wait([{ offerId: 'offer', concurrency: 1 }], 60_000);
  await new Promise(setImmediate);
  expect(write).toHaveBeenCalledTimes(1);
  keeper.changed('offer', { revision: 1, holdings: new Map([['me', 1]]) });
  expect(await found).toBe('offer');
});

it.each([
  ['goes on with what it held after a reconnect, though the bucket does not answer yet', true, 2],
  [
    'takes no place after one before it has read who holds them, where others may have thought it dead',
    false,
    0,
  ],
])('%s', (_, inTouch, free) => {
  const peers = { instanceId: 'me', count: 1, isLost: () => false, inTouch };
  const keeper = new PlaceKeeper(
    {} as unknown as PlaceStore,
    peers as unknown as PlacePeers,
    {} as PlaceWishes,
    new PlacesMetrics(createMetricsRegistry('dispatch')),
    createLogger('dispatch', 'silent'),
  );
  const share = keeper.shareOf('offer');
  share.learn({ revision: 7, holdings: new Map([['me', 2]]) }, 0);
  keeper.lostTouch();
  expect(share.free).toBe(free);
  // The bucket may be another one, whose revisions have begun anew.
  share.learn({ revision: 1, holdings: new Map([['me', 1]]) }, 0);
  expect(share.free).toBe(1);
});

import { createLogger, createMetricsRegistry } from '@svc/observability';
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

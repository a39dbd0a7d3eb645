import { DISPATCH_SUBJECTS } from '@svc/contracts';
import { InstanceWatch } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { createLogger, createMetricsRegistry } from '@svc/observability';
import type { PrivateNats } from '@svc/testing';
import { OfferPlaces } from './offer-places.service';
import { PlaceKeeper } from './place-keeper.service';
import { PlacePeers } from './place-peers.service';
import { PlaceStore } from './place-store.service';
import { PlaceWishes } from './place-wishes.service';
import { PlacesMetrics } from './places.metrics';

/** The places of one instance of dispatch, without the rest of it. */
export class PlacesInstance {
  readonly registry = createMetricsRegistry('dispatch');
  readonly places: OfferPlaces;
  readonly keeper: PlaceKeeper;
  /** Those that it took for dead. */
  readonly lost: string[] = [];
  private readonly peers: PlacePeers;
  private readonly beat: InstanceWatch;

  private constructor(readonly messaging: Messaging) {
    const metrics = new PlacesMetrics(this.registry);
    this.peers = new PlacePeers(messaging);
    const wishes = new PlaceWishes(messaging);
    const logger = createLogger('dispatch', 'silent');
    this.keeper = new PlaceKeeper(new PlaceStore(messaging), this.peers, wishes, metrics, logger);
    this.places = new OfferPlaces(this.keeper, metrics);
    const { alive } = DISPATCH_SUBJECTS;
    this.beat = new InstanceWatch(messaging, { ownSubject: alive, watchedSubject: alive });
  }

  static async start(nats: PrivateNats): Promise<PlacesInstance> {
    const instance = new PlacesInstance(await nats.connectAs('dispatch'));
    instance.peers.onLost((instanceId) => instance.lost.push(instanceId));
    instance.peers.onApplicationBootstrap();
    instance.keeper.onApplicationBootstrap();
    instance.beat.start();
    return instance;
  }

  /** As at SIGTERM. */
  async stop(): Promise<void> {
    this.keeper.onModuleDestroy();
    await this.keeper.beforeApplicationShutdown();
    await this.die();
  }

  /** As at SIGKILL: nothing is said. */
  async die(): Promise<void> {
    this.beat.stop();
    this.peers.onApplicationShutdown();
    await this.messaging.connection.close();
  }

  /** What its metrics say now. */
  async metric(name: string, outcome?: string): Promise<number> {
    const values = await this.registry.getSingleMetric(name)?.get();
    const found = values?.values.find(({ labels }) => outcome === undefined || labels.outcome === outcome);
    return found?.value ?? 0;
  }
}

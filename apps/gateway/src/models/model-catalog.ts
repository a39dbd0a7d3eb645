import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { CATALOG_BUCKETS, catalogKey } from '@svc/contracts';
import type { ModelView } from '@svc/contracts';
import { modelNotFound, noCapacity } from '@svc/errors';
import { KvView, MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { GatewayConfig } from '../gateway.config';
import { entityTagOf } from '../http/entity-tag';
import { CurrentModelList } from './current-model-list';
import { modelCardOf } from './model-card';
import { CodedModelList } from './coded-model-list';
import type { CachedReply } from './coded-model-list';

/** The models as the catalogue publishes them: in memory, kept current, served on when the catalogue is away. */
@Injectable()
export class ModelCatalog implements OnModuleInit, OnApplicationShutdown {
  private readonly view: KvView<ModelView>;
  private readonly current: CurrentModelList;
  /** Each model's card as JSON. A changed model is another object, so cards need not be forgotten. */
  private readonly cards = new WeakMap<ModelView, CachedReply>();

  constructor(
    @Inject(MESSAGING) messaging: Messaging,
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.view = new KvView(messaging.connection, CATALOG_BUCKETS.models, (key, err) =>
      logger.error({ key, err }, 'unreadable model in the catalogue'),
    );
    this.current = new CurrentModelList(
      () => this.makeList(),
      (err) => logger.error({ err }, 'the model list could not be made'),
    );
    this.view.onChange(() => this.current.renew());
  }

  onModuleInit(): void {
    this.view.start();
  }

  onApplicationShutdown(): void {
    this.view.stop();
  }

  /** Whether the models are known at all. */
  get loaded(): boolean {
    return this.view.loaded;
  }

  /**
   * @throws SvcError model_not_found; no_capacity while the models are not known yet
   */
  find(id: string): ModelView {
    this.assertLoaded();
    const model = this.view.get(catalogKey(id));
    if (!isModel(model)) throw modelNotFound(id);
    return model;
  }

  /** What `GET /v1/models` answers. @throws SvcError no_capacity while the models are not known yet */
  list(): CodedModelList {
    this.assertLoaded();
    return this.current.get();
  }

  /** What `GET /v1/models/{id}` answers. @throws SvcError as `find` */
  show(id: string): CachedReply {
    return this.cardOf(this.find(id));
  }

  private makeList(): CodedModelList {
    const models = [...this.view.values()].filter(isModel).sort((a, b) => (a.id < b.id ? -1 : 1));
    return CodedModelList.of(models.map((model) => this.cardOf(model).body));
  }

  private cardOf(model: ModelView): CachedReply {
    let card = this.cards.get(model);
    if (!card) {
      const body = Buffer.from(JSON.stringify(modelCardOf(model, this.config.environment)));
      this.cards.set(model, (card = { body, etag: entityTagOf(body) }));
    }
    return card;
  }

  private assertLoaded(): void {
    if (!this.view.loaded) throw noCapacity('The catalogue is being read; try again.', 1);
  }
}

/** What is in the bucket is not taken on trust: an entry that is no model must not keep the others from being listed. */
function isModel(entry: ModelView | undefined): entry is ModelView {
  const { id, capabilities, contextLimit } = (entry ?? {}) as Partial<ModelView>;
  return (
    typeof id === 'string' && typeof capabilities?.workload === 'string' && typeof contextLimit === 'number'
  );
}

import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { CATALOG_BUCKETS } from '@svc/contracts';
import { modelNotFound, noCapacity } from '@svc/errors';
import { KvView, MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { GatewayConfig } from '../gateway.config';
import { entityTagOf } from '../http/entity-tag';
import { CurrentModelList } from './current-model-list';
import { isRouting } from './listed-model';
import type { ListedModel } from './listed-model';
import { ListedModels } from './listed-models';
import { modelCardOf } from './model-card';
import { CodedModelList } from './coded-model-list';
import type { CachedReply } from './coded-model-list';

/** The models as the catalogue publishes them: in memory, kept current, served on when the catalogue is away. */
@Injectable()
export class ModelCatalog implements OnModuleInit, OnApplicationShutdown {
  private readonly view: KvView<unknown>;
  private readonly models: ListedModels;
  private readonly current: CurrentModelList;
  /** Each model's card as JSON. A changed model is another object, so cards need not be forgotten. */
  private readonly cards = new WeakMap<ListedModel, CachedReply>();

  constructor(
    @Inject(MESSAGING) messaging: Messaging,
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.view = new KvView(messaging.connection, CATALOG_BUCKETS.models, (key, err) =>
      logger.error({ key, err }, 'unreadable model in the catalogue'),
    );
    this.models = new ListedModels(this.view, config.environment);
    this.current = new CurrentModelList(
      () => this.makeList(),
      (err) => logger.error({ err }, 'the model list could not be made'),
    );
    this.view.onChange(() => {
      this.models.renew();
      this.current.renew();
    });
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

  /** The routing model's id, where there is one now. */
  get routingModel(): string | undefined {
    const { routingModel } = this.config.environment;
    const model = routingModel === undefined ? undefined : this.models.find(routingModel);
    return model && isRouting(model) ? model.id : undefined;
  }

  /**
   * @throws SvcError model_not_found; no_capacity while the models are not known yet
   */
  find(id: string): ListedModel {
    this.assertLoaded();
    const model = this.models.find(id);
    if (!model) throw modelNotFound(id);
    return model;
  }

  /** Every model that is listed, in the order of their ids. @throws SvcError as `list` */
  all(): ListedModel[] {
    this.assertLoaded();
    return this.models.all();
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
    return CodedModelList.of(this.models.all().map((model) => this.cardOf(model).body));
  }

  private cardOf(model: ListedModel): CachedReply {
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

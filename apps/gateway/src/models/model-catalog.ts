import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { CATALOG_BUCKETS, catalogKey } from '@svc/contracts';
import type { ModelView } from '@svc/contracts';
import { modelNotFound, noCapacity } from '@svc/errors';
import { KvView, MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import type { ModelList } from '@svc/openai-api';
import { GatewayConfig } from '../gateway.config';
import { modelCardOf } from './model-card';

/** A reply that is made once and sent many times. */
export interface CachedReply {
  body: Buffer;
  etag: string;
}

/** The models as the catalogue publishes them: in memory, kept current, served on when the catalogue is away. */
@Injectable()
export class ModelCatalog implements OnModuleInit, OnApplicationShutdown {
  private readonly view: KvView<ModelView>;
  private readonly replies = new Map<string, CachedReply>();

  constructor(
    @Inject(MESSAGING) messaging: Messaging,
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.view = new KvView(messaging.connection, CATALOG_BUCKETS.models, (key, err) =>
      logger.error({ key, err }, 'unreadable model in the catalogue'),
    );
    this.view.onChange(() => this.replies.clear());
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
    if (!model) throw modelNotFound(id);
    return model;
  }

  /** The body of `GET /v1/models`. @throws SvcError no_capacity while the models are not known yet */
  list(): CachedReply {
    this.assertLoaded();
    return this.reply('', (): ModelList => {
      const models = [...this.view.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
      return { object: 'list', data: models.map((model) => modelCardOf(model, this.config.environment)) };
    });
  }

  /** The body of `GET /v1/models/{id}`. @throws SvcError as `find` */
  show(id: string): CachedReply {
    const model = this.find(id);
    return this.reply(id, () => modelCardOf(model, this.config.environment));
  }

  private reply(key: string, make: () => object): CachedReply {
    const known = this.replies.get(key);
    if (known) return known;
    const body = Buffer.from(JSON.stringify(make()));
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    const reply = { body, etag };
    this.replies.set(key, reply);
    return reply;
  }

  private assertLoaded(): void {
    if (!this.view.loaded) throw noCapacity('The catalogue is being read; try again.', 1);
  }
}

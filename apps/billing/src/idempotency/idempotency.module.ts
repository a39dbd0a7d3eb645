import { Module } from '@nestjs/common';
import { IdempotencyPurge } from './idempotency-purge.service';
import { IdempotencyController } from './idempotency.controller';
import { IdempotencyMetrics } from './idempotency.metrics';
import { IdempotencyService } from './idempotency.service';
import { IdempotencyStore } from './idempotency.store';
import { StoredBytes } from './stored-bytes.service';
import { StoredBytesStore } from './stored-bytes.store';

/** Replies of idempotent requests: kept, given back, and deleted when their time is over. */
@Module({
  controllers: [IdempotencyController],
  providers: [
    IdempotencyStore,
    IdempotencyService,
    IdempotencyMetrics,
    IdempotencyPurge,
    StoredBytes,
    StoredBytesStore,
  ],
  exports: [IdempotencyPurge],
})
export class IdempotencyModule {}

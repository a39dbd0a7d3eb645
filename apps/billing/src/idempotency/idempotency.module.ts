import { Module } from '@nestjs/common';
import { IdempotencyPurge } from './idempotency-purge.service';
import { IdempotencyController } from './idempotency.controller';
import { IdempotencyMetrics } from './idempotency.metrics';
import { IdempotencyService } from './idempotency.service';
import { IdempotencyStore } from './idempotency.store';

/** Replies of idempotent requests: kept, given back, and deleted when their time is over. */
@Module({
  controllers: [IdempotencyController],
  providers: [IdempotencyStore, IdempotencyService, IdempotencyMetrics, IdempotencyPurge],
  exports: [IdempotencyPurge],
})
export class IdempotencyModule {}

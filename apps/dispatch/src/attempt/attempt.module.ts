import { Module } from '@nestjs/common';
import { ProviderClientModule } from '../provider-client/provider-client.module';
import { SchemaChecks } from '../validation/schema-checks.service';
import { AttemptFactory } from './attempt.factory';
import { ReplyMemory } from './reply-memory.service';

/** Attempts: one provider asked for one reply. */
@Module({
  imports: [ProviderClientModule],
  providers: [SchemaChecks, ReplyMemory, AttemptFactory],
  exports: [AttemptFactory, ReplyMemory],
})
export class AttemptModule {}

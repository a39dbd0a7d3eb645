import { Module } from '@nestjs/common';
import { KeysModule } from '../keys/keys.module';
import { ModelsModule } from '../models/models.module';
import { RunsModule } from '../runs/runs.module';
import { AdmissionService } from './admission.service';
import { ChatCompletionsController } from './chat-completions.controller';
import { ChatCompletionsService } from './chat-completions.service';
import { CompletionOrders } from './completion-orders';
import { CompletionRunner } from './completion-runner';
import { IdempotencyRecords } from './idempotency-records';
import { IdempotentCompletions } from './idempotent-completions';
import { ReplayService } from './replay.service';

@Module({
  imports: [KeysModule, ModelsModule, RunsModule],
  controllers: [ChatCompletionsController],
  providers: [
    AdmissionService,
    ChatCompletionsService,
    CompletionOrders,
    CompletionRunner,
    IdempotencyRecords,
    IdempotentCompletions,
    ReplayService,
  ],
  exports: [ChatCompletionsService],
})
export class ChatCompletionsModule {}

import { Module } from '@nestjs/common';
import { KeysModule } from '../keys/keys.module';
import { ModelsModule } from '../models/models.module';
import { RunsModule } from '../runs/runs.module';
import { AdmissionService } from './admission.service';
import { ChatCompletionsController } from './chat-completions.controller';
import { ChatCompletionsService } from './chat-completions.service';
import { CompletionRunner } from './completion-runner';

@Module({
  imports: [KeysModule, ModelsModule, RunsModule],
  controllers: [ChatCompletionsController],
  providers: [AdmissionService, ChatCompletionsService, CompletionRunner],
})
export class ChatCompletionsModule {}

import { Module } from '@nestjs/common';
import type { DynamicModule, Type } from '@nestjs/common';
import { ProviderNodeConfig } from '../provider-node.config';
import { ChatBackend } from './chat-backend';
import { ChatCompletionsController } from './chat-completions.controller';
import { InFlight } from './in-flight';

@Module({})
export class ChatCompletionsModule {
  static answeredBy(backend: Type<ChatBackend>, config: ProviderNodeConfig): DynamicModule {
    return {
      module: ChatCompletionsModule,
      controllers: [ChatCompletionsController],
      providers: [
        { provide: ProviderNodeConfig, useValue: config },
        { provide: ChatBackend, useClass: backend },
        InFlight,
      ],
      exports: [ChatBackend],
    };
  }
}

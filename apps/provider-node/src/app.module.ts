import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ObservabilityModule } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { ChatBackend } from './chat-completions/chat-backend';
import { ChatCompletionsModule } from './chat-completions/chat-completions.module';
import { DemoBackend } from './chat-completions/demo.backend';
import { OpenAiErrorFilter } from './chat-completions/openai-error.filter';
import type { ProviderNodeConfig } from './provider-node.config';
import { UpstreamBackend } from './upstream/upstream.backend';

@Module({})
export class AppModule {
  static forConfig(config: ProviderNodeConfig, logger: Logger): DynamicModule {
    const backend = config.upstreamUrl === undefined ? DemoBackend : UpstreamBackend;
    const chatCompletions = ChatCompletionsModule.answeredBy(backend, config);
    return {
      module: AppModule,
      imports: [
        chatCompletions,
        ObservabilityModule.forService({
          service: 'provider-node',
          logger,
          imports: [chatCompletions],
          inject: [ChatBackend],
          readiness: (backend: ChatBackend) => [
            { name: 'backend', check: async () => ({ up: await backend.isReady() }) },
          ],
        }),
      ],
      providers: [{ provide: APP_FILTER, useClass: OpenAiErrorFilter }],
    };
  }
}

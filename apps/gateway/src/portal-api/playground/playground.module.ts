import { Module } from '@nestjs/common';
import { ChatCompletionsModule } from '../../chat-completions/chat-completions.module';
import { PlaygroundKeysService } from './playground-keys.service';
import { PlaygroundController } from './playground.controller';
import { PlaygroundService } from './playground.service';

/** Completions for whoever is signed in to the portal. */
@Module({
  imports: [ChatCompletionsModule],
  controllers: [PlaygroundController],
  providers: [PlaygroundKeysService, PlaygroundService],
})
export class PlaygroundModule {}

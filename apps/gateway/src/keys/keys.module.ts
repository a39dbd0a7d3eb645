import { Module } from '@nestjs/common';
import { ApiKeysService } from './api-keys.service';
import { KeyController } from './key.controller';

@Module({ controllers: [KeyController], providers: [ApiKeysService], exports: [ApiKeysService] })
export class KeysModule {}

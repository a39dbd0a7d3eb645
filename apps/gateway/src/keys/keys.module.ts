import { Module } from '@nestjs/common';
import { AddressThrottlerGuard } from '../http/limits/address-throttler.guard';
import { ApiKeysService } from './api-keys.service';
import { KeyController } from './key.controller';
import { UnknownKeys } from './unknown-keys';

@Module({
  controllers: [KeyController],
  providers: [AddressThrottlerGuard, ApiKeysService, UnknownKeys],
  exports: [ApiKeysService],
})
export class KeysModule {}

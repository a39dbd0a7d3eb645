import { Module } from '@nestjs/common';
import { OfferStatusModule } from '../offer-status/offer-status.module';
import { ProviderController } from './provider.controller';
import { ProviderService } from './provider.service';
import { ProviderStore } from './provider.store';

/** Who sells. */
@Module({
  imports: [OfferStatusModule],
  controllers: [ProviderController],
  providers: [ProviderService, ProviderStore],
  exports: [ProviderStore],
})
export class ProviderModule {}

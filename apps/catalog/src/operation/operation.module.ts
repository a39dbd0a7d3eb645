import { Module } from '@nestjs/common';
import { ProviderModule } from '../provider/provider.module';
import { OperationController } from './operation.controller';
import { OperationService } from './operation.service';
import { OperationStore } from './operation.store';

/** What operators do to providers and offers. */
@Module({
  imports: [ProviderModule],
  controllers: [OperationController],
  providers: [OperationService, OperationStore],
})
export class OperationModule {}

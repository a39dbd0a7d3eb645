import { Module } from '@nestjs/common';
import { SupplyModule } from '../../supply/supply.module';
import { OwnEarningsController } from './own-earnings.controller';

/** What the wallet that is signed in earned. */
@Module({ imports: [SupplyModule], controllers: [OwnEarningsController] })
export class EarningsModule {}

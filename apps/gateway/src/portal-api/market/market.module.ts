import { Module } from '@nestjs/common';
import { ModelsModule } from '../../models/models.module';
import { MarketController } from './market.controller';
import { MarketService } from './market.service';

/** What is on sale, by whom, at what price, and how it has been doing of late. */
@Module({ imports: [ModelsModule], controllers: [MarketController], providers: [MarketService] })
export class MarketModule {}

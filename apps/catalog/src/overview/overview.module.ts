import { Module } from '@nestjs/common';
import { OverviewController } from './overview.controller';
import { OverviewService } from './overview.service';
import { OverviewStore } from './overview.store';

/** The catalogue as those see it who look after it. */
@Module({ controllers: [OverviewController], providers: [OverviewService, OverviewStore] })
export class OverviewModule {}

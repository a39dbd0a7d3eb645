import { Module } from '@nestjs/common';
import { MarketModule } from './market/market.module';
import { PlaygroundModule } from './playground/playground.module';
import { SessionsModule } from './sessions/sessions.module';

/** One for each folder of the portal's API; the OpenAPI document describes them all. */
export const PORTAL_MODULES = [SessionsModule, MarketModule, PlaygroundModule];

/** What the portal's page asks for, under `/portal/api`. */
@Module({ imports: PORTAL_MODULES })
export class PortalModule {}

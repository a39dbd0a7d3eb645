import { Module } from '@nestjs/common';
import { EarningsModule } from './earnings/earnings.module';
import { WalletKeysModule } from './keys/wallet-keys.module';
import { LiveModule } from './live/live.module';
import { MarketModule } from './market/market.module';
import { OwnOffersModule } from './offers/own-offers.module';
import { OperatorsModule } from './operators/operators.module';
import { PlaygroundModule } from './playground/playground.module';
import { SessionsModule } from './sessions/sessions.module';
import { SettlementsModule } from './settlements/settlements.module';
import { WalletPositionModule } from './wallet/wallet-position.module';
import { SiteModule } from './site/site.module';
import { UsageModule } from './usage/usage.module';

/** One for each folder of the portal's API; the OpenAPI document describes them all. */
export const PORTAL_MODULES = [
  SessionsModule,
  SiteModule,
  EarningsModule,
  LiveModule,
  MarketModule,
  OperatorsModule,
  OwnOffersModule,
  PlaygroundModule,
  SettlementsModule,
  WalletKeysModule,
  WalletPositionModule,
  UsageModule,
];

/** What the portal's page asks for, under `/portal/api`. */
@Module({ imports: PORTAL_MODULES })
export class PortalModule {}

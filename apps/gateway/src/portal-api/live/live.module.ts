import { Module } from '@nestjs/common';
import { WalletPositionModule } from '../wallet/wallet-position.module';
import { LiveController } from './live.controller';
import { LiveStreams } from './live-streams.service';
import { WalletFeeds } from './wallet-feeds.service';

@Module({
  imports: [WalletPositionModule],
  controllers: [LiveController],
  providers: [LiveStreams, WalletFeeds],
})
export class LiveModule {}

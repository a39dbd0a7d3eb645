import { Module } from '@nestjs/common';

/** Watches offers that were certified: heartbeats, real traffic, canaries, expiry. */
@Module({})
export class WatchModule {}

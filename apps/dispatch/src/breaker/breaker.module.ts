import { Module } from '@nestjs/common';
import { Breakers } from './breakers.service';

/** Keeps requests from offers that fail. */
@Module({ providers: [Breakers], exports: [Breakers] })
export class BreakerModule {}

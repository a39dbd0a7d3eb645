import { Module } from '@nestjs/common';
import { KeyController } from './key.controller';
import { KeyService } from './key.service';
import { KeyStore } from './key.store';

/** API keys by their hash, their budgets and what is spent of them. */
@Module({ controllers: [KeyController], providers: [KeyService, KeyStore], exports: [KeyService] })
export class KeyModule {}

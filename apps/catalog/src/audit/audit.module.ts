import { Global, Module } from '@nestjs/common';
import { AuditStore } from './audit.store';

/** Who did what to whom, for whatever changes something. Global. */
@Global()
@Module({ providers: [AuditStore], exports: [AuditStore] })
export class AuditModule {}

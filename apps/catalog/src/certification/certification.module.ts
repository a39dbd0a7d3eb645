import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';

/** Runs probes against offers and says what each may serve. */
@Module({})
export class CertificationModule {
  static forService(): DynamicModule {
    return { module: CertificationModule };
  }
}

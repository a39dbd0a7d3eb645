import { Module } from '@nestjs/common';
import type { BillingConfig } from '../billing.config';
import { BILLING_CONFIG } from '../tokens';
import { ChainMetrics } from './chain.metrics';
import { ChainReader } from './chain-reader';
import { ChainWatcher } from './chain-watcher.service';
import { LimitStore } from './limit.store';

@Module({
  providers: [
    {
      provide: ChainReader,
      inject: [BILLING_CONFIG],
      // Here, so that a misfit is refused before anything is served.
      useFactory: async (config: BillingConfig) => {
        const reader = new ChainReader({
          rpcUrl: config.chainRpcUrl,
          chainId: config.chainId,
          usdc: config.chainUsdcAddress,
          settlement: config.chainSettlementAddress,
          confirmations: config.chainConfirmations,
        });
        await reader.refuseMisfit();
        return reader;
      },
    },
    ChainMetrics,
    LimitStore,
    ChainWatcher,
  ],
  exports: [ChainWatcher],
})
export class ChainModule {}

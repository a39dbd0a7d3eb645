import { Module } from '@nestjs/common';
import { BillingConfig } from '../billing.config';
import { ChainConnection } from './chain-connection';
import { ChainFollower } from './chain-follower';
import { urgentFrom } from '../urgent-from';
import { ChainMetrics } from './chain.metrics';
import { ChainReader } from './chain-reader';
import { ChainScanner } from './chain-scanner';
import { ChainStore } from './chain.store';
import { ChainWatcher } from './chain-watcher.service';
import { ContractStore } from './contract.store';
import { EventReader } from './event-reader';
import { LimitStore } from './limit.store';

/** Follows the chain: blocks, events, and the means that each wallet has there. */
@Module({
  providers: [
    {
      provide: ChainConnection,
      inject: [BillingConfig, ContractStore],
      useFactory: (config: BillingConfig, contracts: ContractStore) => {
        const options = {
          rpcUrl: config.chainRpcUrl,
          chainId: config.chainId,
          usdc: config.chainUsdcAddress,
          settlement: config.chainSettlementAddress,
          confirmations: config.chainConfirmations,
        };
        return new ChainConnection(options, contracts);
      },
    },
    {
      provide: ChainReader,
      inject: [ChainConnection],
      // Here, so that a misfit is refused before anything is served.
      useFactory: async (connection: ChainConnection) => {
        const reader = new ChainReader(connection);
        await reader.refuseMisfit();
        return reader;
      },
    },
    {
      provide: ChainScanner,
      inject: [BillingConfig, ChainConnection, ChainReader, ChainStore, LimitStore],
      useFactory: (
        config: BillingConfig,
        connection: ChainConnection,
        reader: ChainReader,
        store: ChainStore,
        limits: LimitStore,
      ) => {
        const follower = new ChainFollower(reader, new EventReader(connection));
        const { confirmations } = connection.options;
        const leastDue = leastDueToRead(config);
        return new ChainScanner(reader, follower, store, limits, { confirmations, leastDue });
      },
    },
    ChainMetrics,
    ChainStore,
    ContractStore,
    LimitStore,
    ChainWatcher,
  ],
  exports: [ChainConnection, ChainStore, ChainWatcher],
})
export class ChainModule {}

/** Who owes less, base units, is read in turn: it is not asked for it yet. */
function leastDueToRead(config: BillingConfig): bigint {
  const [least, urgent] = [BigInt(config.settlementMinDue), urgentFrom(config)];
  const lower = least < urgent ? least : urgent;
  return lower > 1n ? lower : 1n;
}

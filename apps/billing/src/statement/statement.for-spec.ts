import { Global, Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { connectBilling } from '@svc/billing-client';
import type { BillingClient } from '@svc/billing-client';
import { billingContracts } from '@svc/contracts';
import { MessagingModule, RpcClient } from '@svc/messaging';
import { ObservabilityModule, createLogger } from '@svc/observability';
import { listenService } from '@svc/service-host';
import type { ListeningService, ServiceParts } from '@svc/service-host';
import { PrivateNats, waitLongFor } from '@svc/testing';
import { BillingConfig } from '../billing.config';
import { CreditModule } from '../credit/credit.module';
import { DatabaseModule } from '../database/database.module';
import { KeyModule } from '../key/key.module';
import { startTestLedger } from '../ledger/ledger.for-spec';
import type { TestLedger } from '../ledger/ledger.for-spec';
import { LedgerModule } from '../ledger/ledger.module';
import { ProjectionService } from '../receipt/projection.service';
import { ReceiptModule } from '../receipt/receipt.module';
import { StatementModule } from './statement.module';

/** The part of billing that answers internal teams, without a chain. */
@Global()
@Module({})
class InternalTeamsModule {
  static forParts({ config, logger, messaging }: ServiceParts<BillingConfig>): DynamicModule {
    return {
      module: InternalTeamsModule,
      imports: [
        MessagingModule.forConnection(messaging),
        DatabaseModule.forService(config, logger),
        ObservabilityModule.forService({ service: 'billing', logger, readiness: () => [] }),
        LedgerModule,
        KeyModule,
        CreditModule,
        ReceiptModule,
        StatementModule,
      ],
      providers: [{ provide: BillingConfig, useValue: config }],
      exports: [BillingConfig],
    };
  }
}

interface HarnessOptions {
  /** `when asked`: not every second as well, for a spec that changes rows which are committed before anything is made of them. */
  readonly projects?: 'by itself' | 'when asked';
}

/** Statements as they are asked for in earnest: over NATS with the rights of `internal`, from a ledger of its own. */
export class StatementHarness {
  private constructor(
    readonly nats: PrivateNats,
    readonly books: TestLedger,
    readonly service: ListeningService,
    /** Billing's own NATS user: what it may ask is not what is tested. */
    readonly setup: RpcClient,
    readonly gateway: RpcClient,
    readonly client: BillingClient,
  ) {}

  static async start({ projects = 'by itself' }: HarnessOptions = {}): Promise<StatementHarness> {
    waitLongFor(billingContracts);
    const nats = await PrivateNats.start();
    const books = await startTestLedger({
      chainId: 31_337,
      chainSettlementAddress: `0x${'5'.repeat(40)}`,
      httpPort: 0,
    });
    const logger = createLogger('billing', process.env.BILLING_TEST_LOG ?? 'silent');
    const messaging = await nats.connectAs('billing');
    const parts = { config: books.config, logger, messaging };
    const service = await listenService({ module: (given) => InternalTeamsModule.forParts(given) }, parts);
    // `project` still reads one piece then, of 400 records.
    if (projects === 'when asked') await service.app.get(ProjectionService).onApplicationShutdown();
    const setup = new RpcClient(await nats.connectAs('setup'));
    const gateway = new RpcClient(await nats.connectAs('gateway'));
    const client = await connectBilling({ servers: nats.url, user: 'internal', password: nats.password });
    return new StatementHarness(nats, books, service, setup, gateway, client);
  }

  async stop(): Promise<void> {
    await this.client.close();
    await this.service.strategy.close();
    await this.service.app.close();
    await this.books.close();
    await this.nats.close();
  }
}

/** What `addUsage` spreads usage over. */
interface UsageSpread {
  readonly wallet: string;
  readonly rows: number;
  readonly from: string;
  /** Between one and the next. */
  readonly stepSeconds: number;
  readonly keys: number;
  readonly models: number;
  readonly providers: number;
}

export const providerNumber = (index: number) => `0x${index.toString(16).padStart(40, '0')}`;

/** Writes usage straight into its table, as a migration of past usage would; the wallet's own figures know nothing of it. */
export async function addUsage({ sql }: TestLedger, spread: UsageSpread): Promise<void> {
  await sql(
    `INSERT INTO billing.usage_record
       (wallet, hold_id, key_id, model, offer_id, provider, input_price_per_mtok, output_price_per_mtok, prompt_tokens,
        completion_tokens, token_source, attempts, finish_reason, held, cost, provider_share, platform_loss, late, created_at, route,
        first_token_ms, total_ms)
     SELECT $1, 'req_' || lpad(n::text, 9, '0'), 'key_' || n % $5, 'svc/model-' || n / 2 % $6 || '@1', 'offer-1',
            '0x' || lpad(to_hex(n / 3 % $7), 40, '0'), 0, 1000000, 10, n % 7, 'provider', 1, 'stop', 10, n % 7, 0, 0, n % 11 = 0,
            $3::timestamptz + n * $4 * interval '1 second',
            CASE WHEN n % 2 = 0 THEN '[{"offerId": "offer-1", "why": "cheapest", "outcome": "served"}]'::jsonb END,
            CASE WHEN n % 5 > 0 THEN n % 900 END, CASE WHEN n % 5 > 0 THEN n % 900 + 100 END
     FROM generate_series(1, $2::integer) AS n`,
    [
      spread.wallet,
      spread.rows,
      spread.from,
      spread.stepSeconds,
      spread.keys,
      spread.models,
      spread.providers,
    ],
  );
}

/** Writes requests that nobody served, as `addUsage` does; every fifth was given up by its client. */
export async function addUnserved(
  { sql }: TestLedger,
  spread: Omit<UsageSpread, 'providers'>,
): Promise<void> {
  await sql(
    `INSERT INTO billing.unserved_request
       (wallet, hold_id, key_id, model, reason, code, attempts, route, total_ms, held, created_at)
     SELECT $1, 'req_f' || lpad(n::text, 8, '0'), 'key_' || n % $5, 'svc/model-' || n / 2 % $6 || '@1',
            CASE WHEN n % 5 = 0 THEN 'cancelled' ELSE 'no_capacity' END, CASE WHEN n % 5 > 0 THEN 'no_capacity' END, 1,
            '[{"offerId": "offer-1", "why": "cheapest", "outcome": "busy"}]', 50, 10,
            $3::timestamptz + n * $4 * interval '1 second'
     FROM generate_series(1, $2::integer) AS n`,
    [spread.wallet, spread.rows, spread.from, spread.stepSeconds, spread.keys, spread.models],
  );
}

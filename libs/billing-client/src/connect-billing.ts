import { billingContracts } from '@svc/contracts';
import type { RpcContract, UsageLineSelection } from '@svc/contracts';
import { RpcClient, connectMessaging } from '@svc/messaging';
import type { CallOptions } from '@svc/messaging';
import { assertOpen } from './assert-open';
import { toSvcError } from './to-svc-error';
import { UsageExport } from './usage-export';

/** How to reach billing. */
export interface BillingOptions {
  /** NATS URLs, one or several, comma separated. */
  servers: string;
  /** A NATS user that may ask billing: `internal`. */
  user: string;
  password: string;
}

/** One call: the contract's request and reply, and how long to wait. Errors are SvcError. */
type Call<Contract> =
  Contract extends RpcContract<infer Req, infer Res>
    ? (request: Req, options?: CallOptions) => Promise<Res>
    : never;

/** What internal teams may ask, named by noun and verb. */
const CALLS = {
  wallet: {
    show: billingContracts.showPosition,
    list: billingContracts.listWallets,
    suspend: billingContracts.suspendWallet,
    reinstate: billingContracts.reinstateWallet,
  },
  usage: {
    summarise: billingContracts.summariseUsage,
    list: billingContracts.listUsage,
    show: billingContracts.showUsage,
  },
  earnings: { list: billingContracts.listEarnings },
  credit: {
    list: billingContracts.listCredits,
    give: billingContracts.creditWallet,
    refund: billingContracts.refundRequest,
  },
  receipt: { show: billingContracts.showReceipt },
  settlement: {
    show: billingContracts.showSettlement,
    pause: billingContracts.pauseSettlement,
    resume: billingContracts.resumeSettlement,
  },
  audit: { list: billingContracts.listBillingAudit },
  payout: { claim: billingContracts.showClaim },
  batch: { list: billingContracts.listBatches, show: billingContracts.showBatch },
  ledger: { balance: billingContracts.showTrialBalance },
} as const;

type Calls = {
  [Noun in keyof typeof CALLS]: { [Verb in keyof (typeof CALLS)[Noun]]: Call<(typeof CALLS)[Noun][Verb]> };
};

/**
 * Billing, as internal teams may use it. Every method takes its contract's request and answers with its reply; amounts are
 * base units (10^-6 USDC) as decimal strings, times ISO 8601 in UTC.
 */
export interface BillingClient extends Calls {
  usage: Calls['usage'] & {
    /** All selected usage as CSV, as it is read; nothing is asked for before the first chunk is. */
    export(selection: UsageLineSelection): UsageExport;
  };
  close(): Promise<void>;
}

/**
 * Connects to billing, for which it waits as long as no server answers, and stays connected.
 *
 * ```ts
 * const billing = await connectBilling({ servers: 'nats://nats:4222', user: 'internal', password });
 * const { available, held } = await billing.wallet.show({ wallet });
 * const { groups, totals } = await billing.usage.summarise({ wallet, by: ['day', 'model'], from: '2026-11-01T00:00:00Z' });
 * await pipeline(billing.usage.export({ wallet }).readable(), createWriteStream('usage.csv'));
 * await billing.close();
 * ```
 * @throws NatsError when the user or the password is refused
 */
export async function connectBilling({ servers, user, password }: BillingOptions): Promise<BillingClient> {
  const messaging = await connectMessaging(user, {
    natsUrl: servers,
    natsUser: user,
    natsPassword: password,
  });
  const rpc = new RpcClient(messaging);
  const calls = Object.fromEntries(
    Object.entries(CALLS).map(([noun, verbs]) => [noun, callsOf(rpc, verbs)]),
  ) as unknown as Calls;
  return {
    ...calls,
    usage: { ...calls.usage, export: (selection) => new UsageExport(rpc, selection) },
    close: () => messaging.connection.drain(),
  };
}

function callsOf(rpc: RpcClient, verbs: Readonly<Record<string, object>>): object {
  const one =
    (contract: RpcContract<object, unknown>) =>
    async (request: object, options?: CallOptions): Promise<unknown> => {
      assertOpen(rpc);
      try {
        return await rpc.call(contract, request, options);
      } catch (error) {
        throw toSvcError(error);
      }
    };
  return Object.fromEntries(
    Object.entries(verbs).map(([verb, contract]) => [verb, one(contract as RpcContract<object, unknown>)]),
  );
}

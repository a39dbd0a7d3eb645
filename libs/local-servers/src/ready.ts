import type { EnvironmentName } from '@svc/environment';

/** What `ready.json` in the state directory says while the stack is up, for programs. Local development values only. */
export interface Ready {
  environment: EnvironmentName;
  /** Where the gateway listens; clients take `${gateway}/v1` as their base URL. */
  gateway: string;
  /** Where each of the gateways listens; the first is `gateway`. */
  gateways: string[];
  /** The page's URL; null when it is not built. */
  portal: string | null;
  apiKey: string;
  wallet: string;
  walletPrivateKey: string;
  chainRpc: string;
  usdc: string;
  settlement: string;
  /** With the credentials of the user `setup`; several servers have commas between. */
  natsUrl: string;
  /** As the database's owner. */
  databaseUrl: string;
  /** Process ids by service; empty while a service is being started again. */
  processes: Record<string, number[]>;
}

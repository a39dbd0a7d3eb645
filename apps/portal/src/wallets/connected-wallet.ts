import type { Eip1193Provider } from './eip1193';

/** A wallet that somebody chose, speaking for one account. */
export interface ConnectedWallet {
  name: string;
  /** Lower case. */
  account: string;
  provider: Eip1193Provider;
}

import { lookup } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressRules } from './address-rules';

/** The code of the error a refused address fails the connection with. */
export const ADDRESS_REFUSED = 'SVC_ADDRESS_REFUSED';

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * A connector for undici that connects to permitted addresses only. A name is resolved once per connection and the
 * address that was judged is the address connected to, so a name that answers differently the second time gains nothing.
 */
export function guardedConnector(rules: AddressRules): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(rules) });
  return (options, callback) => {
    // Node does not look up what is an address already.
    if (isIP(options.hostname) !== 0 && !rules.permits(options.hostname)) {
      process.nextTick(callback, refusal(), null);
      return;
    }
    connect(options, callback);
  };
}

/** `dns.lookup` that tells the permitted addresses only. */
export function guardedLookup(rules: AddressRules, resolve: typeof lookup = lookup): LookupFunction {
  return (hostname, options, callback) => {
    const all: LookupOptions & { all: true } = { ...options, all: true };
    resolve(hostname, all, (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => {
      if (error) return callback(error, []);
      const permitted = addresses.filter(({ address }) => rules.permits(address));
      const [first] = permitted;
      if (!first) return callback(refusal(), []);
      if (options.all) return callback(null, permitted);
      callback(null, first.address, first.family);
    });
  };
}

function refusal(): NodeJS.ErrnoException {
  return Object.assign(new Error('the address is not permitted'), { code: ADDRESS_REFUSED });
}

import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { restingConnector } from '@svc/http-client';
import type { buildConnector } from 'undici';
import { AddressRules } from '../address-rules';
import { DispatchConfig } from '../dispatch.config';
import { NameResolver } from './name-resolver.service';

/** The code of the error a refused address fails the connection with. */
export const ADDRESS_REFUSED = 'SVC_ADDRESS_REFUSED';

/** From the look-up of the name to the end of TLS's handshake. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Sees to it that only permitted addresses are connected to. A name is resolved once per connection and the address
 * that was judged is the address connected to, so a name that answers differently the second time gains nothing. A name that
 * has an address which is not permitted is not permitted at all, whatever else it has.
 */
@Injectable()
export class AddressGuard {
  /** For undici. */
  readonly connector: buildConnector.connector;
  private readonly rules: AddressRules;

  constructor(
    @Inject(DispatchConfig) { providerAllowedNetworks }: Pick<DispatchConfig, 'providerAllowedNetworks'>,
    private readonly names: NameResolver,
  ) {
    this.rules = new AddressRules(providerAllowedNetworks);
    const connect = restingConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: this.lookup });
    this.connector = (options, callback) => {
      // Node does not look up what is an address already.
      if (isIP(options.hostname) !== 0 && !this.rules.permits(options.hostname)) {
        process.nextTick(callback, refusal(), null);
        return;
      }
      connect(options, callback);
    };
  }

  /** Judges the addresses a host has now. @param hostname as in a URL, an IPv6 address with its brackets */
  async judge(hostname: string): Promise<'permitted' | 'refused' | 'unresolved'> {
    const addresses = await this.names.addressesOf(hostname.replace(/^\[|\]$/g, ''));
    if (addresses.length === 0) return 'unresolved';
    return this.areAllPermitted(addresses) ? 'permitted' : 'refused';
  }

  /** `dns.lookup` that tells permitted addresses only. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.names.addressesOf(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) return callback(unresolved(), []);
        if (!this.areAllPermitted(addresses)) return callback(refusal(), []);
        if (options.all) return callback(null, addresses);
        callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : unresolved(), []),
    );
  };

  private areAllPermitted(addresses: readonly LookupAddress[]): boolean {
    return addresses.every(({ address }) => this.rules.permits(address));
  }
}

function refusal(): NodeJS.ErrnoException {
  return Object.assign(new Error('the address is not permitted'), { code: ADDRESS_REFUSED });
}

function unresolved(): NodeJS.ErrnoException {
  return Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' });
}

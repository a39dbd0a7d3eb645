import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { valueWithin } from '@svc/time-limit';

const HOSTS_FILE = '/etc/hosts';
/** One name server's, doubled with each try. */
const TRY_MS = 1_000;
const TRIES = 2;
/** For all tries together, however many name servers do not answer: who asks whether an endpoint is permitted waits 6 s (`probe.check`). */
const LONGEST_MS = 4_000;

/**
 * Resolves providers' names without the system's `getaddrinfo`: that has four threads a process, so that four names whose
 * servers never answer would keep every other name waiting. Asks for names as they stand, without search domains. What the
 * hosts file says goes first.
 */
@Injectable()
export class NameResolver {
  private readonly resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  private readonly underWay = new Map<string, Promise<LookupAddress[]>>();

  /**
   * @param name a host's name or address
   * @returns empty when there is none
   */
  addressesOf(name: string): Promise<LookupAddress[]> {
    const family = isIP(name);
    if (family !== 0) return Promise.resolve([{ address: name, family }]);
    let found = this.underWay.get(name);
    if (!found) {
      found = this.resolve(name).finally(() => this.underWay.delete(name));
      this.underWay.set(name, found);
    }
    return found;
  }

  private async resolve(name: string): Promise<LookupAddress[]> {
    const listed = hostsOf(await readFile(HOSTS_FILE, 'utf8').catch(() => ''), name);
    if (listed.length > 0) return listed;
    const [v4, v6] = await Promise.all([
      inTime(this.resolver.resolve4(name)),
      inTime(this.resolver.resolve6(name)),
    ]);
    return [
      ...v4.map((address) => ({ address, family: 4 })),
      ...v6.map((address) => ({ address, family: 6 })),
    ];
  }
}

/** @returns empty for what failed, or has not come by then */
function inTime(addresses: Promise<string[]>): Promise<string[]> {
  const found = addresses.catch(() => []);
  return valueWithin(LONGEST_MS, found, []);
}

/** What a hosts file (hosts(5)) says of a name. */
export function hostsOf(file: string, name: string): LookupAddress[] {
  const wanted = name.toLowerCase().replace(/\.$/, '');
  const found: LookupAddress[] = [];
  for (const line of file.split('\n')) {
    const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/\s+/);
    const family = isIP(address);
    if (family !== 0 && names.some((listed) => listed.toLowerCase() === wanted)) {
      found.push({ address, family });
    }
  }
  return found;
}

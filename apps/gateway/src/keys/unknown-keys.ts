import { Inject, Injectable } from '@nestjs/common';
import { SvcError } from '@svc/errors';
import type { FastifyRequest } from 'fastify';
import { CLOCK } from '../clock';
import type { Clock } from '../clock';
import { GatewayConfig } from '../gateway.config';
import { AddressThrottlerGuard } from '../http/limits/address-throttler.guard';
import { BoundedThrottlerStorage } from '../http/limits/bounded-throttler-storage';

const WINDOW_MS = 60_000;
const TOO_MANY = 429;

/** The request that a key came with. */
export type KeyBearer = Pick<FastifyRequest, 'id' | 'ip'>;

/**
 * How many keys that nobody may use one address (of IPv6, one /64) has billing asked about: their form is no secret, and each costs a call
 * and a look into the database. Those that are known here as usable are not counted, and asked about whatever else came from their address.
 */
@Injectable()
export class UnknownKeys {
  private readonly counts: BoundedThrottlerStorage;
  private readonly limit: number;

  constructor(
    config: GatewayConfig,
    @Inject(CLOCK) clock: Clock,
    private readonly addresses: AddressThrottlerGuard,
  ) {
    this.limit = config.unknownKeysPerMinute;
    this.counts = new BoundedThrottlerStorage(clock);
  }

  /**
   * Counts a key for unknown, before billing is asked: many may be asked about at once.
   * @returns takes it back, once it is known for no such key
   * @throws SvcError invalid_request (429) when as many were, within a minute
   */
  async count(bearer: KeyBearer): Promise<() => void> {
    const address = await this.addresses.countedAs(bearer);
    const { isBlocked, timeToBlockExpire } = await this.counts.increment(address, WINDOW_MS, this.limit);
    const takeBack = () => this.counts.takeBack(address);
    if (!isBlocked) return takeBack;
    // Billing is not asked about it, so that it is none of those that nobody may use.
    takeBack();
    throw tooManyUnknown(this.limit, timeToBlockExpire);
  }
}

function tooManyUnknown(limit: number, retryAfterSeconds: number): SvcError {
  return new SvcError({
    code: 'invalid_request',
    status: TOO_MANY,
    message: `More than ${limit} requests with unknown API keys came from your address within a minute; try again later.`,
    retryAfterSeconds,
  });
}

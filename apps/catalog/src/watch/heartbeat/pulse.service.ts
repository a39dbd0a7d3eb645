import { Inject, Injectable } from '@nestjs/common';
import { probeContracts } from '@svc/contracts';
import type { PingedEndpoint } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { OfferHealthView } from '../health/offer-health.view';
import { WATCH_SETTINGS } from '../tokens';
import type { WatchSettings } from '../tokens';
import type { EndpointGroup } from './endpoint-groups';

/**
 * - `answered`
 * - `traffic`: not asked, since a real request brought something since the last heartbeat: a server that writes one long reply may
 *   have no time for another question
 * - `missed`: asked, and silent
 * - `unknown`: it could not be asked; nothing of the endpoint's
 */
export interface Pulse {
  outcome: 'answered' | 'traffic' | 'missed' | 'unknown';
  /** Why it is silent, or could not be asked. */
  reason?: string;
}

/** What dispatch says when the fault is ours: it has lost the key that the credential was sealed for, or has no room. */
const OUR_FAULTS: readonly string[] = ['credential_unreadable', 'crowded_out'];

/** Finds out whether endpoints live. */
@Injectable()
export class PulseService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly health: OfferHealthView,
    @Inject(WATCH_SETTINGS) private readonly settings: WatchSettings,
  ) {}

  /** @returns whatever happens; never rejects */
  async of(group: EndpointGroup, signal: AbortSignal): Promise<Pulse> {
    const { heartbeatMs } = this.settings;
    if (group.some(({ id }) => this.health.livedWithin(id, heartbeatMs))) return { outcome: 'traffic' };
    const [{ provider, endpoint }] = group;
    const credential = group.find((offer) => offer.credential !== null)?.credential;
    try {
      return pulseOf(
        await this.rpc.call(
          probeContracts.ping,
          { provider, endpoint, ...(credential && { credential }) },
          { signal },
        ),
      );
    } catch (error) {
      // Whoever could not ask has learnt nothing of the endpoint: dispatch or NATS are away, or refuse us.
      return { outcome: 'unknown', reason: error instanceof Error ? error.message : 'unknown' };
    }
  }
}

function pulseOf({ alive, status, reason }: PingedEndpoint): Pulse {
  if (alive) return { outcome: 'answered' };
  if (reason !== undefined && OUR_FAULTS.includes(reason)) return { outcome: 'unknown', reason };
  return { outcome: 'missed', reason: reason ?? (status === undefined ? 'no answer' : `HTTP ${status}`) };
}

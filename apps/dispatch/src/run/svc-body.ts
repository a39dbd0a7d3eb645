import type { StartRunRequest } from '@svc/contracts';
import type { Environment } from '@svc/environment';
import { formatUsdc } from '@svc/money';
import type { ServedOutcome } from '../plan/plan-outcome';

/** Who was behind a reply of the routing model (spec section 2.2, `served`). */
interface ServedModel {
  model: string;
  bundleId: string;
  /** The serving address, or a managed vendor's mapping. */
  provider: string;
  managed: boolean;
  reason: string;
}

/** The `svc` object of a reply (spec section 2.2). */
export interface SvcBody {
  /** USDC, six decimals. */
  cost_usdc: string;
  /** The provider's address, or the environment's word for managed vendors. */
  provider: string;
  fallback?: boolean;
  /** Which managed vendor it was; only with `fallback: true`. */
  fallback_mapping?: string;
  served?: ServedModel;
}

/** What the client is told of the charge, and of who served. @param charged base units */
export function svcOf(
  { routed }: StartRunRequest,
  { planned, trail }: Pick<ServedOutcome, 'planned' | 'trail'>,
  charged: bigint,
  { managedProvider, statesFallback }: Environment,
): SvcBody {
  const { mapping, provider, model, bundleId } = planned;
  const managed = mapping !== undefined;
  return {
    cost_usdc: formatUsdc(charged),
    provider: managed ? managedProvider : provider,
    ...(statesFallback && { fallback: managed, ...(managed && { fallback_mapping: mapping }) }),
    ...(routed && {
      served: { model, bundleId, provider: mapping ?? provider, managed, reason: trail.reasonFor(planned) },
    }),
  };
}

import type { StartRunRequest } from '@svc/contracts';
import type { Environment } from '@svc/environment';
import { formatUsdc } from '@svc/money';
import type { ServiceReply } from '@svc/openai-api';
import type { ServedOutcome } from '../plan/plan-outcome';

/** What the client is told of the charge, and of who served. @param charged base units */
export function svcOf(
  { routed }: StartRunRequest,
  { planned, trail }: Pick<ServedOutcome, 'planned' | 'trail'>,
  charged: bigint,
  { managedProvider, statesFallback }: Environment,
): ServiceReply {
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

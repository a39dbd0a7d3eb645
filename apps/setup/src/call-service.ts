import type { RpcContract } from '@svc/contracts';
import { RpcUnavailableError } from '@svc/messaging';
import type { RpcClient } from '@svc/messaging';
import { waitUntil } from './wait-until';

/** Calls a service's contract, for as long as it takes that service to be there. */
export type CallService = <Req extends object, Res>(
  contract: RpcContract<Req, Res>,
  request: Req,
) => Promise<Res>;

/**
 * A caller that asks again while nobody answers: seeding starts beside the services, and every call it makes may be
 * repeated.
 */
export function patientCalls(rpc: RpcClient, signal: AbortSignal): CallService {
  return (contract, request) =>
    waitUntil(async () => {
      try {
        return await rpc.call(contract, request, { signal });
      } catch (error) {
        if (RpcUnavailableError.is(error)) return undefined;
        throw error;
      }
    }, signal);
}

import { Injectable } from '@nestjs/common';
import type { CheckedEndpoint, FailureReason, PingEndpointRequest, PingedEndpoint } from '@svc/contracts';
import { AddressGuard } from '../provider-client/address-guard.service';
import { EndpointOpener } from '../provider-client/endpoint-opener.service';
import { endpointOf } from '../provider-client/endpoint';
import { ProviderClient } from '../provider-client/provider-client.service';
import { UpstreamCall } from '../provider-client/upstream-call';
import { ProbeTrace } from './probe-trace';

const PING_TIMEOUT_MS = 5_000;

const REFUSALS = {
  refused:
    'The endpoint has an address that is not public (private, loopback, link-local or reserved). Every address of the host must be public.',
  unresolved: "The endpoint's host name has no address: DNS does not know it, or did not answer in time.",
} as const;

/** Looks at an endpoint without asking it for anything. */
@Injectable()
export class EndpointProbe {
  constructor(
    private readonly guard: AddressGuard,
    private readonly endpoints: EndpointOpener,
    private readonly client: ProviderClient,
  ) {}

  async check(endpoint: string): Promise<CheckedEndpoint> {
    const target = endpointOf(endpoint);
    if (!target) {
      const reason = 'The endpoint is not an http or https URL, or holds a user name or password.';
      return { permitted: false, reason };
    }
    const verdict = await this.guard.judge(new URL(target.origin).hostname);
    return verdict === 'permitted' ? { permitted: true } : { permitted: false, reason: REFUSALS[verdict] };
  }

  /** @param signal hangs up: nobody wants to know any more */
  ping(request: PingEndpointRequest, signal: AbortSignal): Promise<PingedEndpoint> {
    const startedMs = performance.now();
    const { target, problem } = this.endpoints.open(request);
    if (!target) return Promise.resolve({ alive: false, reason: problem, ms: 0 });
    return new Promise((resolve) => {
      const trace = new ProbeTrace();
      const finish = (reason: FailureReason | undefined) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        const { status } = trace;
        const alive = status !== undefined && status < 500;
        const ms = Math.round(performance.now() - startedMs);
        resolve({ alive, ...(status !== undefined && { status }), ...(!alive && reason && { reason }), ms });
      };
      const call = new UpstreamCall(
        {
          onHead: () => {
            finish(undefined);
            call.leave();
          },
          onFailure: ({ reason }) => finish(reason),
          onData: () => undefined,
          onEnd: () => finish(undefined),
        },
        trace,
      );
      const giveUp = () => {
        call.abort();
        finish('total_timeout');
      };
      const timer = setTimeout(giveUp, PING_TIMEOUT_MS);
      signal.addEventListener('abort', giveUp);
      this.client.listModels(target, call);
    });
  }
}

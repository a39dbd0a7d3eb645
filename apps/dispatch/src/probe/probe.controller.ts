import { Controller } from '@nestjs/common';
import type {
  CheckEndpointRequest,
  CheckedEndpoint,
  PingEndpointRequest,
  PingedEndpoint,
  ProbeCallRequest,
  ProbeObservation,
} from '@svc/contracts';
import { probeContracts } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { CompletionProbe } from './completion-probe.service';
import { EndpointProbe } from './endpoint-probe.service';
import { ProbePlaces } from './probe-places.service';

/** What the catalogue asks of endpoints: it needs nothing of the offers on the market. */
@Controller()
export class ProbeController {
  constructor(
    private readonly places: ProbePlaces,
    private readonly completions: CompletionProbe,
    private readonly endpoints: EndpointProbe,
  ) {}

  @HandleRpc(probeContracts.call, { whilePaused: true })
  call(request: ProbeCallRequest): Promise<ProbeObservation> {
    return this.places.take(
      'call',
      (signal) => this.completions.observe(request, signal),
      ({ outcome, failure }) => failure?.reason ?? outcome,
    );
  }

  @HandleRpc(probeContracts.check, { whilePaused: true })
  check({ endpoint }: CheckEndpointRequest): Promise<CheckedEndpoint> {
    return this.places.take(
      'check',
      () => this.endpoints.check(endpoint),
      ({ permitted }) => (permitted ? 'permitted' : 'refused'),
    );
  }

  @HandleRpc(probeContracts.ping, { whilePaused: true })
  ping(request: PingEndpointRequest): Promise<PingedEndpoint> {
    return this.places.take(
      'ping',
      (signal) => this.endpoints.ping(request, signal),
      ({ alive, reason }) => (alive ? 'alive' : (reason ?? 'dead')),
    );
  }
}

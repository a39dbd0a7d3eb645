import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { probeContracts } from '@svc/contracts';
import type {
  FailureReason,
  PingEndpointRequest,
  PingedEndpoint,
  ProbeCallRequest,
  ProbeObservation,
} from '@svc/contracts';
import { SvcError } from '@svc/errors';
import type { ErrorCode } from '@svc/errors';
import { RpcClient } from '@svc/messaging';
import { SilentProviders } from '../watch/heartbeat/silent-providers';
import { ProbeInterruptedError } from './probe-interrupted.error';
import { failedFor } from './probes/failed-for';
import { OUR_LIMITS, OUR_WANT_OF_ROOM } from './probes/our-own-failures';

/** How much later than the endpoint's answer dispatch's may come. */
const ANSWER_MARGIN_MS = 8_000;
/** What may be gone a moment later: it is asked again before anything is concluded from it. */
const ASKED_AGAIN: ReadonlySet<FailureReason> = new Set([
  'connect_failed',
  'connection_lost',
  'status_429',
  'status_5xx',
]);
const AGAIN_AFTER_MS = [300, 1_200];
const NO_ROOM: ReadonlySet<FailureReason> = new Set(OUR_WANT_OF_ROOM);
const NOT_FOR_US: ReadonlySet<FailureReason> = new Set(OUR_LIMITS);
/** As whoever is not reached at all is silent, or no longer. */
const SILENCE: ReadonlySet<FailureReason> = new Set([
  'connect_failed',
  'connection_lost',
  'first_token_timeout',
  'chunk_timeout',
]);
/** Refusals of the call itself: it would be refused again. */
const FAULTS: ReadonlySet<ErrorCode> = new Set(['invalid_request', 'internal_error']);
const CAPACITY_PAUSES_MS = [250, 500, 1_000, 2_000];

interface CallOptions {
  /** No second try. */
  once: boolean;
  signal: AbortSignal;
}

/** Has dispatch call endpoints, and tells what endpoints do from what befalls ourselves. */
@Injectable()
export class ProbeCaller {
  constructor(
    private readonly rpc: RpcClient,
    private readonly silentProviders: SilentProviders,
  ) {}

  /**
   * One request to the endpoint, and where it met what passes, two more.
   * @throws ProbeInterruptedError when dispatch is away, has no room for it or cannot do it, when nothing came and hardly anything comes from
   *   any other endpoint, or the signal was aborted
   */
  async call(request: ProbeCallRequest, { once, signal }: CallOptions): Promise<ProbeObservation> {
    for (const againAfterMs of once ? [] : AGAIN_AFTER_MS) {
      const observation = await this.callWithRoom(request, signal);
      if (!failedFor(observation, ASKED_AGAIN)) return observation;
      await pause(againAfterMs, signal);
    }
    return once ? this.callOnce(request, signal) : this.callWithRoom(request, signal);
  }

  /**
   * Whether the endpoint answers `GET /models`, as heartbeats will ask.
   * @throws ProbeInterruptedError as above
   */
  async ping(request: PingEndpointRequest, signal: AbortSignal): Promise<PingedEndpoint> {
    const pinged = await this.rpc
      .call(probeContracts.ping, request, { signal })
      .catch((error: unknown) => Promise.reject(interrupted(error)));
    if (!pinged.alive && pinged.status === undefined) this.assertHearing();
    return pinged;
  }

  /** @throws ProbeInterruptedError */
  private assertHearing(): void {
    if (this.silentProviders.areNearlyAllSilent(performance.now()))
      throw new ProbeInterruptedError('cut_off');
  }

  /** Waits a little for dispatch to have room. */
  private async callWithRoom(request: ProbeCallRequest, signal: AbortSignal): Promise<ProbeObservation> {
    for (const pauseMs of CAPACITY_PAUSES_MS) {
      try {
        return await this.callOnce(request, signal);
      } catch (error) {
        if (!(error instanceof ProbeInterruptedError) || error.interruption !== 'no_capacity') throw error;
        await pause(pauseMs, signal);
      }
    }
    return this.callOnce(request, signal);
  }

  private async callOnce(request: ProbeCallRequest, signal: AbortSignal): Promise<ProbeObservation> {
    const observation = await this.askDispatch(request, signal);
    if (failedFor(observation, NO_ROOM)) throw new ProbeInterruptedError('no_capacity');
    if (failedFor(observation, NOT_FOR_US)) throw new ProbeInterruptedError('fault');
    if (failedFor(observation, SILENCE)) this.assertHearing();
    return observation;
  }

  private async askDispatch(request: ProbeCallRequest, signal: AbortSignal): Promise<ProbeObservation> {
    const timeoutMs = request.timeoutMs + ANSWER_MARGIN_MS;
    try {
      return await this.rpc.call(probeContracts.call, request, { timeoutMs, signal });
    } catch (error) {
      throw interrupted(error);
    }
  }
}

function interrupted(error: unknown): ProbeInterruptedError {
  const code = SvcError.is(error) ? error.code : undefined;
  // Too large to be sent.
  const isFault = error instanceof RangeError || (code !== undefined && FAULTS.has(code));
  const interruption = code === 'no_capacity' ? 'no_capacity' : isFault ? 'fault' : 'away';
  return new ProbeInterruptedError(interruption, { cause: error });
}

/** @throws ProbeInterruptedError when the signal is aborted meanwhile */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    throw new ProbeInterruptedError('away', { cause: error });
  }
}

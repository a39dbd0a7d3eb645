import type { ProbeCallRequest, ProbeExchange, ProbeObservation } from '@svc/contracts';
import { publicText } from './exchange-text';
import type { Places } from './places';
import { pause } from './probe-caller.service';
import type { ProbeCaller } from './probe-caller.service';
import { ProbeInterruptedError } from './probe-interrupted.error';
import type { ProbeName } from './probe-names';
import type { Examination, Figures, ProbeTerms, Question } from './probes/probe';
import { whatCame } from './probes/what-came';

/** Exchanges that a probe's report keeps: the first ones, and some more that failed. */
const KEPT = 6;
const KEPT_WITH_FAILED = 10;

/** The offer that is probed. */
export interface ProbedOffer {
  readonly endpoint: Pick<ProbeCallRequest, 'provider' | 'endpoint' | 'upstreamModel' | 'credential'>;
  readonly terms: ProbeTerms;
  /**
   * It serves clients while it is probed: that it is full says nothing against it, and the run is given up.
   */
  readonly mayBeBusy: boolean;
}

export interface ExaminerParts {
  readonly caller: ProbeCaller;
  /** Shared by the probes of a run. */
  readonly places: Places;
  readonly figuresOf: (name: ProbeName) => Figures | undefined;
  readonly signal: AbortSignal;
}

/** Asks for one probe, and keeps what was said. */
export class ProbeExaminer implements Examination {
  readonly exchanges: ProbeExchange[] = [];
  private readonly shown: (text: string) => string;

  constructor(
    private readonly offer: ProbedOffer,
    private readonly parts: ExaminerParts,
  ) {
    this.shown = publicText(offer.endpoint.endpoint);
  }

  get terms(): ProbeTerms {
    return this.offer.terms;
  }

  figuresOf(name: ProbeName): Figures | undefined {
    return this.parts.figuresOf(name);
  }

  pause(ms: number): Promise<void> {
    return pause(ms, this.parts.signal);
  }

  async ask(question: Question): Promise<ProbeObservation> {
    const { caller, places, signal } = this.parts;
    const once = question.once ?? false;
    const call = () => caller.call(this.requestOf(question), { once, signal });
    // What measures capacity must not be held back.
    const observation = await (once ? call() : places.take(call));
    if (this.offer.mayBeBusy && observation.failure?.reason === 'status_429') {
      throw new ProbeInterruptedError('busy');
    }
    this.keep(observation);
    return observation;
  }

  private requestOf({ body, maxTokens, stream, until = 'end' }: Question): ProbeCallRequest {
    const { endpoint, terms } = this.offer;
    const { firstTokenTimeoutMs, chunkTimeoutMs, callTimeoutMs: timeoutMs } = terms;
    const most = Math.min(terms.maxOutputTokens, Math.ceil(terms.contextLimit / 2));
    return {
      ...endpoint,
      body,
      stream,
      until,
      maxTokens: Math.min(maxTokens, most),
      firstTokenTimeoutMs,
      chunkTimeoutMs,
      timeoutMs,
    };
  }

  private keep(observation: ProbeObservation): void {
    const { failure, sent, received, firstTokenMs, totalMs } = observation;
    if (this.exchanges.length >= (failure ? KEPT_WITH_FAILED : KEPT)) return;
    const came = received === '' && failure ? `(${whatCame(observation, this.terms)})` : received;
    this.exchanges.push({
      request: this.shown(sent),
      reply: this.shown(came),
      ...(firstTokenMs !== undefined && { firstTokenMs: Math.round(firstTokenMs) }),
      totalMs: Math.round(totalMs),
    });
  }
}

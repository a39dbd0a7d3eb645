import { RUN_BODY_FIELDS } from '@svc/contracts';
import type { PingedEndpoint, ProbeCallRequest, ProbeExchange, ProbeObservation } from '@svc/contracts';
import type { ProbeName } from '../certification-queue/probe-names';
import { publicText } from './exchange-text';
import type { Places } from './places';
import { pause } from './probe-caller.service';
import type { ProbeCaller } from './probe-caller.service';
import { ProbeInterruptedError } from './probe-interrupted.error';
import type { Draw } from './probes/draw';
import { failedFor } from './probes/failed-for';
import type { Examination, Figures, ProbeTerms, Question } from './probes/probe';
import { roomToThink } from './probes/questions';
import { whatCame } from './probes/what-came';

/** Exchanges that a probe's report keeps: the first ones, and some more that failed. */
const KEPT = 6;
const KEPT_WITH_FAILED = 10;
/** The least that a server writes in a second and is not too slow. */
const SLOWEST_TOKENS_PER_SECOND = 1;

/** The offer that is probed. */
export interface ProbedOffer {
  readonly endpoint: Pick<ProbeCallRequest, 'provider' | 'endpoint' | 'upstreamModel' | 'credential'>;
  readonly terms: ProbeTerms;
}

interface ExaminerParts {
  readonly caller: ProbeCaller;
  /** Shared by the probes of a run. */
  readonly places: Places;
  readonly figuresOf: (name: ProbeName) => Figures | undefined;
  readonly signal: AbortSignal;
  /** What the probe's questions are made of. */
  readonly draw: Draw;
  /** Whether that the endpoint is full says nothing against it, and the probe is done some other time. */
  readonly givesWay: () => boolean;
}

/**
 * How an endpoint has to be asked: for a stream instead of a reply in one piece, which took too long; without `temperature`, which it
 * refused. Figures of the report, so 1 where it is so.
 */
interface Habits {
  streamedInstead?: number;
  withoutTemperature?: number;
}

/** Asks for one probe, and keeps what was said. */
export class ProbeExaminer implements Examination {
  readonly exchanges: ProbeExchange[] = [];
  /** Where the first probe found them out, the others ask so at once. */
  readonly habits: Habits;
  private readonly shown: (text: string) => string;

  constructor(
    private readonly offer: ProbedOffer,
    private readonly parts: ExaminerParts,
  ) {
    this.shown = publicText(offer.endpoint.endpoint, offer.endpoint.upstreamModel);
    const { streamedInstead, withoutTemperature } = parts.figuresOf('plain_text') ?? {};
    this.habits = {
      ...(streamedInstead && { streamedInstead }),
      ...(withoutTemperature && { withoutTemperature }),
    };
  }

  get terms(): ProbeTerms {
    return this.offer.terms;
  }

  get draw(): Draw {
    return this.parts.draw;
  }

  figuresOf(name: ProbeName): Figures | undefined {
    return this.parts.figuresOf(name);
  }

  pause(ms: number): Promise<void> {
    return pause(ms, this.parts.signal);
  }

  ping(): Promise<PingedEndpoint> {
    const { provider, endpoint, credential } = this.offer.endpoint;
    return this.parts.caller.ping(
      { provider, endpoint, ...(credential !== undefined && { credential }) },
      this.parts.signal,
    );
  }

  async ask(question: Question): Promise<ProbeObservation> {
    // Of its own: others that are asked at the same time find out for themselves.
    const way = { ...this.habits };
    let observation = await this.askOnce(question, way);
    if (question.once) return observation;
    if (isRefused(observation) && !way.withoutTemperature && !this.terms.reasoning) {
      observation = await this.askWithoutTemperature(question, way);
    }
    const isLate = failedFor(observation, 'first_token_timeout');
    return isLate && !question.stream && !way.streamedInstead ? this.askStreamed(question, way) : observation;
  }

  /** Strict servers, and models that know one temperature only, refuse the field; no client has to send it. */
  private async askWithoutTemperature(question: Question, way: Habits): Promise<ProbeObservation> {
    way.withoutTemperature = 1;
    const observation = await this.askOnce(question, way);
    if (!isRefused(observation)) this.habits.withoutTemperature = 1;
    return observation;
  }

  /** The first token of a reply in one piece comes with its last: clients of a slow server are served by a stream. */
  private askStreamed(question: Question, way: Habits): Promise<ProbeObservation> {
    this.habits.streamedInstead = 1;
    return this.askOnce(question, { ...way, streamedInstead: 1 });
  }

  private async askOnce(question: Question, way: Habits): Promise<ProbeObservation> {
    const { caller, places, signal } = this.parts;
    const once = question.once ?? false;
    const call = () => caller.call(this.requestOf(question, way), { once, signal });
    // What measures capacity must not be held back.
    const observation = await (once ? call() : places.take(call));
    if (failedFor(observation, 'status_429') && this.parts.givesWay()) {
      throw new ProbeInterruptedError('busy');
    }
    this.keep(observation);
    return observation;
  }

  private requestOf(
    { body, maxTokens, stream, until = 'end', exactly }: Question,
    way: Habits,
  ): ProbeCallRequest {
    const { endpoint, terms } = this.offer;
    const { firstTokenTimeoutMs, chunkTimeoutMs, callTimeoutMs } = terms;
    const most = Math.min(terms.maxOutputTokens, Math.ceil(terms.contextLimit / 2));
    const tokens = Math.min(exactly ? maxTokens : maxTokens + roomToThink(terms), most);
    const writingMs = (tokens * 1_000) / SLOWEST_TOKENS_PER_SECOND;
    return {
      ...endpoint,
      // Models that think first are not to be asked without any chance: some then think for ever.
      body: inOrderOfClients(terms.reasoning || way.withoutTemperature ? body : { ...body, temperature: 0 }),
      stream: stream || way.streamedInstead !== undefined,
      until,
      maxTokens: tokens,
      firstTokenTimeoutMs,
      chunkTimeoutMs,
      timeoutMs: Math.min(callTimeoutMs, firstTokenTimeoutMs + chunkTimeoutMs + writingMs),
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

/** As the gateway writes what clients ask: the order of its fields tells no probe. */
function inOrderOfClients(body: Question['body']): Record<string, unknown> {
  const asked = RUN_BODY_FIELDS.filter((field) => body[field] !== undefined);
  return { ...Object.fromEntries(asked.map((field) => [field, body[field]])), ...body };
}

function isRefused(observation: ProbeObservation): boolean {
  return failedFor(observation, 'request_refused');
}

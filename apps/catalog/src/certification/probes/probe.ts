import type { PingedEndpoint, ProbeObservation } from '@svc/contracts';
import type { ProbeName } from '../../certification-queue/probe-names';
import type { Draw } from './draw';
import type { PassingFault } from './passing-fault';
import { passingFaultOf } from './passing-fault';

/** One completion that a probe asks for. */
export interface Question {
  /** The chat-completions body, without model, stream and max_tokens. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly maxTokens: number;
  readonly stream: boolean;
  /** `end` unless told. */
  readonly until?: 'end' | 'first_token';
  /** No more tokens either for a model that thinks before it answers: their number is what matters. */
  readonly exactly?: boolean;
  /**
   * What the endpoint does now is what is measured: no second try for a request that met a busy server or a lost connection, and
   * none either when the house has no room for the call.
   */
  readonly once?: boolean;
}

/** What the offer says, and what the house allows; times in ms. */
export interface ProbeTerms {
  readonly firstTokenTimeoutMs: number;
  readonly chunkTimeoutMs: number;
  /** The longest that one request may take. */
  readonly callTimeoutMs: number;
  /** Requests at once that the offer says it takes. */
  readonly concurrency: number;
  /** Tokens of input and output together, and of output alone. */
  readonly contextLimit: number;
  readonly maxOutputTokens: number;
  /** The largest argument document that is tried, and how long looking for the largest that holds may take. */
  readonly maxArgumentBytes: number;
  readonly argumentBudgetMs: number;
  /** The model thinks before it answers, and may keep to itself what. */
  readonly reasoning: boolean;
}

/** What was measured, by name; the run's result is made of these. */
export type Figures = Readonly<Record<string, number>>;

export interface Verdict {
  readonly passed: boolean;
  /** For the provider: what was asked and what came; or what is worth knowing though it passed. */
  readonly message?: string;
  readonly figures: Figures;
  /** That more did not hold is because of this, which may be over a while later. */
  readonly passing?: PassingFault;
}

/** What a probe has at hand. */
export interface Examination {
  readonly terms: ProbeTerms;
  /** What the questions are made of: the same when the probe is begun again, another in every run. */
  readonly draw: Draw;
  /** The figures of a probe that was passed before; undefined when it was not. */
  figuresOf(name: ProbeName): Figures | undefined;
  /**
   * Has the endpoint asked; whatever it does is an observation.
   * @throws ProbeInterruptedError when it could not be asked, which is not its fault
   */
  ask(question: Question): Promise<ProbeObservation>;
  /**
   * Whether the endpoint answers `GET /models`.
   * @throws ProbeInterruptedError as above
   */
  ping(): Promise<PingedEndpoint>;
  pause(ms: number): Promise<void>;
}

export interface Probe {
  /** @throws ProbeInterruptedError when nothing can be said of the endpoint now, for reasons of our own */
  run(examination: Examination): Promise<Verdict>;
}

export function passed(figures: Figures = {}, message?: string): Verdict {
  return { passed: true, figures, ...(message !== undefined && { message }) };
}

/** @param cause what came instead, where that is why */
export function failed(message: string, figures: Figures = {}, cause?: ProbeObservation): Verdict {
  const passing = cause && passingFaultOf(cause);
  return { passed: false, message, figures, ...(passing && { passing }) };
}

import { randomBytes } from 'node:crypto';
import { generateApiKey } from '@svc/api-key';
import { Deviation, NotApplicable } from '../deviation';
import type { Exchange, Question } from '../exchange/exchange';
import { isObject } from '../exchange/json-object';
import type { EnvironmentTerms } from '../target/environment-terms';
import type { ModelChoice } from '../target/model-choice';
import type { Props, Target } from '../target/target';
import { OUTPUT_TOKENS } from './spending';
import type { Spending } from './spending';

/** What is generated where nothing hangs on it. */
export const SHORT_TOKENS = 40;
const COMPLETIONS = '/chat/completions';

/** How a completion is asked for, beside its body. */
type Ways = Pick<Question, 'headers' | 'authorization' | 'hangUpAt'>;

/** What one case says to the target and hears of it. */
export class Conversation {
  /** All that was heard, in order: what a report shows of a case that failed. */
  readonly exchanges: Exchange[] = [];

  constructor(
    private readonly target: Target,
    private readonly spending: Spending,
  ) {}

  get environment(): EnvironmentTerms {
    return this.target.terms.environment;
  }

  get models(): ModelChoice {
    return this.target.models;
  }

  get apiKey(): string {
    return this.target.terms.apiKey;
  }

  /** The list of models as the run found it. */
  get modelList(): Exchange {
    return this.heard(this.target.modelList);
  }

  /** A key of the right form that nobody has. */
  unknownKey(prefix = this.environment.keyPrefix): string {
    return generateApiKey(prefix);
  }

  /** A value that no other request has. */
  unique(): string {
    return `conformance-${randomBytes(12).toString('hex')}`;
  }

  /** What was lent to the run. @throws NotApplicable when it was not */
  prop(name: keyof Props, option: string): string {
    const value = this.target.terms.props[name];
    if (value === undefined) throw new NotApplicable(`needs ${option}`);
    return value;
  }

  async send(question: Question): Promise<Exchange> {
    const exchange = await this.target.client.send(question);
    this.spending.note(exchange);
    return this.heard(exchange);
  }

  /** Asks for a completion: a short one by the model at hand, unless the fields say otherwise. */
  ask(fields: object = {}, ways: Ways = {}): Promise<Exchange> {
    return this.send({ ...ways, path: COMPLETIONS, body: this.bodyOf(fields) });
  }

  /** Posts what need not be JSON. */
  post(body: Question['body'], question: Partial<Question> = {}): Promise<Exchange> {
    return this.send({ path: COMPLETIONS, body, ...question });
  }

  /** As `ask`; the reply must be a completion's. @throws Deviation when it was refused */
  async serve(fields: object = {}, ways: Ways = {}): Promise<Exchange> {
    const exchange = await this.ask(fields, ways);
    if (exchange.status === 200) return exchange;
    throw new Deviation(`expected to be served, got ${exchange.status} ${codeOf(exchange)}`);
  }

  /** A reply that several cases look at. */
  async specimen(name: string, fields: () => object): Promise<Exchange> {
    return this.heard(await this.target.specimens.of(name, () => this.serve(fields())));
  }

  /** A plain reply. */
  plain(): Promise<Exchange> {
    return this.specimen('plain', () => ({}));
  }

  /** A plain reply of the routing model. @throws NotApplicable without one */
  routed(): Promise<Exchange> {
    return this.specimen('routed', () => ({ model: this.models.routing.id }));
  }

  /** A stream. */
  stream(): Promise<Exchange> {
    return this.specimen('stream', () => ({ stream: true }));
  }

  /** A stream whose usage was asked for. */
  streamWithUsage(): Promise<Exchange> {
    return this.specimen('stream with usage', () => ({
      stream: true,
      stream_options: { include_usage: true },
    }));
  }

  bodyOf(fields: object): object {
    const model = 'model' in fields ? undefined : this.models.chat.id;
    return {
      model,
      messages: [{ role: 'user', content: 'Write two sentences about rivers.' }],
      ...('max_completion_tokens' in fields
        ? {}
        : { max_tokens: 'tools' in fields || 'response_format' in fields ? OUTPUT_TOKENS : SHORT_TOKENS }),
      ...fields,
    };
  }

  private heard(exchange: Exchange): Exchange {
    if (!this.exchanges.includes(exchange)) this.exchanges.push(exchange);
    return exchange;
  }
}

/** The error's code, for words about it. */
function codeOf(exchange: Exchange): string {
  try {
    const body = exchange.json();
    return isObject(body) && isObject(body.error) ? String(body.error.code) : '(no error)';
  } catch {
    return '(no JSON)';
  }
}

import { Deviation } from '../deviation';
import type { Exchange } from '../exchange/exchange';
import { HttpClient } from '../exchange/http-client';
import { isObject } from '../exchange/json-object';
import type { EnvironmentTerms } from './environment-terms';
import { readModels } from './listed-model';
import type { ListedModel } from './listed-model';
import { ModelChoice } from './model-choice';
import { baseUnitsOf } from './price';
import { Specimens } from './specimens';

/** What whoever runs the suite may lend it, so that more can be tried. Each is optional. */
export interface Props {
  /** Of an account without money. */
  poorKey?: string;
  suspendedKey?: string;
  revokedKey?: string;
  /** A listed model whose providers all answer with what must not be delivered. */
  invalidOutputModel?: string;
}

/** Whom the suite asks, and as whom. */
export interface TargetTerms {
  baseUrl: URL;
  apiKey: string;
  environment: EnvironmentTerms;
  /** The model to ask where any would do. */
  model?: string;
  props: Props;
}

/** A service under test: how to speak to it, and what it says it has. */
export class Target {
  readonly specimens = new Specimens();

  private constructor(
    readonly terms: TargetTerms,
    readonly client: HttpClient,
    readonly models: ModelChoice,
    readonly modelList: Exchange,
  ) {}

  /**
   * Asks for the models once; cases look at what came.
   * @throws Deviation when nobody answers, there is no list of models, or the key is refused: every case would say only that
   */
  static async meet(terms: TargetTerms): Promise<Target> {
    const client = new HttpClient(terms.baseUrl, terms.apiKey);
    const list = await client.send({ path: '/models', authorization: null });
    const models = new ModelChoice(modelsIn(list), terms.model);
    mustTakeKey(await client.send({ path: '/chat/completions', body: {} }));
    return new Target(terms, client, models, list);
  }

  /** What the key says that it may spend now, base units; undefined where the service has no `GET /v1/key`. */
  async spendable(): Promise<bigint | undefined> {
    const exchange = await this.client.send({ path: '/key' });
    try {
      const card = exchange.json();
      return isObject(card) ? baseUnitsOf(String(card.spendable_usdc)) : undefined;
    } catch {
      return undefined;
    }
  }

  leave(): void {
    this.client.close();
  }
}

function modelsIn(list: Exchange): ListedModel[] {
  try {
    if (list.status === 200) return readModels(list.json());
  } catch {
    // Told below, with whom was asked.
  }
  throw new Deviation(
    `GET ${list.question.url} is answered with ${list.status} and no list of models: --url is the base URL, with its /v1`,
  );
}

/** Holds what is told of a request that asks for nothing against the key: that is checked first. */
function mustTakeKey({ status, text, question }: Exchange): void {
  if (status !== 401 && status !== 403) return;
  throw new Deviation(`POST ${question.url} refuses --key with ${status}: ${text.slice(0, 500)}`);
}

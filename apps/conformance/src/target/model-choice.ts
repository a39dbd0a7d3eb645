import { NotApplicable } from '../deviation';
import type { ListedModel } from './listed-model';

/** Which of the listed models stands for what. Without one that fits, the case that asks is skipped. */
export class ModelChoice {
  private readonly served: ListedModel[];

  /** @param preferred taken wherever it fits */
  constructor(
    readonly all: readonly ListedModel[],
    private readonly preferred?: string,
  ) {
    const isChat = ({ workload, prices, candidates }: ListedModel) =>
      workload === 'chat' && prices !== undefined && candidates === undefined;
    this.served = all.filter(isChat).sort((one, other) => rankOf(one) - rankOf(other));
    const first = this.served.findIndex(({ id }) => id === preferred);
    if (first > 0) this.served.unshift(...this.served.splice(first, 1));
  }

  get chat(): ListedModel {
    const [model] = this.served;
    if (model && (this.preferred === undefined || model.id === this.preferred)) return model;
    throw new NotApplicable(
      this.preferred === undefined
        ? 'no chat model with a price is listed'
        : `${this.preferred} is not listed as a chat model with a price`,
    );
  }

  get tools(): ListedModel {
    return this.firstServed((model) => model.tools, 'no served model has tools');
  }

  /** @param choice a way to choose tools that its contract accepts; in production any */
  toolsWith(choice: string): ListedModel {
    return this.firstServed(
      (model) => model.tools && (model.contract?.choices.includes(choice) ?? true),
      `no served model accepts tool_choice "${choice}"`,
    );
  }

  get structured(): ListedModel {
    return this.firstServed((model) => model.structuredOutputs, 'no served model has structured outputs');
  }

  get withoutTools(): ListedModel {
    return this.firstServed((model) => !model.tools, 'every served model has tools');
  }

  get withoutStructuredOutputs(): ListedModel {
    return this.firstServed((model) => !model.structuredOutputs, 'every served model has structured outputs');
  }

  get withoutReasoning(): ListedModel {
    return this.firstServed((model) => !model.reasoning, 'every served model reasons');
  }

  /** A served model whose tool contract leaves something out. */
  toolsBeyond(isBeyond: (model: ListedModel) => boolean, what: string): ListedModel {
    return this.firstServed(
      (model) => model.contract !== undefined && isBeyond(model),
      `every served model's tool contract includes ${what}`,
    );
  }

  get embedding(): ListedModel {
    return firstOf(this.all, ({ workload }) => workload === 'embedding', 'no embedding model is listed');
  }

  get routing(): ListedModel {
    const isRouting = ({ candidates, prices }: ListedModel) => candidates !== undefined && !!prices;
    return firstOf(this.all, isRouting, 'no routing model with a price is listed');
  }

  /** Chat models that no provider serves now, at least one. */
  get unserved(): [ListedModel, ...ListedModel[]] {
    const [first, ...rest] = this.all.filter(
      ({ workload, prices, candidates }) =>
        workload === 'chat' && prices === undefined && candidates === undefined,
    );
    if (first) return [first, ...rest];
    throw new NotApplicable('every listed model is served');
  }

  /** Every model that a case may be served by, the routing model aside. */
  get askable(): ListedModel[] {
    const firstWith = (fits: (model: ListedModel) => boolean) => this.served.filter(fits).slice(0, 1);
    return [
      this.chat,
      ...firstWith(({ tools }) => tools),
      ...firstWith(({ structuredOutputs }) => structuredOutputs),
      ...['auto', 'none', 'required', 'function'].flatMap((choice) =>
        firstWith(({ tools, contract }) => tools && (contract?.choices.includes(choice) ?? true)),
      ),
    ];
  }

  private firstServed(fits: (model: ListedModel) => boolean, otherwise: string): ListedModel {
    return firstOf(this.served, fits, otherwise);
  }
}

/** The most capable first, among these the cheapest. */
function rankOf({ tools, structuredOutputs, prices }: ListedModel): number {
  const missing = (tools ? 0 : 1) + (structuredOutputs ? 0 : 1);
  return missing * 1e15 + Number((prices?.input ?? 0n) * 3n + (prices?.output ?? 0n));
}

function firstOf(
  models: readonly ListedModel[],
  fits: (model: ListedModel) => boolean,
  otherwise: string,
): ListedModel {
  const found = models.find(fits);
  if (found) return found;
  throw new NotApplicable(otherwise);
}

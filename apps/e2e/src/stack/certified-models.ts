import { catalogContracts } from '@svc/contracts';
import type { RpcClient } from '@svc/messaging';
import type { SupplyDomain } from '@svc/supply-messages';
import { eventually } from '@svc/testing';
import { Doorway } from './doorway';
import { Supplier } from './supplier';

/** Beyond what an offer says, so that no probe is ever told 429. */
const SPARE_PLACES = 4;
/** Of offers whose timers are not what is tested: the servers behind them are in the test's process, which may stand still for a while. */
const PATIENT_MS = 10_000;

/** Models that a test defines as an operator, and has offered as providers. */
export class CertifiedModels {
  private readonly doorways: Doorway[] = [];

  constructor(
    private readonly gateway: string,
    private readonly domain: SupplyDomain,
    private readonly rpc: RpcClient,
  ) {}

  async close(): Promise<void> {
    await Promise.all(this.doorways.map((doorway) => doorway.close()));
  }

  /**
   * Has a model served by the given endpoints, the first at the lowest price: see {@link certify}.
   * @returns the model's id
   */
  async offer(name: string, endpoints: string[], limits: OfferLimits = {}): Promise<string> {
    const offered = await this.certify(name, endpoints.length, limits);
    await offered.leadTo(endpoints);
    return offered.model;
  }

  /**
   * Defines a model, and has as many providers offer it, the first at the lowest price, each certified with an honest server behind
   * its endpoint. Ready when the gateway lists it with a price.
   * @param name the model's name; its id becomes `svc/<name>@1`
   * @param limits the first's
   * @param otherLimits the others': the same unless told
   */
  async certify(
    name: string,
    providers: number,
    limits: OfferLimits = {},
    otherLimits = limits,
  ): Promise<CertifiedModel> {
    const model = await this.define(name);
    const concurrency = limits.concurrency ?? 4;
    const doorways = await Promise.all(
      Array.from({ length: providers }, () => Doorway.open(concurrency + SPARE_PLACES)),
    );
    this.doorways.push(...doorways);
    await Promise.all(
      doorways.map(async ({ url }, index) => {
        const supplier = new Supplier(this.gateway, this.domain);
        const { firstTokenTimeoutMs, chunkTimeoutMs } = index === 0 ? limits : otherLimits;
        const accepted = await supplier.register({ name: 'End-to-end provider' });
        if (accepted.status >= 300) throw new Error(`not registered: ${JSON.stringify(accepted.body)}`);
        const terms = supplier.offerOf(name, url, {
          inputPricePerMtok: String(100_000 * (index + 1)),
          // Dearer than the demo's: the portal suggests the cheapest, which must outlive this test.
          outputPricePerMtok: String(410_000 * (index + 1)),
          concurrency,
          firstTokenTimeoutMs: firstTokenTimeoutMs ?? PATIENT_MS,
          chunkTimeoutMs: chunkTimeoutMs ?? PATIENT_MS,
        });
        const submitted = await supplier.offer(terms);
        if (submitted.status >= 300) throw new Error(`not taken: ${JSON.stringify(submitted.body)}`);
        await untilLive(supplier, name);
      }),
    );
    await eventually(() => this.isListed(model));
    return {
      model,
      leadTo: async (endpoints) => {
        await Promise.all(doorways.map((doorway, index) => doorway.leadTo(endpoints[index])));
      },
    };
  }

  /**
   * Defines a model that nobody serves yet, with a build `<name>-bundle` and a profile `<name>-profile`.
   * @returns its id, `svc/<name>@1`
   */
  async define(name: string): Promise<string> {
    const model = `svc/${name}@1`;
    await this.rpc.call(catalogContracts.applyCatalogue, {
      models: [
        {
          id: model,
          ownedBy: 'e2e',
          contextLimit: 32_768,
          capabilities: {
            workload: 'chat',
            tools: true,
            structuredOutputs: true,
            reasoning: false,
            streaming: true,
            maxOutputTokens: 8_192,
          },
        },
      ],
      bundles: [
        { id: `${name}-bundle`, model, weightsDigest: 'sha256:0', quantisation: 'none', engine: 'test' },
      ],
      profiles: [{ id: `${name}-profile`, hardwareClass: 'cpu', contextLimit: 32_768, speedTier: 'test' }],
    });
    return model;
  }

  private async isListed(model: string): Promise<boolean> {
    const response = await fetch(`${this.gateway}/v1/models/${encodeURIComponent(model)}`);
    const card = (await response.json()) as { svc?: { pricing?: object } };
    return card.svc?.pricing !== undefined;
  }
}

/** What an offer says beside what all of them have in common. */
export interface OfferLimits {
  firstTokenTimeoutMs?: number;
  chunkTimeoutMs?: number;
  concurrency?: number;
}

export interface CertifiedModel {
  model: string;
  /** From now on the endpoints are these servers', in the order of their prices; those beyond are nobody's. */
  leadTo(endpoints: readonly string[]): Promise<void>;
}

/** Waits until the offer serves. @throws Error when it is refused, with the reason */
async function untilLive(supplier: Supplier, name: string): Promise<void> {
  const { state, reason } = await supplier.judged(name);
  if (state !== 'live') throw new Error(`${name} is ${state}: ${reason?.code}: ${reason?.message}`);
}

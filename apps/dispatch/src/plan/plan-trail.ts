import type { RouteStep, RunAttempt, StartRunRequest } from '@svc/contracts';
import type { ProviderFailure } from '../provider-client/provider-failure';

type Became = 'served' | 'stopped' | ProviderFailure;

/** What has become of the attempts of one plan. */
export class PlanTrail {
  /** Offers that were asked. */
  asked = 0;
  /** Once something was delivered nobody else is asked: what the reply broke off with. */
  lastFailure: ProviderFailure | undefined;
  private readonly became = new Map<RunAttempt, Became>();

  /** Who had failed when an offer was asked, by offer. */
  private readonly failedBefore = new Map<RunAttempt, ReadonlySet<RunAttempt>>();

  constructor(private readonly request: StartRunRequest) {}

  /** It is asked now. */
  noteCall(planned: RunAttempt): void {
    this.asked++;
    if (this.became.size > 0) this.failedBefore.set(planned, new Set(this.failed.map(([other]) => other)));
  }

  /** The last word counts: an offer that was busy may be asked later. */
  note(planned: RunAttempt, became: Became): void {
    this.became.set(planned, became);
    if (typeof became === 'object') this.lastFailure = became;
  }

  /** As `note`, of one that has lost a race: the client hears another. */
  noteLoser(planned: RunAttempt, became: Exclude<Became, 'served'>): void {
    this.became.set(planned, became);
  }

  /** Those that were not asked because they were busy, in the plan's order. */
  get busy(): RunAttempt[] {
    return this.failed.filter(([, { kind }]) => kind === 'busy').map(([planned]) => planned);
  }

  /** Those that failed, and how; the busy ones too. */
  get failed(): [RunAttempt, ProviderFailure][] {
    return this.request.attempts.flatMap((planned) => {
      const became = this.became.get(planned);
      return typeof became === 'object' ? [[planned, became] as [RunAttempt, ProviderFailure]] : [];
    });
  }

  /** In the plan's order, then what the plan passed over: kept with the usage record. */
  get route(): RouteStep[] {
    const steps = this.request.attempts.map((planned) => {
      const became = this.became.get(planned) ?? 'not_tried';
      return stepOf(planned, typeof became === 'object' ? became.reason : became);
    });
    const passedOver = (this.request.passedOver ?? []).map((offer) => stepOf(offer, 'passed_over'));
    return [...steps, ...passedOver];
  }

  /**
   * Why a request to the routing model was served by this one (spec section 2.2, `served.reason`): `available`;
   * `failover:<n>` after n other models failed, at this request or so often of late that they were not asked; `managed:<why>`.
   */
  reasonFor(serving: RunAttempt): string {
    if (serving.mapping !== undefined) return `managed:${this.whyManaged()}`;
    const { attempts } = this.request;
    const failedModels = new Set<string>();
    for (const [planned, failure] of this.failed) {
      // Who stands behind it, and was tried after it or beside it, is not why it served.
      const wasFirst = attempts.indexOf(planned) < attempts.indexOf(serving);
      const isReason = wasFirst || this.failedBefore.get(serving)?.has(planned);
      if (isReason && hasFailed(failure)) failedModels.add(planned.model);
    }
    failedModels.delete(serving.model);
    return failedModels.size === 0 ? 'available' : `failover:${failedModels.size}`;
  }

  private whyManaged(): string {
    const providers = this.request.attempts.filter(({ mapping }) => mapping === undefined);
    if (providers.length === 0) return 'no_provider';
    const busy = new Set(this.busy);
    return providers.every((planned) => busy.has(planned)) ? 'providers_busy' : 'providers_failed';
  }
}

/** An offer that is full, or left the market after the plan was made, has failed nobody. */
function hasFailed({ kind, reason }: ProviderFailure): boolean {
  return kind !== 'busy' && reason !== 'offer_gone';
}

function stepOf({ offerId, why }: { offerId: string; why: string }, outcome: string): RouteStep {
  return { offerId, why, outcome };
}

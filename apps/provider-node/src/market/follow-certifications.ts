import { setTimeout as pause } from 'node:timers/promises';
import { isBeingCertified } from './certification-standing';
import { isPassing } from './market-client';
import type { CertificationReply, OfferReply, ProbeReply } from './market-replies';
import type { ProviderSession } from './provider-session';

/** Often enough for people, seldom enough for the market's limits. */
const POLL_MS = 1_000;
/** What the standing does not say: that a probe is put off. */
const REPORT_POLLS = 5;
/** What is certified goes on without us: a market that restarts meanwhile is waited for. */
const PATIENCE_MS = 120_000;

/** An offer whose certification is followed. */
export interface Followed {
  name: string;
  offerId: string;
  /** The version that was submitted. */
  version: number;
}

/**
 * How a followed offer ended: `live` with the followed version, `refused` by a probe, or `stopped`: withdrawn, suspended, signed anew, or
 * not known to the market any more.
 */
export interface Outcome {
  followed: Followed;
  result: 'live' | 'refused' | 'stopped';
  /** Undefined where the market does not know it. */
  offer?: OfferReply;
  report?: CertificationReply;
}

/**
 * Follows offers until each is live or is not going to be. A market that does not answer for a while is asked again.
 * @param onProbe is told of each probe that ended, once, and of one that is put off when its reason is new
 * @throws CommandError as MarketClient does
 */
export async function followCertifications(
  session: ProviderSession,
  offers: readonly Followed[],
  onProbe: (followed: Followed, probe: ProbeReply, progress: { done: number; total: number }) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const news = new Map(offers.map(({ offerId }) => [offerId, new ProbeNews()]));
  let polls = 0;
  const isOpen = ({ offerId }: Followed) => !outcomes.some(({ followed }) => followed.offerId === offerId);
  const poll = async () => {
    const isReportDue = polls++ % REPORT_POLLS === 0;
    const standings = new Map((await session.status())?.offers.map((offer) => [offer.offer_id, offer]));
    for (const followed of offers.filter(isOpen)) {
      const offer = standings.get(followed.offerId);
      if (!offer) {
        outcomes.push({ followed, result: 'stopped' });
        continue;
      }
      const told = news.get(followed.offerId) ?? new ProbeNews();
      const report = await newReport(session, offer, { told: told.ended, isDue: isReportDue });
      // A version that is live at once has nothing probed: the report is of the one that was certified.
      const isOfVersion = report?.version === followed.version;
      for (const probe of isOfVersion ? report.probes : []) {
        if (told.take(probe))
          onProbe(followed, probe, { done: told.ended, total: report?.total ?? told.ended });
      }
      const result = resultOf(followed, offer);
      if (result) outcomes.push({ followed, result, offer, report });
    }
  };
  for (let answeredAtMs = performance.now(); ;) {
    try {
      await poll();
      answeredAtMs = performance.now();
    } catch (error) {
      if (!isPassing(error) || performance.now() > answeredAtMs + PATIENCE_MS) throw error;
    }
    if (!offers.some(isOpen)) return outcomes;
    await pause(POLL_MS);
  }
}

/** The report, where it says more than was told, or may; at the end in any case. */
async function newReport(
  { market }: ProviderSession,
  { certification }: OfferReply,
  { told, isDue }: { told: number; isDue: boolean },
): Promise<CertificationReply | undefined> {
  if (certification?.kind !== 'full') return undefined;
  const isOpen = certification.status === 'queued' || certification.status === 'running';
  if (isOpen && !isDue && certification.done <= told) return undefined;
  return market.certification(certification.certification_id);
}

/** What was told of one certification's probes. */
class ProbeNews {
  private readonly over = new Set<string>();
  private readonly reasons = new Map<string, string>();

  get ended(): number {
    return this.over.size;
  }

  /** Whether there is something to tell: an end, or why it is put off; once. */
  take({ name, status, message }: ProbeReply): boolean {
    if (this.over.has(name) || status === 'running') return false;
    if (status !== 'pending') {
      this.over.add(name);
      return true;
    }
    if (!message || this.reasons.get(name) === message) return false;
    this.reasons.set(name, message);
    return true;
  }
}

function resultOf({ version }: Followed, offer: OfferReply): Outcome['result'] | undefined {
  const { state, certification } = offer;
  if (offer.version !== version) return 'stopped';
  if (state === 'live' && offer.live_version === version) return 'live';
  if (state === 'refused') return 'refused';
  if (certification?.kind === 'full' && certification.status === 'refused') return 'refused';
  return state === 'certifying' || isBeingCertified(offer) ? undefined : 'stopped';
}

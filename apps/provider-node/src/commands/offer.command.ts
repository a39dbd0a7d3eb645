import { misuse } from '../command-line/command-error';
import type { CommandError } from '../command-line/command-error';
import { isBeingCertified, isCertificationOver } from '../market/certification-standing';
import { followCertifications } from '../market/follow-certifications';
import type { Followed, Outcome } from '../market/follow-certifications';
import { isRefusal } from '../market/market-client';
import type { OfferReply } from '../market/market-replies';
import { OfferRecord } from '../market/offer-record';
import { isUnchanged, submitOffer } from '../market/submit-offer';
import { offerNames, wantedOffer } from '../provider-file/offer-terms';
import type { WantedOffer } from '../provider-file/offer-terms';
import { describeOutcome, describeProbe } from './certification-words';
import { providerContext } from './command-context';
import type { CommandContext, ProviderContext } from './command-context';
import { registerAs } from './register.command';
import { isOffered, withdrawOffer } from './withdraw.command';

/** Offers what the file says, as far as the market does not have it so, and follows the certifications. */
export async function offer(context: CommandContext): Promise<number> {
  const provider = await providerContext(context);
  const { terminal, session } = provider;
  const wanted = chosenOffers(provider);
  let status = await session.status();
  if (!status) {
    await registerAs(provider);
    terminal.say(`registered as "${provider.file.content.provider.name}": ${session.provider}`);
    status = await session.status();
  }
  const standing = new Map(status?.offers.map((known) => [known.offer_id, known]));
  const others = notInFile(provider, standing);
  if (context.line.exact) await withdrawOthers(provider, others);
  const { offers, refused } = await submitChanged(provider, wanted, standing);
  // What is certified, or judged, and unchanged has nothing to wait for.
  const followed = offers.filter(({ isSubmitted, isAwaited }) => isSubmitted || isAwaited);
  const outcomes = context.line.wait && followed.length > 0 ? await follow(provider, followed) : [];
  report(provider, { offers, refused, outcomes });
  if (!context.line.exact) nameOthers(provider, others);
  return refused.length > 0 || outcomes.some(({ result }) => result !== 'live') ? 1 : 0;
}

function chosenOffers({ file, session, line }: ProviderContext): WantedOffer[] {
  const all = file.content.offers.map((section, index) =>
    wantedOffer(session.provider, section, `offers[${index}]`),
  );
  const twins = all.find(
    ({ offerId }, index) => all.findIndex((other) => other.offerId === offerId) !== index,
  );
  if (twins) {
    throw file.refusal(
      twins.path,
      'another offer has the same bundle and profile: to the market they are one',
    );
  }
  for (const name of line.names) {
    if (!all.some((wanted) => wanted.name === name)) throw misuse(`the file has no offer ${name}`);
  }
  return line.names.length === 0 ? all : all.filter(({ name }) => line.names.includes(name));
}

/** What is on offer and the file does not say any more, such as a build that another took the place of. */
function notInFile(
  { file, session }: ProviderContext,
  standing: ReadonlyMap<string, OfferReply>,
): OfferReply[] {
  const names = offerNames(session.provider, file.content.offers);
  return [...standing.values()].filter((known) => !names.has(known.offer_id) && isOffered(known));
}

async function withdrawOthers(
  { session, terminal }: ProviderContext,
  others: readonly OfferReply[],
): Promise<void> {
  for (const known of others) {
    await withdrawOffer(session, known.offer_id);
    terminal.say(`${known.offer_id} (${known.model}): withdrawn`);
  }
}

/** They sell on by their last terms, which may be another model than the server now runs. */
function nameOthers({ terminal }: ProviderContext, others: readonly OfferReply[]): void {
  for (const { offer_id, model, state } of others) {
    if (state === 'refused' || state === 'expired') continue;
    terminal.say(
      `${offer_id} (${model}) is not in the file and still on offer, ${state}: "svc-provider withdraw ${offer_id}" takes it off`,
    );
  }
}

/** An offer as the market has it now. */
interface Offered extends Followed {
  isSubmitted: boolean;
  /** It goes back, or on, the market when the certification under way passes. */
  isAwaited: boolean;
  state: OfferReply['state'];
}

/** An offer that the market does not take as the file says it. */
interface Refused {
  name: string;
  offerId: string;
  refusal: CommandError;
}

/** One that is refused holds up no other; alone, it ends the command. */
async function submitChanged(
  { file, session, terminal }: ProviderContext,
  wanted: readonly WantedOffer[],
  standing: ReadonlyMap<string, OfferReply>,
): Promise<{ offers: Offered[]; refused: Refused[] }> {
  const { chainId, verifyingContract } = session.terms.domain;
  const record = new OfferRecord(file.path, `${chainId}:${verifyingContract.toLowerCase()}`);
  const offers: Offered[] = [];
  const refused: Refused[] = [];
  for (const offer of wanted) {
    const { name, offerId } = offer;
    const known = standing.get(offerId);
    const isSubmitted = !known || !isUnchanged(session, offer, known, record);
    let now: OfferReply;
    try {
      now = isSubmitted ? await submitOffer(session, file, record, offer, known) : known;
    } catch (refusal) {
      if (wanted.length === 1 || !isRefusal(refusal)) throw refusal;
      terminal.say(`${name}: ${refusal.message}`);
      refused.push({ name, offerId, refusal });
      continue;
    }
    const reason = now.reason ? ` (${now.reason.code}: ${now.reason.message})` : '';
    terminal.say(
      `${name}: ${isSubmitted ? `version ${now.version} submitted` : 'unchanged'}, ${now.state}${reason}`,
    );
    const isAwaited = now.state === 'certifying' || (isCertificationOver(now) && isBeingCertified(now));
    offers.push({ name, offerId, version: now.version, isSubmitted, isAwaited, state: now.state });
  }
  return { offers, refused };
}

function follow({ session, terminal }: ProviderContext, followed: readonly Followed[]): Promise<Outcome[]> {
  return followCertifications(session, followed, ({ name }, probe, { done, total }) => {
    // After a failure that decides, the rest is skipped; the outcome says so.
    if (probe.status === 'skipped' && probe.message?.startsWith('not run')) return;
    terminal.say(`${name}: ${describeProbe(probe)}  (${done}/${total})`);
  });
}

function report(
  { terminal, session: { market } }: ProviderContext,
  { offers, refused, outcomes }: { offers: Offered[]; refused: Refused[]; outcomes: Outcome[] },
): void {
  for (const outcome of outcomes) {
    const id = outcome.offer?.certification?.certification_id ?? outcome.offer?.certification_id;
    terminal.say(describeOutcome(outcome, id ? market.reportUrl(id) : undefined));
  }
  const documents = offers.map(({ name, offerId, version, isSubmitted, state }) => {
    const outcome = outcomes.find(({ followed }) => followed.offerId === offerId);
    return {
      name,
      offer_id: offerId,
      version,
      submitted: isSubmitted,
      state: outcome?.offer?.state ?? state,
      ...(outcome && { result: outcome.result, reason: outcome.offer?.reason }),
      ...(outcome?.offer?.certification && {
        certification_id: outcome.offer.certification.certification_id,
        refusal: outcome.offer.certification.refusal,
      }),
    };
  });
  const refusals = refused.map(({ name, offerId, refusal: { message, details } }) => ({
    name,
    offer_id: offerId,
    submitted: false,
    error: { message, ...details },
  }));
  terminal.result({ offers: [...documents, ...refusals] });
}

import { offerBodyOf } from '@svc/supply-messages';
import type { WantedOffer } from '../provider-file/offer-terms';
import { digestOfOffer, digestOfToken, fieldOf } from '../provider-file/offer-terms';
import type { ProviderFile } from '../provider-file/provider-file';
import { isBeingCertified, isCertificationOver } from './certification-standing';
import { inTermsOfFile } from './in-terms-of-file';
import type { OfferReply } from './market-replies';
import type { OfferRecord } from './offer-record';
import type { ProviderSession } from './provider-session';

/**
 * Signs an offer and sends it.
 * @param standing the offer as the market has it
 * @throws CommandError what the market says against it, with the place in the file
 */
export async function submitOffer(
  session: ProviderSession,
  file: ProviderFile,
  record: OfferRecord,
  offer: WantedOffer,
  standing: OfferReply | undefined,
): Promise<OfferReply> {
  const { terms, bundleDefinition: bundle, profileDefinition: profile } = offer;
  const credential = credentialToSend(offer, record, standing);
  const expiresAt = offer.expiresAt ?? nowSeconds() + validSeconds(session, offer);
  const unsigned = {
    ...offerBodyOf({ ...terms, expiresAt }),
    ...(bundle && {
      bundle_definition: {
        weights_digest: bundle.weightsDigest,
        quantisation: bundle.quantisation,
        engine: bundle.engine,
      },
    }),
    ...(profile && {
      profile_definition: {
        hardware_class: profile.hardwareClass,
        context_limit: profile.contextLimit,
        speed_tier: profile.speedTier,
      },
    }),
    ...(credential !== undefined && { credential }),
  };
  const reply = await inTermsOfFile(
    file,
    (param) => fieldOf(param, offer),
    () =>
      session.act('Offer', { ...terms, expiresAt }, (signed) =>
        session.market.submitOffer({ ...unsigned, ...signed }),
      ),
  );
  record.keep(offer.offerId, {
    version: reply.version,
    digest: digestOfOffer(offer),
    token: digestOfToken(offer),
  });
  return reply;
}

/**
 * The market keeps a token that is not repeated. One that is sent counts as changed and is certified anew, so that no price would change at
 * once; to an offer that is not live it is sent all the same: the market may not be able to use what it has.
 * @returns empty takes away what the market has; undefined leaves it
 */
function credentialToSend(
  offer: WantedOffer,
  record: OfferRecord,
  standing: OfferReply | undefined,
): string | undefined {
  if (!standing) return offer.token;
  const submitted = record.of(offer.offerId);
  const isKnown = submitted?.version === standing.version && submitted.token === digestOfToken(offer);
  return isKnown && standing.state === 'live' ? undefined : (offer.token ?? '');
}

/**
 * Whether the market has this offer as the file says it. What was refused is offered again: its server may have been mended;
 * what ends soon is signed anew. So is what is not certified any more: a new version is certified at once, while the market's own
 * renewal is still to come, or has failed.
 */
export function isUnchanged(
  session: ProviderSession,
  offer: WantedOffer,
  standing: OfferReply | undefined,
  record: OfferRecord,
): boolean {
  const submitted = record.of(offer.offerId);
  if (!standing || !submitted) return false;
  if (submitted.version !== standing.version || submitted.digest !== digestOfOffer(offer)) return false;
  if (!['live', 'certifying', 'suspended'].includes(standing.state)) return false;
  if (isCertificationOver(standing) && !isBeingCertified(standing)) return false;
  if (standing.certification?.kind === 'full' && standing.certification.status === 'refused') return false;
  const leftSeconds = new Date(standing.expires_at).getTime() / 1_000 - nowSeconds();
  return offer.expiresAt !== undefined || leftSeconds > validSeconds(session, offer) / 3;
}

/** As long as the file says, within the market's own limit, a minute short of it: its clock may be behind. */
function validSeconds({ terms }: ProviderSession, offer: WantedOffer): number {
  return Math.min(offer.validSeconds, terms.limits.max_offer_seconds - 60);
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

import { Inject, Injectable } from '@nestjs/common';
import { catalogContracts } from '@svc/contracts';
import type { SubmitOfferRequest } from '@svc/contracts';
import { CredentialSealer } from '@svc/credential-seal';
import { GatewayConfig } from '../../gateway.config';
import { ServiceClient } from '../../messaging/service-client';
import { signedPart } from '../supply-fields';
import { offerCard } from './offer-card';
import type { OfferStatusReply } from './offer-status.dto';
import type { OfferSubmission, OfferWithdrawal } from './offer-submission.dto';

/** A definition's id is no field of its own here: it is what the offer names. */
const IDS_OF_DEFINITIONS = { 'bundleDefinition.id': 'bundle', 'profileDefinition.id': 'profile' };

/** Offers at the edge: a credential is sealed here, and clear text goes no further. */
@Injectable()
export class OffersService {
  private readonly sealer: CredentialSealer;

  constructor(
    private readonly catalog: ServiceClient,
    @Inject(GatewayConfig) { credentialPublicKey }: GatewayConfig,
  ) {
    this.sealer = new CredentialSealer(credentialPublicKey);
  }

  /** @throws SvcError what the catalogue refuses the offer with */
  async submit(submission: OfferSubmission, requestId: string): Promise<OfferStatusReply> {
    const request = this.requestOf(submission);
    return offerCard(
      await this.catalog.call(catalogContracts.submitOffer, request, requestId, IDS_OF_DEFINITIONS),
    );
  }

  /** @throws SvcError as `submit` */
  async withdraw(offerId: string, body: OfferWithdrawal, requestId: string): Promise<OfferStatusReply> {
    const request = { ...signedPart(body), offerId };
    const names = { offerId: 'id' };
    return offerCard(await this.catalog.call(catalogContracts.withdrawOffer, request, requestId, names));
  }

  private requestOf(offer: OfferSubmission): SubmitOfferRequest {
    const signed = signedPart(offer);
    const { model, bundle, profile, endpoint, credential } = offer;
    return {
      ...signed,
      model,
      bundle,
      profile,
      endpoint,
      upstreamModel: offer.upstream_model,
      inputPricePerMtok: offer.input_price_per_mtok,
      outputPricePerMtok: offer.output_price_per_mtok,
      concurrency: offer.concurrency,
      contextLimit: offer.context_limit,
      firstTokenTimeoutMs: offer.first_token_timeout_ms,
      chunkTimeoutMs: offer.chunk_timeout_ms,
      expiresAt: offer.expires_at,
      ...definitionsOf(offer),
      ...(credential !== undefined && {
        // An empty one takes the stored one away: it says so to the catalogue, so there is nothing to seal.
        credential: credential && this.sealer.seal({ provider: signed.provider, endpoint }, credential),
      }),
    };
  }
}

/** Definitions stand under the ids that the signed terms name; the catalogue holds those against the content. */
function definitionsOf({
  bundle,
  model,
  profile,
  bundle_definition: build,
  profile_definition: run,
}: OfferSubmission): Pick<SubmitOfferRequest, 'bundleDefinition' | 'profileDefinition'> {
  return {
    ...(build && {
      bundleDefinition: {
        id: bundle,
        model,
        weightsDigest: build.weights_digest,
        quantisation: build.quantisation,
        engine: build.engine,
      },
    }),
    ...(run && {
      profileDefinition: {
        id: profile,
        hardwareClass: run.hardware_class,
        contextLimit: run.context_limit,
        speedTier: run.speed_tier,
      },
    }),
  };
}

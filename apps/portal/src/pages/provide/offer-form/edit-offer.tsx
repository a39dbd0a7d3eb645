import { Alert, Skeleton, Text } from '@mantine/core';
import { useParams } from 'react-router';
import { LoadFailed } from '../../../design/load-failed';
import { NotFoundPage } from '../../../design/not-found-page';
import { PageHeader } from '../../../design/page-header';
import type { Provider } from '../../../supply/use-provider';
import { useOfferTerms, useSupplyLimits } from '../use-supply';
import { draftOf } from './offer-draft';
import { OfferForm } from './offer-form';

/** Another version of an offer. */
export default function EditOffer({ provider }: { provider: Provider }) {
  const { offerId = '' } = useParams();
  const offer = provider.offers.find(({ offer_id }) => offer_id === offerId);
  const limits = useSupplyLimits();
  const terms = useOfferTerms(offerId, offer !== undefined);
  if (!offer) return <NotFoundPage />;
  const failed = terms.error ? terms : limits;
  return (
    <>
      <PageHeader
        title={`New version of ${offer.model}`}
        description="Model, build and profile make the offer and stay; everything else may change."
      />
      {offer.state !== 'withdrawn' && (
        <Alert variant="light" color="gray" mb="lg" maw={720}>
          <Text size="sm">
            If only price or end change, or fewer requests are taken at once, the new version serves at once.
            Anything else is tested first, while version {offer.live_version ?? offer.version} goes on.
          </Text>
        </Alert>
      )}
      {terms.data && limits.data ? (
        <OfferForm
          initial={draftOf(terms.data)}
          limits={limits.data}
          standing={{ hasCredential: terms.data.has_credential }}
        />
      ) : failed.error ? (
        <LoadFailed
          what={failed === terms ? 'What you signed' : 'The market’s terms'}
          error={failed.error}
          retry={() => void failed.refetch()}
        />
      ) : (
        <Skeleton height={360} />
      )}
    </>
  );
}

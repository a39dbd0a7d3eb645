import { Skeleton } from '@mantine/core';
import { LoadFailed } from '../../../design/load-failed';
import { PageHeader } from '../../../design/page-header';
import { useSupplyLimits } from '../use-supply';
import { emptyDraft } from './offer-draft';
import { OfferForm } from './offer-form';

export default function NewOffer() {
  const { data: limits, error, refetch } = useSupplyLimits();
  return (
    <>
      <PageHeader
        title="New offer"
        description="You sign what stands here in your wallet. No transaction, no gas. Then the marketplace tests your server."
      />
      {error ? <LoadFailed what="The market’s terms" error={error} retry={() => void refetch()} /> : null}
      {limits ? <OfferForm initial={emptyDraft} limits={limits} /> : !error && <Skeleton height={360} />}
    </>
  );
}

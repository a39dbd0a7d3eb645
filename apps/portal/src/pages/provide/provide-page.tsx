import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { lazy } from 'react';
import { Route, Routes } from 'react-router';
import { codeWhenOnline } from '../../api/late-code';
import { LoadFailed } from '../../design/load-failed';
import { NotFoundPage } from '../../design/not-found-page';
import { PageHeader } from '../../design/page-header';
import { RoutedTabs } from '../../design/routed-tabs';
import { useStandingError } from '../../design/use-standing-error';
import { When } from '../../design/when';
import { useOwnProvider } from '../../supply/use-provider';
import type { Provider } from '../../supply/use-provider';
import { OffersTab } from './offers/offers-tab';
import { ProviderTab } from './provider-tab';
import { Welcome } from './welcome';

// What is not on the first view comes when somebody goes there.
const EarningsTab = lazy(() => codeWhenOnline(() => import('./earnings/earnings-tab')));
const EditOffer = lazy(() => codeWhenOnline(() => import('./offer-form/edit-offer')));
const NewOffer = lazy(() => codeWhenOnline(() => import('./offer-form/new-offer')));
const OfferDetails = lazy(() => codeWhenOnline(() => import('./offers/offer-details')));

const TABS = [
  { path: '/provide', label: 'Offers' },
  { path: '/provide/earnings', label: 'Earnings' },
  { path: '/provide/provider', label: 'Name and contact' },
];

/** Where somebody sells: registers, offers, is certified, sees health and earnings, has them paid out. */
export default function ProvidePage() {
  const query = useOwnProvider();
  const { data: provider, refetch } = query;
  const error = useStandingError(query);
  if (provider === undefined) {
    return (
      <>
        <PageHeader title="Provide" />
        {error ? (
          <LoadFailed what="Your offers" error={error} retry={() => void refetch()} />
        ) : (
          <Stack aria-busy aria-label="Loading">
            <Skeleton height={36} />
            <Skeleton height={240} />
          </Stack>
        )}
      </>
    );
  }
  if (provider === null) return <Welcome />;
  return (
    <Routes>
      <Route path="offers/new" element={<NewOffer />} />
      <Route path="offers/:offerId" element={<OfferDetails provider={provider} />} />
      <Route path="offers/:offerId/edit" element={<EditOffer provider={provider} />} />
      <Route path="*" element={<Home provider={provider} />} />
    </Routes>
  );
}

function Home({ provider }: { provider: Provider }) {
  return (
    <>
      <PageHeader
        title="Provide"
        description={
          <>
            You sell as <b className="breakable">{provider.name}</b>.
          </>
        }
      />
      {provider.suspension !== null && (
        <Alert
          color="red"
          variant="light"
          mb="lg"
          icon={<IconAlertTriangle />}
          title="You are suspended"
          role="alert"
        >
          {/* How long ago it was would have all of it said again and again. */}
          <Text size="sm" className="breakable">
            An operator suspended this provider <When at={provider.suspension.at} absolute />:{' '}
            {provider.suspension.reason}. None of your offers serves, and nothing new can be signed but
            withdrawals, until they reinstate it.
          </Text>
        </Alert>
      )}
      <RoutedTabs label="Parts of the provider’s page" tabs={TABS}>
        <Routes>
          <Route index element={<OffersTab provider={provider} />} />
          <Route path="earnings" element={<EarningsTab />} />
          <Route path="provider" element={<ProviderTab provider={provider} />} />
          <Route path="*" element={<NotFoundPage />} />
        </Routes>
      </RoutedTabs>
    </>
  );
}

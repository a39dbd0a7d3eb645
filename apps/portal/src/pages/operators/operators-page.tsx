import { Route, Routes } from 'react-router';
import { NotFoundPage } from '../../design/not-found-page';
import { PageHeader } from '../../design/page-header';
import { RoutedTabs } from '../../design/routed-tabs';
import { ActProvider } from './act-context';
import { AuditTab } from './audit-tab';
import { OverviewTab } from './overview-tab';
import { ProviderOffers } from './provider-offers';
import { ProvidersTab } from './providers-tab';
import { SettlementTab } from './settlement-tab';
import { WalletsTab } from './wallets-tab';

const TABS = [
  { path: '/operators', label: 'Overview' },
  { path: '/operators/providers', label: 'Providers' },
  { path: '/operators/wallets', label: 'Wallets' },
  { path: '/operators/settlement', label: 'Settlement' },
  { path: '/operators/audit', label: 'Audit trail' },
];

/** For those whose wallet is on the operators' list. Every act asks for a reason and stands in the trail with their wallet. */
export default function OperatorsPage() {
  return (
    <ActProvider>
      <PageHeader title="Operators" description="How the marketplace stands, and what you may do about it." />
      <RoutedTabs label="Parts of the operators’ page" tabs={TABS}>
        <Routes>
          <Route index element={<OverviewTab />} />
          <Route path="providers" element={<ProvidersTab />} />
          <Route path="providers/:wallet" element={<ProviderOffers />} />
          <Route path="wallets" element={<WalletsTab />} />
          <Route path="settlement" element={<SettlementTab />} />
          <Route path="audit" element={<AuditTab />} />
          <Route path="*" element={<NotFoundPage />} />
        </Routes>
      </RoutedTabs>
    </ActProvider>
  );
}

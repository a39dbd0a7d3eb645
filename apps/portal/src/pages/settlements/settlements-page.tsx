import { EmptyState } from '../../design/empty-state';
import { PageHeader } from '../../design/page-header';

export default function SettlementsPage() {
  return (
    <>
      <PageHeader title="Settlements" />
      <EmptyState title="Not built yet" />
    </>
  );
}

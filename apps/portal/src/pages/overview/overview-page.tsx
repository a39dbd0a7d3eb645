import { EmptyState } from '../../design/empty-state';
import { PageHeader } from '../../design/page-header';

export default function OverviewPage() {
  return (
    <>
      <PageHeader title="Overview" />
      <EmptyState title="Not built yet" />
    </>
  );
}

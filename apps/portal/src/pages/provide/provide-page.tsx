import { EmptyState } from '../../design/empty-state';
import { PageHeader } from '../../design/page-header';

export default function ProvidePage() {
  return (
    <>
      <PageHeader title="Provide" />
      <EmptyState title="Not built yet" />
    </>
  );
}

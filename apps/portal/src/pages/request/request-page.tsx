import { EmptyState } from '../../design/empty-state';
import { PageHeader } from '../../design/page-header';

export default function RequestPage() {
  return (
    <>
      <PageHeader title="Request" />
      <EmptyState title="Not built yet" />
    </>
  );
}

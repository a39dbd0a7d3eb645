import { EmptyState } from '../../design/empty-state';
import { PageHeader } from '../../design/page-header';

export default function UsagePage() {
  return (
    <>
      <PageHeader title="Usage" />
      <EmptyState title="Not built yet" />
    </>
  );
}

import { EmptyState } from '../../design/empty-state';
import { PageHeader } from '../../design/page-header';

export default function ModelsPage() {
  return (
    <>
      <PageHeader title="Models" />
      <EmptyState title="Not built yet" />
    </>
  );
}

import { EmptyState } from '../../design/empty-state';
import { PageHeader } from '../../design/page-header';

export default function OperatorsPage() {
  return (
    <>
      <PageHeader title="Operators" />
      <EmptyState title="Not built yet" />
    </>
  );
}

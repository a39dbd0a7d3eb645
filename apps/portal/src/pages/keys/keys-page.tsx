import { EmptyState } from '../../design/empty-state';
import { PageHeader } from '../../design/page-header';

export default function KeysPage() {
  return (
    <>
      <PageHeader title="API keys" />
      <EmptyState title="Not built yet" />
    </>
  );
}

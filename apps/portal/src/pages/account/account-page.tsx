import { EmptyState } from '../../design/empty-state';
import { PageHeader } from '../../design/page-header';

export default function AccountPage() {
  return (
    <>
      <PageHeader title="Account" />
      <EmptyState title="Not built yet" />
    </>
  );
}

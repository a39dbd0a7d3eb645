import { EmptyState } from '../../design/empty-state';
import { PageHeader } from '../../design/page-header';

export default function PlaygroundPage() {
  return (
    <>
      <PageHeader title="Playground" />
      <EmptyState title="Not built yet" />
    </>
  );
}

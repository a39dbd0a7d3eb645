import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { EmptyState } from './empty-state';
import { PageHeader } from './page-header';

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState
        title="There is no such page"
        action={
          <Button component={Link} to="/">
            Go to Overview
          </Button>
        }
      >
        The address may have a typing error, or it needs rights that this wallet does not have.
      </EmptyState>
    </>
  );
}

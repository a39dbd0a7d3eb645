import { Alert, Button, Text } from '@mantine/core';
import { IconCube, IconFilterOff, IconInfoCircle } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { DataTable } from '../../design/data-table';
import { EmptyState } from '../../design/empty-state';
import { PageHeader } from '../../design/page-header';
import { SimulatedNotice } from '../../design/simulated-notice';
import { useMarket } from './market';
import { isStandingUnknown } from './market-model';
import { modelColumns } from './model-columns';
import { ModelFilterBar } from './model-filter-bar';
import { NO_FILTERS, chosenModels } from './model-filters';
import { useFilters } from './use-filters';

/** What is on sale, to be searched. */
export function ModelList() {
  const { data, error, refetch } = useMarket();
  const [filters, change] = useFilters();
  const [clearings, setClearings] = useState(0);
  const clear = () => {
    change(NO_FILTERS);
    setClearings(clearings + 1);
  };
  const chosen = useMemo(() => data && chosenModels(data, filters), [data, filters]);
  return (
    <>
      <PageHeader
        title="Models"
        description="Providers compete for your requests. Prices and health are those of the offers that are live now."
      />
      <SimulatedNotice />
      <StandingUnknown shown={data?.some(isStandingUnknown) === true} />
      {/* Another one once they are cleared: what was typed and is no price yet goes too. */}
      <ModelFilterBar key={clearings} filters={filters} change={change} />
      {data !== undefined && (
        <Text size="sm" c="dimmed" mb="xs" role="status">
          {chosen?.length !== data.length && `${chosen?.length} of `}
          {data.length} {data.length === 1 ? 'model' : 'models'}
        </Text>
      )}
      <DataTable
        what="The models"
        columns={modelColumns}
        rows={chosen}
        rowId={({ id }) => id}
        error={error}
        retry={() => void refetch()}
        empty={data?.length === 0 ? <NoModels /> : <NoneFits clear={clear} />}
      />
    </>
  );
}

/** While the catalogue is away, what is listed is known without it, and nothing of how it does. */
function StandingUnknown({ shown }: { shown: boolean }) {
  return (
    <div role="status" aria-live="polite">
      {shown && (
        <Alert
          color="yellow"
          variant="light"
          icon={<IconInfoCircle />}
          mb="md"
          title="Health and number of offers are not known now"
        >
          The part of the marketplace that keeps them does not answer. Models and prices are those last known,
          and requests are served as before. It is asked again by itself.
        </Alert>
      )}
    </div>
  );
}

function NoModels() {
  return (
    <EmptyState title="No models yet" icon={<IconCube />}>
      Models stand here once the operators of the market have defined them.
    </EmptyState>
  );
}

function NoneFits({ clear }: { clear: () => void }) {
  return (
    <EmptyState
      title="No model fits"
      icon={<IconFilterOff />}
      action={
        <Button variant="default" onClick={clear}>
          Clear the filters
        </Button>
      }
    >
      No model of the market is all that you ask for. Ask for less.
    </EmptyState>
  );
}

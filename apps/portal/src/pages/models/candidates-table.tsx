import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import type { components } from '../../api/generated/schema';
import { Amount } from '../../design/amount';
import { DataTable } from '../../design/data-table';
import type { Column } from '../../design/data-table';
import { StatusBadge } from '../../design/status-badge';
import { showTokens } from './figures';
import { modelPath } from './market-model';

type Candidate = components['schemas']['RoutingCandidate'];

/** What the routing model picks from. */
export function CandidatesTable({ candidates }: { candidates: Candidate[] }) {
  return (
    <Stack gap="sm" component="section" aria-labelledby="candidates">
      <Title order={2} id="candidates">
        Candidates
      </Title>
      <Text size="sm" c="dimmed">
        Each request goes to the best of these that can do all it asks for. The reply says which one answered,
        and you pay that one’s price, never above the ceiling.
      </Text>
      <DataTable
        what="The candidates"
        columns={columns}
        rows={candidates}
        rowId={({ model }) => model}
        empty={<Text size="sm">There are none.</Text>}
      />
    </Stack>
  );
}

const columns: Column<Candidate>[] = [
  {
    ...{ id: 'model', header: 'Model' },
    cell: ({ model }) => (
      <Anchor component={Link} to={modelPath(model)} className="breakable">
        {model}
      </Anchor>
    ),
  },
  {
    ...{ id: 'state', header: 'Now' },
    cell: ({ available }) => (
      <StatusBadge tone={available ? 'good' : 'quiet'}>
        {available ? 'Available' : 'Not available'}
      </StatusBadge>
    ),
  },
  {
    ...{ id: 'context', header: 'Context', align: 'right', wideOnly: true },
    cell: ({ contextLimit }) => showTokens(contextLimit),
  },
  {
    ...{ id: 'price', header: 'Input / output', align: 'right' },
    cell: ({ pricing }) =>
      pricing ? (
        <>
          <Amount bare of={{ base: pricing.input_price_per_mtok }} /> /{' '}
          <Amount bare of={{ base: pricing.output_price_per_mtok }} />
        </>
      ) : (
        '–'
      ),
  },
];

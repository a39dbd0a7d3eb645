import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { shorten } from '../../design/address';
import { Amount } from '../../design/amount';
import type { Column } from '../../design/data-table';
import { StatusBadge } from '../../design/status-badge';
import { showDuration } from '../../design/time';
import { When } from '../../design/when';
import { outcomeOf } from './outcome-words';
import type { UsageRequest } from './usage-queries';

const count = new Intl.NumberFormat('en');

const TIME: Column<UsageRequest> = {
  id: 'time',
  header: 'Time',
  cell: ({ request_id, created_at }) => (
    <Anchor component={Link} to={`/usage/${encodeURIComponent(request_id)}`} inherit>
      <When at={created_at} />
    </Anchor>
  ),
};
const MODEL: Column<UsageRequest> = {
  id: 'model',
  header: 'Model',
  cell: ({ model }) => <span className="breakable">{model}</span>,
};
const OUTCOME: Column<UsageRequest> = {
  id: 'outcome',
  header: 'Outcome',
  cell: (request) => <OutcomeBadge request={request} />,
};
const COST: Column<UsageRequest> = {
  id: 'cost',
  header: 'USDC',
  align: 'right',
  cell: ({ charged_usdc }) => <Amount of={{ usdc: charged_usdc }} column />,
};

/** What a short list has room for. */
export const FEW_USAGE_COLUMNS: Column<UsageRequest>[] = [TIME, MODEL, { ...OUTCOME, wideOnly: true }, COST];

/** @param nameOf keys by their names */
export function usageColumns(nameOf: (keyId: string) => string): Column<UsageRequest>[] {
  return [
    TIME,
    MODEL,
    {
      id: 'key',
      header: 'Key',
      wideOnly: true,
      cell: ({ key_id }) => <span className="breakable">{nameOf(key_id)}</span>,
    },
    {
      id: 'provider',
      header: 'Provider',
      wideOnly: true,
      cell: ({ provider }) =>
        provider === null ? (
          '–'
        ) : (
          <Text span inherit ff="monospace" title={provider}>
            {shorten(provider)}
          </Text>
        ),
    },
    {
      id: 'tokens',
      header: 'Tokens in / out',
      align: 'right',
      wideOnly: true,
      cell: ({ prompt_tokens, completion_tokens }) =>
        prompt_tokens === null || completion_tokens === null
          ? '–'
          : `${count.format(prompt_tokens)} / ${count.format(completion_tokens)}`,
    },
    {
      id: 'first-token',
      header: 'First token',
      align: 'right',
      wideOnly: true,
      cell: ({ first_token_ms }) => (first_token_ms === null ? '–' : showDuration(first_token_ms)),
    },
    OUTCOME,
    COST,
  ];
}

function OutcomeBadge({ request }: { request: UsageRequest }) {
  const { words, tone } = outcomeOf(request);
  return <StatusBadge tone={tone}>{words}</StatusBadge>;
}

import { Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconCoins } from '@tabler/icons-react';
import { Suspense, lazy } from 'react';
import { codeWhenOnline } from '../../../api/late-code';
import { Amount } from '../../../design/amount';
import { DataTable } from '../../../design/data-table';
import type { Column } from '../../../design/data-table';
import { EmptyState } from '../../../design/empty-state';
import { LoadFailed } from '../../../design/load-failed';
import { Stat } from '../../../design/stat';
import { useInAddress } from '../../../design/use-in-address';
import { usePages } from '../../../design/use-pages';
import { useStandingError } from '../../../design/use-standing-error';
import { ClaimCard } from './claim-card';
import { PERIODS_DAYS, paramsOf, viewFrom } from './earnings-view';
import { useEarnings } from './use-earnings';
import type { Earnings } from './use-earnings';

type Line = Earnings['lines'][number];

const EarningsChart = lazy(() => codeWhenOnline(() => import('./earnings-chart')));
const FORM = { from: viewFrom, to: paramsOf };
const LINES_A_PAGE = 50;

const COLUMNS: Column<Line>[] = [
  { id: 'day', header: 'Day (UTC)', cell: ({ time }) => time.slice(0, 10) },
  { id: 'model', header: 'Model', cell: ({ model }) => <span className="breakable">{model}</span> },
  {
    id: 'requests',
    header: 'Requests',
    cell: ({ requests }) => requests.toLocaleString('en'),
    align: 'right',
  },
  {
    ...{ id: 'tokens', header: 'Tokens in / out', align: 'right', wideOnly: true },
    cell: ({ prompt_tokens: input, completion_tokens: output }) =>
      `${input.toLocaleString('en')} / ${output.toLocaleString('en')}`,
  },
  {
    ...{ id: 'earned', header: 'Earned, USDC', align: 'right' },
    cell: ({ credited_usdc: usdc }) => <Amount of={{ usdc }} column />,
  },
];

/** What was earned by day and model, what of it can be had now, and the button that has it paid out. */
export default function EarningsTab() {
  const [view, show] = useInAddress(FORM);
  const query = useEarnings(view.days);
  const { data, refetch, isPlaceholderData } = query;
  const error = useStandingError(query);
  const { shown, paging } = usePages(data?.lines.toReversed(), LINES_A_PAGE, [
    view.page,
    (page) => show({ ...view, page }, { replace: false }),
  ]);
  if (error) return <LoadFailed what="Your earnings" error={error} retry={() => void refetch()} />;
  const account = data?.account;
  return (
    <Stack gap="xl">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        <Stat
          label="Earned"
          value={account && <Amount of={{ usdc: account.credited_usdc }} />}
          hint={
            data?.share_bps === undefined
              ? 'of all times'
              : `of all times; your share is ${data.share_bps / 100} % of each charge`
          }
        />
        <Stat
          label="Paid by buyers"
          value={account && <Amount of={{ usdc: account.released_usdc }} />}
          hint="collected on chain when payouts were last published"
        />
        <Stat label="Paid out" value={account && <Amount of={{ usdc: account.paid_out_usdc }} />} />
        <Stat
          label="Payable"
          value={account && <Amount of={{ usdc: account.payable_usdc }} />}
          hint="paid by buyers, not paid out"
        />
      </SimpleGrid>
      {data && <ClaimCard earnings={data} />}
      <section aria-labelledby="earnings-by-day">
        <Group justify="space-between" mb="sm">
          <Title order={2} id="earnings-by-day">
            By day and model
          </Title>
          <SegmentedControl
            aria-label="Period"
            data={PERIODS_DAYS.map((days) => ({ value: String(days), label: `${days} days` }))}
            value={String(view.days)}
            onChange={(days) => show({ days: Number(days), page: 1 }, { replace: false })}
            size="xs"
          />
        </Group>
        {data && data.lines.length > 0 && (
          <Stack>
            <Text size="sm" className="breakable">
              <Amount of={{ usdc: data.totals.credited_usdc }} fw={600} /> from{' '}
              {countOf(data.totals.requests)}. The bars are USDC a day.
            </Text>
            {data.next !== null && (
              <Text size="sm" fw={600}>
                These are more lines than can be shown: the last days are left out. Choose fewer days to see
                them.
              </Text>
            )}
            {/* The table says the same to those who cannot see it. */}
            <div aria-hidden>
              <Suspense fallback={<Skeleton height={240} />}>
                <EarningsChart lines={data.lines} days={view.days} />
              </Suspense>
            </div>
          </Stack>
        )}
        <DataTable
          what="Earnings by day and model"
          columns={COLUMNS}
          rows={shown}
          rowId={({ time, model }) => `${time} ${model}`}
          refreshing={isPlaceholderData}
          paging={paging}
          empty={
            <EmptyState title="Nothing earned in these days" icon={<IconCoins size={22} />}>
              Each request that one of your live offers serves is credited here.
            </EmptyState>
          }
        />
      </section>
    </Stack>
  );
}

function countOf(requests: number): string {
  return `${requests.toLocaleString('en')} ${requests === 1 ? 'request' : 'requests'}`;
}

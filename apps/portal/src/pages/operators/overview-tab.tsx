import { Alert, Anchor, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api, dataOf } from '../../api/client';
import type { components } from '../../api/generated/schema';
import { queryKeys } from '../../api/query-keys';
import { Amount } from '../../design/amount';
import { LoadFailed } from '../../design/load-failed';
import { useStandingError } from '../../design/use-standing-error';
import { Stat } from '../../design/stat';
import { When } from '../../design/when';
import { SettlementStanding } from './settlement-standing';

type Overview = components['schemas']['OperatorOverviewReply'];

const REFRESH_MS = 10_000;

export function OverviewTab() {
  const query = useQuery({
    queryKey: [...queryKeys.operators, 'overview'],
    queryFn: ({ signal }) => dataOf(api.GET('/portal/api/operators/overview', { signal })),
    refetchInterval: REFRESH_MS,
  });
  const { data, refetch } = query;
  const error = useStandingError(query);
  if (error) return <LoadFailed what="The overview" error={error} retry={() => void refetch()} />;
  return (
    <Stack gap="xl">
      <Market catalogue={data?.catalogue} />
      <Money settlement={data?.settlement} />
    </Stack>
  );
}

function Market({ catalogue }: { catalogue: Overview['catalogue'] | undefined }) {
  if (catalogue === null) return <Away what="The catalogue" />;
  return (
    <section aria-labelledby="overview-market">
      <Title order={2} id="overview-market" mb="sm">
        Market
      </Title>
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Stat
          label="Live offers"
          value={catalogue?.live_offers}
          hint={catalogue && `of ${catalogue.offers} that are not withdrawn`}
        />
        <Stat label="Models" value={catalogue?.models} />
        <Stat
          label="Providers"
          value={catalogue?.providers}
          hint={
            catalogue && (
              <Anchor component={Link} to="/operators/providers?only=suspended" size="xs">
                {catalogue.suspended_providers} suspended
              </Anchor>
            )
          }
        />
        <Stat label="Certifications" value={catalogue?.open_certifications} hint="waiting or running" />
      </SimpleGrid>
    </section>
  );
}

function Money({ settlement }: { settlement: Overview['settlement'] | undefined }) {
  if (settlement === null) return <Away what="Billing" />;
  return (
    <section aria-labelledby="overview-money">
      <Title order={2} id="overview-money" mb="sm">
        Money
      </Title>
      <Stack>
        <SettlementStanding settlement={settlement} />
        <SimpleGrid cols={{ base: 2, md: 4 }}>
          <Stat
            label="Unsettled, USDC"
            value={settlement && <Amount of={{ usdc: settlement.unsettled_usdc }} bare />}
            hint="owed and not collected yet"
          />
          <Stat
            label="Wallets"
            value={settlement?.wallets}
            hint={
              settlement && (
                <Anchor component={Link} to="/operators/wallets" size="xs">
                  {settlement.suspended_wallets} suspended
                </Anchor>
              )
            }
          />
          <Stat
            label="Failed wallets"
            value={settlement?.failed_wallets}
            hint="what they owe could not be pulled"
          />
          <Stat
            label="Open batches"
            value={settlement?.open_batches}
            hint={settlement && <Compared at={settlement.reconciled_at} />}
          />
        </SimpleGrid>
      </Stack>
    </section>
  );
}

function Away({ what }: { what: string }) {
  return (
    <Alert color="yellow" variant="light" title={`${what} does not answer`} role="alert">
      <Text size="sm">Its figures are missing here. The rest of the page works as far as it can.</Text>
    </Alert>
  );
}

function Compared({ at }: { at: string | null }) {
  return at === null ? (
    'not compared yet'
  ) : (
    <>
      compared <When at={at} inherit />
    </>
  );
}

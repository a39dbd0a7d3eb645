import { Card, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client';
import { queryKeys } from '../../api/query-keys';
import { PageHeader } from '../../design/page-header';
import { usePosition } from '../../live/use-position';
import { FirstRequest } from './first-request';
import { FirstSteps } from './first-steps';
import './overview.css';
import { PositionCard } from './position-card';
import { RecentUsage } from './recent-usage';
import { currentStep, hasApiKey } from './steps';
import { StoppedBanner } from './stopped-banner';

export default function OverviewPage() {
  const query = usePosition();
  const position = query.data;
  const hasKey = useHasKey();
  const isKnown = position !== undefined && hasKey !== undefined;
  const step = isKnown ? currentStep(position, hasKey) : undefined;
  return (
    <>
      <PageHeader title="Overview" description="What you can spend, and where it goes." />
      {position !== undefined && <StoppedBanner stopped={position.stopped} />}
      <Stack gap="lg" aria-busy={query.isPending || hasKey === undefined}>
        {position && step && <FirstSteps position={position} current={step} />}
        <PositionCard query={query} hasActions={isKnown && step !== 'fund' && step !== 'approve'} />
        <RecentUsage />
        {isKnown && !step && <CallTheApi />}
      </Stack>
    </>
  );
}

function CallTheApi() {
  return (
    <Card withBorder padding="lg" component="section" aria-labelledby="call-title">
      <Title order={2} id="call-title">
        Call the API
      </Title>
      <FirstRequest />
    </Card>
  );
}

/** Undefined until it is known; when it cannot be known, nobody is asked to make another. */
function useHasKey(): boolean | undefined {
  const { data, error } = useQuery({
    queryKey: queryKeys.keys,
    queryFn: ({ signal }) => dataOf(api.GET('/portal/api/keys', { signal })),
  });
  if (data === undefined) return error ? true : undefined;
  return hasApiKey(data.keys);
}

import { Alert, Anchor, Group, Progress, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconCircleX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, dataOf } from '../../../api/client';
import type { components } from '../../../api/generated/schema';
import { queryKeys } from '../../../api/query-keys';
import { announce } from '../../../design/announcer';
import { LoadFailed } from '../../../design/load-failed';
import { useStandingError } from '../../../design/use-standing-error';
import { When } from '../../../design/when';
import type { Offer } from '../../../supply/offer-words';
import { CertifiedScope } from './certified-scope';
import { ProbeList } from './probe-list';
import { probeWords } from './probe-words';

type Report = components['schemas']['CertificationReportReply'];

const POLL_MS = 1_000;

/** A certification as it runs, probe by probe, and what came of it. The same report is public. */
export function CertificationReport({ id, offer }: { id: string; offer: Offer }) {
  const query = useQuery({
    queryKey: [...queryKeys.provider, 'certification', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/v1/certifications/{id}', { params: { path: { id } }, signal })) as Promise<Report>,
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : POLL_MS),
  });
  const { data, refetch } = query;
  const error = useStandingError(query);
  useSpokenProgress(data);
  return (
    <section aria-labelledby="certification">
      <Group justify="space-between" mb="sm" align="baseline">
        <Title order={2} id="certification">
          Certification
        </Title>
        <Anchor href={`/v1/certifications/${id}`} target="_blank" rel="noreferrer" size="sm">
          Public report
        </Anchor>
      </Group>
      {error ? (
        <LoadFailed what="The report" error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton height={240} />
      ) : (
        <Stack>
          <Standing report={data} />
          <Refusal report={data} offer={offer} />
          {data.result !== undefined && <CertifiedScope scope={data.result} validUntil={data.valid_until} />}
          <ProbeList probes={data.probes} />
        </Stack>
      )}
    </section>
  );
}

function isOver({ status }: Report): boolean {
  return status !== 'queued' && status !== 'running';
}

function Standing({ report }: { report: Report }) {
  const { status, done, total, version } = report;
  const running = report.probes.filter((probe) => probe.status === 'running');
  const words: Record<string, string> = {
    queued: 'waiting for its turn. It begins by itself; you may leave this page.',
    running:
      running.length > 0
        ? `now ${running.map(({ name }) => probeWords(name).title).join(', ')}.`
        : 'running.',
    passed: 'passed.',
    refused: 'refused.',
    abandoned: 'ended before it was over: the offer was changed or withdrawn meanwhile.',
  };
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          Version {version}: {words[status] ?? status}
        </Text>
        <Text size="sm" c="dimmed" className="figures">
          {done} of {total} tests
          {report.finished_at !== undefined && (
            <>
              , <When at={report.finished_at} inherit />
            </>
          )}
        </Text>
      </Group>
      {!isOver(report) && (
        <Progress
          value={total === 0 ? 0 : (done / total) * 100}
          animated={status === 'running'}
          aria-label={`Certification: ${done} of ${total} tests`}
        />
      )}
    </Stack>
  );
}

function Refusal({ report: { refusal }, offer }: { report: Report; offer: Offer }) {
  if (refusal === undefined) return null;
  const { title, advice } = probeWords(refusal.probe);
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconCircleX />}
      title={`Refused by the test “${title}”`}
      role="alert"
    >
      <Stack gap={4}>
        <Text size="sm" className="breakable">
          {refusal.message}
        </Text>
        {advice !== '' && <Text size="sm">{advice}</Text>}
        <Text size="sm">
          What was asked and what came stands below. Mend your server, then sign a new version to be tested
          again.
          {offer.live_version !== null && ` Version ${offer.live_version} serves on meanwhile.`}
        </Text>
      </Stack>
    </Alert>
  );
}

/** Says each test that ended to those who do not see the list. */
function useSpokenProgress(report: Report | undefined): void {
  const told = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (report === undefined) return;
    const before = told.current;
    told.current = report.done;
    // What was over when the page came is no news.
    if (before === undefined || before === report.done) return;
    if (isOver(report)) announce(`Certification ${report.status}`);
    else announce(`${report.done} of ${report.total} tests are over`);
  }, [report]);
}

import { Progress, Text } from '@mantine/core';
import { showDuration } from '../../design/time';
import { Fact, Facts } from './facts';
import type { RequestDetail } from './request-queries';
import { SectionCard } from './section-card';

/** How long its client waited. */
export function TimesCard({ detail: { first_token_ms, total_ms } }: { detail: RequestDetail }) {
  if (total_ms === null) {
    return (
      <SectionCard title="Times">
        <Text size="sm">It is not known how long it took.</Text>
      </SectionCard>
    );
  }
  const firstShare = first_token_ms === null || total_ms === 0 ? 0 : (100 * first_token_ms) / total_ms;
  return (
    <SectionCard title="Times">
      {first_token_ms !== null && (
        <Progress.Root size="sm" mb="sm" role="presentation">
          <Progress.Section value={firstShare} color="gray" aria-hidden />
          <Progress.Section value={100 - firstShare} aria-hidden />
        </Progress.Root>
      )}
      <Facts>
        {first_token_ms !== null && <Fact name="To the first token">{showDuration(first_token_ms)}</Fact>}
        {first_token_ms !== null && (
          <Fact name="From the first token to the end">{showDuration(total_ms - first_token_ms)}</Fact>
        )}
        <Fact name="In all">{showDuration(total_ms)}</Fact>
      </Facts>
      <Text size="xs" c="dimmed" mt="xs">
        From when the work on it began, failed attempts included; the way to you and back is not in it.
      </Text>
    </SectionCard>
  );
}

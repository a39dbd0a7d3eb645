import { Group, Text, Timeline } from '@mantine/core';
import { CopyButton } from '../../design/copy';
import { StatusBadge } from '../../design/status-badge';
import type { RequestDetail } from './request-queries';
import { SectionCard } from './section-card';
import { stepOutcome } from './step-words';

/** Which offers its plan named, in the order in which they would have been asked, and what became of each. */
export function AttemptsCard({ detail: { route } }: { detail: RequestDetail }) {
  return (
    <SectionCard title="Attempts">
      {route === null || route.length === 0 ? (
        <Text size="sm">Nobody was asked, or nobody said who was.</Text>
      ) : (
        <Timeline bulletSize={18} lineWidth={2} active={route.length} color="gray">
          {route.map(({ offer_id, why, outcome }, index) => {
            const { words, tone, wasAsked } = stepOutcome(outcome);
            return (
              <Timeline.Item
                // An offer that was busy stands once, however often it was asked.
                key={`${offer_id} ${index}`}
                lineVariant={wasAsked ? 'solid' : 'dashed'}
                color={outcome === 'served' ? 'teal' : 'gray'}
                title={
                  <Group gap={4} wrap="nowrap" align="flex-start">
                    <Text span size="sm" ff="monospace" className="breakable">
                      {offer_id}
                    </Text>
                    <CopyButton value={offer_id} label="offer id" />
                  </Group>
                }
              >
                <StatusBadge tone={tone}>{words}</StatusBadge>
                <Text size="xs" c="dimmed" mt={4} className="breakable">
                  {why}
                </Text>
              </Timeline.Item>
            );
          })}
        </Timeline>
      )}
    </SectionCard>
  );
}

import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import type { components } from '../../api/generated/schema';
import { StatusBadge } from '../../design/status-badge';
import { When } from '../../design/when';
import { pauseSettlement, resumeSettlement } from './acts';
import { useAct } from './act-context';
import { ActorName } from './actor-name';
import { settlementState } from './settlement-state';

type Settlement = components['schemas']['SettlementStandingReply'];

/** Whether wallets are collected from, why not, and the button that changes it. */
export function SettlementStanding({ settlement }: { settlement: Settlement | undefined }) {
  const ask = useAct();
  if (settlement === undefined) return <Skeleton height={64} />;
  const { tone, label, meaning } = settlementState(settlement.state);
  const isPaused = settlement.pauses.length > 0;
  return (
    <Alert color="gray" variant="light">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={4} maw={720}>
          <Group gap="xs">
            <Text fw={600}>Settlement</Text>
            <StatusBadge tone={tone}>{label}</StatusBadge>
          </Group>
          <Text size="sm">{meaning}</Text>
          {settlement.detail !== null && (
            <Text size="sm" className="breakable">
              {settlement.detail}
            </Text>
          )}
          {settlement.pauses.map((pause) => (
            <Text key={pause.actor} size="sm" className="breakable">
              Paused <When at={pause.paused_at} /> by <ActorName actor={pause.actor} />: {pause.reason}
            </Text>
          ))}
        </Stack>
        {isPaused ? (
          <Button leftSection={<IconPlayerPlay size={16} />} onClick={() => ask(resumeSettlement)}>
            Resume settlement
          </Button>
        ) : (
          <Button
            variant="default"
            leftSection={<IconPlayerPause size={16} />}
            onClick={() => ask(pauseSettlement)}
          >
            Pause settlement
          </Button>
        )}
      </Group>
    </Alert>
  );
}

import { Accordion, Badge, Code, Group, Loader, Stack, Text } from '@mantine/core';
import {
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconRefresh,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { components } from '../../../api/generated/schema';
import { showDuration } from '../../../design/time';
import { probeWords } from './probe-words';

type Probe = components['schemas']['ProbeReportReply'];
type Exchange = components['schemas']['ProbeExchangeReply'];

const STATES: Record<string, { icon: ReactNode; label: string }> = {
  pending: { icon: <IconCircleDashed size={20} color="var(--mantine-color-dimmed)" />, label: 'Not yet' },
  postponed: {
    icon: <IconRefresh size={20} color="var(--mantine-color-dimmed)" />,
    label: 'Tried again soon',
  },
  running: { icon: <Loader size={18} />, label: 'Running' },
  passed: { icon: <IconCircleCheck size={20} color="var(--mantine-color-teal-6)" />, label: 'Passed' },
  failed: { icon: <IconCircleX size={20} color="var(--mantine-color-red-6)" />, label: 'Failed' },
  skipped: { icon: <IconCircleMinus size={20} color="var(--mantine-color-dimmed)" />, label: 'Skipped' },
};

/** Every test with its outcome; open one to see what was asked and what came. */
export function ProbeList({ probes }: { probes: readonly Probe[] }) {
  return (
    <Accordion variant="contained" multiple order={3}>
      {probes.map((probe) => (
        <Accordion.Item
          key={probe.name}
          value={probe.name}
          data-probe={probe.name}
          data-status={probe.status}
        >
          <Accordion.Control disabled={stateOf(probe) === 'pending'}>
            <ProbeLine probe={probe} />
          </Accordion.Control>
          <Accordion.Panel>
            <ProbeDetails probe={probe} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function ProbeLine({ probe }: { probe: Probe }) {
  const { title, asks } = probeWords(probe.name);
  const { icon, label } = STATES[stateOf(probe)] ?? { icon: null, label: probe.status };
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <span aria-hidden>{icon}</span>
      <Stack gap={0} flex={1}>
        <Group gap="xs">
          <Text size="sm" fw={500}>
            {title}
          </Text>
          {!probe.required && (
            <Badge size="xs" variant="default" tt="none" fw={400}>
              optional
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed">
          {asks}
        </Text>
        {stateOf(probe) === 'postponed' && (
          <Text size="xs" className="breakable">
            {probe.message}
          </Text>
        )}
      </Stack>
      <Text size="xs" c="dimmed" className="figures" mr="xs">
        {label}
        {durationOf(probe)}
      </Text>
    </Group>
  );
}

/** A test that is done again later, since its server was away or busy, says why as long as it waits. */
function stateOf({ status, message }: Probe): string {
  return status === 'pending' && message !== undefined ? 'postponed' : status;
}

function durationOf({ started_at: start, finished_at: end, status }: Probe): string {
  if (start === undefined || end === undefined || status === 'skipped') return '';
  return `, ${showDuration(Date.parse(end) - Date.parse(start))}`;
}

/** All of it may be the provider's words: text, never markup. */
function ProbeDetails({ probe: { name, status, message, figures, exchanges } }: { probe: Probe }) {
  const { advice } = probeWords(name);
  return (
    <Stack gap="sm">
      {message !== undefined && (
        <Text size="sm" className="breakable">
          {message}
        </Text>
      )}
      {status === 'failed' && advice !== '' && <Text size="sm">{advice}</Text>}
      {Object.keys(figures).length > 0 && (
        <Text size="xs" c="dimmed" className="figures breakable">
          {Object.entries(figures)
            .map(([figure, value]) => `${figure} ${value}`)
            .join(' · ')}
        </Text>
      )}
      {exchanges.length === 0 && message === undefined && (
        <Text size="sm" c="dimmed">
          Nothing came yet.
        </Text>
      )}
      {exchanges.map((exchange, index) => (
        <ExchangeText key={index} exchange={exchange} number={index + 1} />
      ))}
    </Stack>
  );
}

function ExchangeText({ exchange, number }: { exchange: Exchange; number: number }) {
  return (
    <Stack gap={4}>
      <Text size="xs" c="dimmed">
        Request {number}, answered in {showDuration(exchange.total_ms)}
      </Text>
      <Code block className="exchange" tabIndex={0} role="region" aria-label={`Request ${number}`}>
        {exchange.request}
      </Code>
      <Code block className="exchange" tabIndex={0} role="region" aria-label={`Reply ${number}`}>
        {exchange.reply === '' ? '(nothing)' : exchange.reply}
      </Code>
    </Stack>
  );
}

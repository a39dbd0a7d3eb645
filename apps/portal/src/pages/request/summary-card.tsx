import { Card, Group, SimpleGrid, Text } from '@mantine/core';
import { Address } from '../../design/address-text';
import { CopyButton } from '../../design/copy';
import { StatusBadge } from '../../design/status-badge';
import { When } from '../../design/when';
import { useKeys } from '../keys/keys';
import { outcomeOf, reasonWords } from '../usage/outcome-words';
import { Fact, Facts } from './facts';
import type { RequestDetail } from './request-queries';

/** What it was, and what became of it. */
export function SummaryCard({ detail }: { detail: RequestDetail }) {
  const { request_id, created_at, key_id, model, provider, finish_reason, reason, error_code } = detail;
  const keyName = useKeys().data?.find(({ id }) => id === key_id)?.name;
  const { words, tone } = outcomeOf(detail);
  const why = reasonWords(reason);
  return (
    <Card withBorder padding="md" component="section" aria-label="Summary">
      <Group gap="xs" mb="xs">
        <Text ff="monospace" size="sm" className="breakable">
          {request_id}
        </Text>
        <CopyButton value={request_id} label="request id" />
        <StatusBadge tone={tone}>{words}</StatusBadge>
      </Group>
      {why !== undefined && (
        <Text size="sm" mb="xs">
          {why} Nothing was charged.
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing={{ base: 6, sm: 'xl' }}>
        <Facts>
          <Fact name="When">
            <When at={created_at} absolute />
          </Fact>
          <Fact name="Model">{model}</Fact>
          <Fact name="Key">{keyName === undefined || keyName === '' ? key_id : keyName}</Fact>
        </Facts>
        <Facts>
          <Fact name="Provider">{provider === null ? '–' : <Address value={provider} />}</Fact>
          {finish_reason !== null && <Fact name="Finish reason">{finish_reason}</Fact>}
          {error_code !== null && <Fact name="Error that the client was told">{error_code}</Fact>}
          {detail.attempts !== null && <Fact name="Offers tried">{detail.attempts}</Fact>}
        </Facts>
      </SimpleGrid>
    </Card>
  );
}

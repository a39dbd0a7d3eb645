import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Address } from '../../design/address-text';
import { StatusBadge } from '../../design/status-badge';
import type { Tone } from '../../design/status-badge';
import { When } from '../../design/when';
import { Fact, Facts } from './facts';
import type { RequestDetail } from './request-queries';
import { SectionCard } from './section-card';

type State = RequestDetail['settlement']['state'];

const STATES: Record<State, { words: string; tone: Tone; about: string }> = {
  nothing: {
    words: 'Nothing to settle',
    tone: 'quiet',
    about: 'Nothing was charged, so nothing goes on chain.',
  },
  waiting: {
    ...{ words: 'Waiting', tone: 'quiet' },
    about:
      'The charge stands in the ledger. A batch collects it on chain, together with others; very small sums wait for more.',
  },
  signed: {
    words: 'Sent',
    tone: 'busy',
    about: 'Its batch is signed and sent; the chain has not shown it yet.',
  },
  mined: {
    words: 'On chain',
    tone: 'busy',
    about: 'Its batch is on chain, and not yet deep enough to be final.',
  },
  settled: { words: 'Settled', tone: 'good', about: 'Its batch is on chain for good.' },
};

/** Where its charge stands on chain. */
export function SettlementCard({ detail: { settlement } }: { detail: RequestDetail }) {
  const { state, batch_id, tx_hash, settled_at } = settlement;
  const { words, tone, about } = STATES[state];
  return (
    <SectionCard title="On chain" aside={<StatusBadge tone={tone}>{words}</StatusBadge>}>
      <Text size="sm" mb={batch_id === null ? 0 : 'sm'} role="status">
        {about}
      </Text>
      {batch_id !== null && (
        <Facts>
          <Fact name="Batch">
            <Anchor component={Link} to={`/settlements/${batch_id}`} ff="monospace" inherit>
              {batch_id.slice(0, 10)}…{batch_id.slice(-8)}
            </Anchor>
          </Fact>
          {tx_hash !== null && (
            <Fact name="Transaction">
              <Address value={tx_hash} kind="tx" />
            </Fact>
          )}
          {settled_at !== null && (
            <Fact name="Settled">
              <When at={settled_at} absolute />
            </Fact>
          )}
        </Facts>
      )}
    </SectionCard>
  );
}

import { Box, Table, Text } from '@mantine/core';
import { Amount } from '../../design/amount';
import type { Part, PartId } from './position';
import './position-bar.css';

const WORDS: Record<PartId, { name: string; meaning: string }> = {
  spendable: { name: 'Spendable', meaning: 'Free for your next requests.' },
  waiting: { name: 'Waiting for settlement', meaning: 'Free again once what you owe has been collected.' },
  capped: {
    name: 'Beyond the cap',
    meaning: 'Yours; only so much may be owed before it is collected, so it is spendable after settlements.',
  },
  stopped: { name: 'Stopped', meaning: 'Not spendable until the wallet’s keys work again.' },
  held: { name: 'Held', meaning: 'Set aside for requests under way; what they do not cost comes back.' },
  unsettled: {
    name: 'Charged, not collected yet',
    meaning: 'Your requests so far; a settlement collects it, very small sums once there is more.',
  },
  confirming: { name: 'Being confirmed', meaning: 'Seen on the chain, spendable after a few more blocks.' },
  unapproved: { name: 'Not approved', meaning: 'In your wallet, out of the marketplace’s reach.' },
};

/** The wallet's USDC as one bar, and the same as a table: each part with what it means. */
export function PositionBar({ parts }: { parts: Part[] }) {
  return (
    <>
      <div className="position-bar" aria-hidden>
        {parts.map(({ id, percent }) => (
          <Box
            key={id}
            className="position-part"
            data-part={id}
            style={{ flexGrow: Math.max(percent, 0.6) }}
          />
        ))}
      </div>
      {/* Browsers take what is laid out otherwise for no table, unless told. */}
      <Table
        role="table"
        horizontalSpacing={0}
        verticalSpacing={6}
        withRowBorders={false}
        className="position-table"
      >
        <Table.Caption className="position-caption">The parts of your USDC</Table.Caption>
        <Table.Tbody role="rowgroup">
          {parts.map(({ id, amount }) => (
            <Table.Tr key={id} role="row">
              <Table.Th scope="row" role="rowheader" fw={400}>
                <span className="position-swatch" data-part={id} aria-hidden />
                <Text span fw={500} size="sm">
                  {WORDS[id].name}
                </Text>
                <Text size="sm" c="dimmed" pl={22}>
                  {WORDS[id].meaning}
                </Text>
              </Table.Th>
              <Table.Td role="cell" ta="right" className="figures position-amount">
                <Amount of={{ base: amount }} fw={500} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}

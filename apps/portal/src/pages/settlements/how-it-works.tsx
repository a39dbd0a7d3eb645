import { Accordion, Stack, Text } from '@mantine/core';
import { StatusBadge } from '../../design/status-badge';
import { STATES } from './settlement-words';

/** What a settlement is, for whoever wonders. */
export function HowItWorks() {
  return (
    <Accordion variant="contained" mb="lg">
      <Accordion.Item value="how">
        <Accordion.Control>
          <Text size="sm" fw={500}>
            How what you owe is collected
          </Text>
        </Accordion.Control>
        <Accordion.Panel>
          <Stack gap="sm">
            <Text size="sm">
              Requests are charged at once in the marketplace’s ledger. From time to time what all wallets owe
              is collected on chain in one transaction: a batch with one line a wallet. The contract takes
              your line’s amount from your balance, within what you approved, and keeps a root that each of
              your receipts leads to. The marketplace pays the gas.
            </Text>
            {Object.values(STATES).map(({ label, tone, meaning }) => (
              <Text size="sm" component="div" key={label}>
                <StatusBadge tone={tone}>{label}</StatusBadge> {meaning}
              </Text>
            ))}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

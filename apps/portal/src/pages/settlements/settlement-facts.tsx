import { Group, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Address } from '../../design/address-text';
import { Amount } from '../../design/amount';
import { shorten } from '../../design/address';
import { CopyButton } from '../../design/copy';
import { showEther } from './settlement-words';
import type { SettlementReply } from './settlements';

const NO_RECEIPTS = /^0x0+$/;

/** What is on chain, to compare with. */
export function SettlementFacts({ settlement }: { settlement: SettlementReply }) {
  const { own, transactions, tx_hash } = settlement;
  const others = transactions.filter((each) => each.tx_hash !== tx_hash);
  return (
    <Table variant="vertical" withTableBorder layout="fixed">
      <Table.Tbody>
        <Fact name="Transaction">
          {tx_hash === null ? (
            <Text component="span" inherit c="dimmed">
              None yet
            </Text>
          ) : (
            <Address value={tx_hash} kind="tx" />
          )}
        </Fact>
        {others.length > 0 && (
          <Fact name="Signed before it">
            {others.map((each) => (
              <div key={each.tx_hash}>
                <Address value={each.tx_hash} kind="tx" />
              </div>
            ))}
          </Fact>
        )}
        <Fact name="Gas">
          {settlement.gas_cost_wei === null
            ? 'Known once it is final'
            : `${showEther(settlement.gas_cost_wei)} ETH, paid by the marketplace`}
        </Fact>
        <Fact name="Batch">
          <Word value={settlement.id} label="batch id" />
        </Fact>
        <Fact name="In the batch">
          {settlement.wallets === 1
            ? 'Your wallet alone'
            : `${settlement.wallets.toLocaleString('en')} wallets`}
          , <Amount of={{ usdc: settlement.total_usdc }} /> new
        </Fact>
        <Fact name="Root of the batch">
          <Word value={settlement.root} label="root of the batch" />
        </Fact>
        <Fact name="Root of your receipts">
          {NO_RECEIPTS.test(own.payer_root) ? (
            'None: the batch asks again for what was owed before'
          ) : (
            <Word value={own.payer_root} label="root of your receipts" />
          )}
        </Fact>
      </Table.Tbody>
    </Table>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w={{ base: 130, xs: 190 }} fw={500}>
        {name}
      </Table.Th>
      <Table.Td>{children}</Table.Td>
    </Table.Tr>
  );
}

function Word({ value, label }: { value: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Text component="span" inherit ff="monospace" title={value}>
        {shorten(value)}
      </Text>
      <CopyButton value={value} label={label} />
    </Group>
  );
}

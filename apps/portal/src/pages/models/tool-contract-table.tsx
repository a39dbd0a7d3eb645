import { Anchor, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ToolContract } from './market-model';

/** What the model's tools were tried for, in words. */
export function ToolContractTable({ contract }: { contract: ToolContract }) {
  return (
    <Stack gap="sm" component="section" aria-labelledby="tools">
      <Title order={2} id="tools">
        Tool contract
      </Title>
      <Text size="sm" c="dimmed">
        What was proved by probes before the offer went live. A request beyond it is refused with
        feature_not_supported and costs nothing.
      </Text>
      <Table variant="vertical" layout="auto" withTableBorder>
        <Table.Tbody>
          {rowsOf(contract).map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w={{ base: 150, sm: 260 }}>{name}</Table.Th>
              <Table.Td className="breakable">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

function rowsOf(contract: ToolContract): [string, ReactNode][] {
  return [
    ['tool_choice', contract.tool_choice.join(', ')],
    ['Several calls at once', yesOrNo(contract.parallel_tool_calls)],
    ['Strict schemas', yesOrNo(contract.strict_schemas)],
    [
      'Streaming of calls',
      contract.tool_streaming === 'buffered'
        ? 'Each call comes whole, once it is valid'
        : contract.tool_streaming,
    ],
    [
      'Largest arguments',
      contract.max_argument_bytes === 0
        ? 'Not tried'
        : `${contract.max_argument_bytes.toLocaleString('en')} bytes tried; larger ones are delivered when valid`,
    ],
    ['Requests at once', String(contract.certified_concurrency)],
    ['Loops of calls and answers', yesOrNo(contract.agentic_certified)],
    ['Metering rules', `Version ${contract.metering_version}`],
    ['Certification', <Certification key="certification" id={contract.certification_id} />],
  ];
}

/** Of several models the id is a joint one, which names no report. */
function Certification({ id }: { id: string }) {
  if (!/^cert_[A-Za-z0-9_-]+$/.test(id)) return id;
  return (
    <Anchor href={`/v1/certifications/${id}`} target="_blank" rel="noreferrer" size="sm">
      {id}
    </Anchor>
  );
}

function yesOrNo(is: boolean): string {
  return is ? 'Yes' : 'No';
}

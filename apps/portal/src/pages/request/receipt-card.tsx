import { Button, Code, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { CodeSample } from '../../design/code-sample';
import { saveFile } from '../../design/save-file';
import type { RequestDetail } from './request-queries';
import { SectionCard } from './section-card';

/** The receipt as it is signed for on chain, its proof, and how to check it without us. */
export function ReceiptCard({ detail: { receipt, request_id, settlement } }: { detail: RequestDetail }) {
  if (receipt === null) {
    return (
      <SectionCard title="Receipt">
        <Text size="sm">
          {settlement.state === 'nothing'
            ? 'There is none: nothing was charged.'
            : 'It is being made; look again in a moment.'}
        </Text>
      </SectionCard>
    );
  }
  const text = `${JSON.stringify(receipt, undefined, 2)}\n`;
  const fileName = `receipt-${request_id}.json`;
  return (
    <SectionCard
      title="Receipt"
      aside={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} />}
          onClick={() => saveFile(new Blob([text], { type: 'application/json' }), fileName)}
        >
          Download
        </Button>
      }
    >
      <Stack gap="sm">
        <Text size="sm">
          {receipt.settlement === null
            ? 'Its proof comes with it as soon as its batch is on chain.'
            : 'With its proof: the way from this receipt to the root that the contract keeps for its batch. Nobody can change either.'}
        </Text>
        <Code
          block
          mah={280}
          style={{ overflow: 'auto' }}
          tabIndex={0}
          role="region"
          aria-label="The receipt"
        >
          {text}
        </Code>
        {receipt.settlement !== null && (
          <>
            <Text size="sm">
              Check it against the chain alone, with the project’s own tool: it makes the receipt’s leaf,
              follows the proof and asks the contract.
            </Text>
            <CodeSample
              label="How to verify the receipt"
              samples={[{ label: 'Shell', code: `npm run verify-receipt -- ${fileName}` }]}
            />
          </>
        )}
      </Stack>
    </SectionCard>
  );
}

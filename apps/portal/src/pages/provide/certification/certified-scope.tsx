import { Alert, Text } from '@mantine/core';
import { IconRosetteDiscountCheck } from '@tabler/icons-react';
import type { components } from '../../../api/generated/schema';
import { showDuration } from '../../../design/time';
import { When } from '../../../design/when';

type Scope = components['schemas']['CertifiedScopeReply'];

/** What the offer may serve. */
export function CertifiedScope({ scope, validUntil }: { scope: Scope; validUntil: string | undefined }) {
  return (
    <Alert color="teal" variant="light" icon={<IconRosetteDiscountCheck />} title="Certified">
      <Text size="sm">{scopeWords(scope).join(', ')}.</Text>
      {validUntil !== undefined && (
        <Text size="sm" c="dimmed">
          Good until <When at={validUntil} absolute inherit />; it is renewed by itself while the offer
          serves.
        </Text>
      )}
    </Alert>
  );
}

function scopeWords(scope: Scope): string[] {
  const { capabilities, tool_contract: contract } = scope;
  return [
    `${scope.concurrency} ${scope.concurrency === 1 ? 'request' : 'requests'} at once`,
    `${showDuration(scope.first_token_ms)} to the first token`,
    `${Math.round(scope.tokens_per_second)} tokens per second`,
    ...(capabilities.tools && contract ? [`tools (${contract.tool_choice.join(', ')})`] : ['no tools']),
    ...(contract?.parallel_tool_calls ? ['parallel calls'] : []),
    ...(contract?.strict_schemas ? ['strict schemas'] : []),
    ...(contract && contract.max_argument_bytes > 0
      ? [`arguments up to ${contract.max_argument_bytes.toLocaleString('en')} bytes`]
      : []),
    ...(capabilities.structuredOutputs ? ['structured output'] : []),
  ];
}

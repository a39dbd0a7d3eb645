import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Address } from '../../design/address-text';
import { Amount } from '../../design/amount';
import { showDuration } from '../../design/time';
import type { AssistantTurn } from './conversation';

/** What the reply cost, who gave it, how fast, and where its receipt is. */
export function ReplyFactsLine({ turn: { facts, state } }: { turn: AssistantTurn }) {
  const { svc, usage, finishReason, firstTokenMs, totalMs, requestId, holdUsdc } = facts;
  const cost = svc?.cost_usdc ?? facts.chargedUsdc;
  return (
    <Group gap="2px 8px" fz="xs" c="dimmed" className="figures" data-testid="reply-facts">
      {cost !== undefined && (
        <Text component="span" inherit c="var(--mantine-color-text)" data-testid="reply-cost">
          <Amount of={{ usdc: cost }} />
        </Text>
      )}
      {svc?.provider !== undefined && svc.provider !== '' && (
        <span>
          by <Provider provider={svc.provider} />
        </span>
      )}
      {svc?.served && <span className="breakable">with {svc.served.model}</span>}
      {firstTokenMs !== undefined && <span>first token {showDuration(firstTokenMs)}</span>}
      {totalMs !== undefined && <span>{showDuration(totalMs)} in all</span>}
      {usage && (
        <span>
          {usage.prompt_tokens.toLocaleString('en')} + {usage.completion_tokens.toLocaleString('en')} tokens
        </span>
      )}
      {finishReason === 'length' && <span>cut off: it reached the longest answer</span>}
      {state === 'stopped' && <span>stopped; what was written until then is charged</span>}
      {requestId !== undefined && holdUsdc === undefined && <span className="breakable">{requestId}</span>}
      {requestId !== undefined && holdUsdc !== undefined && (
        <Anchor component={Link} to={`/usage/${encodeURIComponent(requestId)}`} inherit underline="always">
          Request
        </Anchor>
      )}
    </Group>
  );
}

/** A wallet, or the word for a managed vendor. */
function Provider({ provider }: { provider: string }) {
  return /^0x[0-9a-fA-F]{40}$/.test(provider) ? <Address value={provider} /> : <>{provider}</>;
}

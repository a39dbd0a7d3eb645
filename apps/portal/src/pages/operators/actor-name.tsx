import { Group, Text } from '@mantine/core';
import { Address } from '../../design/address-text';
import { CopyButton } from '../../design/copy';

const LONGEST = 24;

/** Who did something or to what it was done: a wallet, an id, a name. Only text, whoever wrote it. */
export function ActorName({ actor }: { actor: string }) {
  if (/^0x[0-9a-f]{40}$/.test(actor)) return <Address value={actor} />;
  if (!/^[a-z]{3}_[0-9a-f]{32}$/.test(actor)) {
    return (
      <Text component="span" inherit className={actor.length > LONGEST ? 'breakable' : 'unbroken'}>
        {actor}
      </Text>
    );
  }
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
      <Text component="span" inherit ff="monospace" title={actor} className="unbroken">
        {actor.slice(0, 12)}…
      </Text>
      <CopyButton value={actor} label="id" />
    </Group>
  );
}

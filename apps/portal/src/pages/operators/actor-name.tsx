import { Text } from '@mantine/core';
import { Address } from '../../design/address-text';

/** Who did something: a wallet, a person's name, or the marketplace itself. Only text, whoever wrote it. */
export function ActorName({ actor }: { actor: string }) {
  if (/^0x[0-9a-f]{40}$/.test(actor)) return <Address value={actor} />;
  return (
    <Text component="span" inherit className="breakable">
      {actor}
    </Text>
  );
}

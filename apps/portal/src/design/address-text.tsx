import { Anchor, Group, Text } from '@mantine/core';
import { useConfig } from '../api/config';
import { explorerLink, shorten } from './address';
import { CopyButton } from './copy';

interface AddressProps {
  value: string;
  kind?: 'address' | 'tx';
  /** All of it instead of its two ends. */
  full?: boolean;
}

/** An address or a transaction: shortened, copied with one click, linked to the chain's explorer where there is one. */
export function Address({ value, kind = 'address', full = false }: AddressProps) {
  const link = explorerLink(useConfig().chain.explorer_url, kind, value);
  const shown = full ? value : shorten(value);
  const wrapping = full ? 'breakable' : 'unbroken';
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
      {link === undefined ? (
        <Text component="span" inherit ff="monospace" title={value} className={wrapping}>
          {shown}
        </Text>
      ) : (
        <Anchor
          href={link}
          target="_blank"
          rel="noreferrer"
          inherit
          ff="monospace"
          title={value}
          className={wrapping}
        >
          {shown}
        </Anchor>
      )}
      <CopyButton value={value} label={kind === 'tx' ? 'transaction' : 'address'} />
    </Group>
  );
}

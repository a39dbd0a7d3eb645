import { Box, Button, Stack, Text } from '@mantine/core';
import { IconFlask, IconWallet } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { WalletOffer } from './discovery';
import { useWallet } from './use-wallet';

interface WalletButtonsProps {
  onChoose: (offer: WalletOffer) => void;
  /** The id of the one that is being asked. */
  busy: string | undefined;
}

/** One button a wallet; development wallets apart, with what they are. */
export function WalletButtons({ onChoose, busy }: WalletButtonsProps) {
  const { offers } = useWallet();
  const button = (offer: WalletOffer) => (
    <Button
      key={offer.id}
      variant="default"
      size="md"
      justify="flex-start"
      leftSection={iconOf(offer)}
      onClick={() => onChoose(offer)}
      loading={busy === offer.id}
      disabled={busy !== undefined && busy !== offer.id}
    >
      {offer.name}
    </Button>
  );
  const real = offers.filter((offer) => !offer.isDevelopment);
  const development = offers.filter((offer) => offer.isDevelopment);
  return (
    <Stack gap="md">
      {real.length > 0 && <Stack gap="xs">{real.map(button)}</Stack>}
      {real.length === 0 && development.length === 0 && <NoWallet />}
      {development.length > 0 && (
        <Stack gap="xs">
          <Text size="sm" c="dimmed" id="development-wallets">
            Wallets of this local chain, to try everything with nothing installed. They sign without asking;
            their keys are public and their USDC is worth nothing.
          </Text>
          <Stack gap="xs" role="group" aria-labelledby="development-wallets">
            {development.map(button)}
          </Stack>
        </Stack>
      )}
    </Stack>
  );
}

function iconOf({ icon, isDevelopment }: WalletOffer): ReactNode {
  if (icon !== undefined) return <Box component="img" src={icon} w={20} h={20} alt="" />;
  return isDevelopment ? <IconFlask size={20} aria-hidden /> : <IconWallet size={20} aria-hidden />;
}

function NoWallet() {
  return (
    <Text size="sm">
      No wallet was found in this browser. Install one, such as a wallet extension that supports EIP-6963,
      then reload this page. A wallet’s own built-in browser works too.
    </Text>
  );
}

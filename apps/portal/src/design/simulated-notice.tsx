import { Alert } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { useConfig } from '../api/config';

/** On a market of this machine alone, whose demo models are no language models: nobody should wonder at their answers. */
export function SimulatedNotice() {
  if (!useConfig().chain.is_local) return null;
  return (
    <Alert variant="default" icon={<IconFlask size={18} />} mb="md" py="xs">
      A market on your machine: its demo models are simulated and say so, and its USDC is worth nothing.
    </Alert>
  );
}

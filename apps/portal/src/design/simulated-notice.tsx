import { Alert } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import { useConfig } from '../api/config';

/** On a market of this machine alone, whose demo models are no language models: nobody should wonder at their answers. */
export function SimulatedNotice() {
  if (!useConfig().chain.is_local) return null;
  return (
    <Alert color="gray" variant="light" icon={<IconFlask size={18} />} mb="md" py="xs">
      This market runs on your machine. Its demo models are simulated: they count, charge and call tools like
      real ones, but what they say is made up of templates. The USDC here is worth nothing.
    </Alert>
  );
}

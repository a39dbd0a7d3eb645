import { Alert } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { IconWifiOff } from '@tabler/icons-react';

/** Says that the browser has no connection; what is on the screen stays. */
export function OfflineBanner() {
  const { online } = useNetwork();
  return (
    <div role="status" aria-live="polite">
      {!online && (
        <Alert color="yellow" variant="light" icon={<IconWifiOff />} mb="md" title="You are offline">
          What you see may be out of date. It is brought up to date when the connection is back.
        </Alert>
      )}
    </div>
  );
}

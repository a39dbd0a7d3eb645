import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { announce } from '../../design/announcer';
import { notify } from '../../design/notify';
import { saveFile } from '../../design/save-file';
import { fetchCsv } from './usage-queries';
import type { UsageView } from './usage-view';

/** All requests of the view, as a file. */
export function DownloadCsv({ view }: { view: UsageView }) {
  const [busy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    announce('The file is being prepared');
    try {
      saveFile(await fetchCsv(view), `usage-${new Date().toISOString().slice(0, 10)}.csv`);
    } catch (error) {
      notify.failed('The file could not be made', error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} />}
      loading={busy}
      onClick={() => void download()}
    >
      Download CSV
    </Button>
  );
}

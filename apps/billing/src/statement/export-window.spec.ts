import { USAGE_EXPORT } from '@svc/contracts';
import { ExportWindow } from './export-window';

function full(silenceMs?: number): ExportWindow {
  const window = new ExportWindow(silenceMs);
  for (let sent = 0; sent < USAGE_EXPORT.windowChunks; sent++) window.sent();
  return window;
}

describe('the window of an export', () => {
  it('has room until it is full, and again with each acknowledgement', async () => {
    const window = full();
    let found: string | undefined;
    const waiting = window.room().then((room) => (found = room));
    await Promise.resolve();
    expect(found).toBeUndefined();
    window.acknowledged();
    expect(await waiting).toBe('room');
  });

  it('is not made larger by acknowledging what was never sent', async () => {
    const window = new ExportWindow(1);
    window.acknowledged();
    for (let sent = 0; sent < USAGE_EXPORT.windowChunks; sent++) window.sent();
    expect(await window.room()).toBe('silent');
  });

  it('ends for good: stopped, gone, or silent', async () => {
    const stopped = full();
    const waiting = stopped.room();
    stopped.end('stopped');
    expect(await waiting).toBe('stopped');
    stopped.acknowledged();
    expect(await stopped.room()).toBe('stopped');
    const gone = new ExportWindow();
    gone.end('gone');
    expect(await gone.room()).toBe('gone');
    expect(await full(1).room()).toBe('silent');
  });
});

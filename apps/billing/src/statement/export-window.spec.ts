import { USAGE_EXPORT } from '@svc/contracts';
import { ExportWindow } from './export-window';

const patient = { silenceMs: 120_000, askEveryMs: 60_000 };
const impatient = { ...patient, silenceMs: 1 };
const nothing = () => undefined;

function full(times = patient, askPresence: () => void = nothing): ExportWindow {
  const window = new ExportWindow(askPresence, times);
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
    const window = new ExportWindow(nothing, impatient);
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
    const gone = new ExportWindow(nothing, patient);
    gone.end('gone');
    expect(await gone.room()).toBe('gone');
    expect(await full(impatient).room()).toBe('silent');
  });

  it('asks again and again whether anybody is there, only while it waits', async () => {
    const asked = jest.fn();
    const window = full({ ...patient, askEveryMs: 1 }, () => {
      asked();
      if (asked.mock.calls.length === 3) window.end('gone');
    });
    expect(asked).not.toHaveBeenCalled();
    expect(await window.room()).toBe('gone');
    expect(asked).toHaveBeenCalledTimes(3);
  });
});

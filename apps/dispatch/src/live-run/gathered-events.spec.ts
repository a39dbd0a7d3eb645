import { EventShell } from '@svc/contracts';
import { GatheredEvents } from './gathered-events';

const shell = new EventShell('data: {"text":"', '"}');
const other = new EventShell('data: {"other":"', '"}');

/** As the parts of a stream come. */
function gathered(parts: readonly [text: string, shell?: EventShell][]): GatheredEvents {
  const events = new GatheredEvents();
  for (const [text, around] of parts) events.add(text, around);
  return events;
}

describe('GatheredEvents', () => {
  const mixed: [string, EventShell?][] = [
    ['é', shell],
    ['b', shell],
    ['c', other],
    ['data: ready\n\n'],
    ['d', shell],
  ];
  const asText =
    'data: {"text":"é"}\n\ndata: {"text":"b"}\n\ndata: {"other":"c"}\n\ndata: ready\n\ndata: {"text":"d"}\n\n';

  it('are given back in their order, whatever stands around them', () => {
    const events = gathered(mixed);
    expect(events.toString()).toBe(asText);
    expect(events.bytes).toBe(Buffer.byteLength(asText));
    expect(events.pack(1_000)?.bytes).toBe(events.bytes);
    const moved = new GatheredEvents();
    events.moveTo(moved.add);
    expect([events.toString(), events.length, moved.toString()]).toEqual(['', 0, asText]);
  });

  it('are packed where that is shorter, and no more than is wanted of them', () => {
    expect(gathered([['a', shell]]).pack(1_000)).toBeUndefined();
    expect(gathered([['data: ready\n\n']]).pack(1_000)).toBeUndefined();
    const events = gathered(mixed);
    expect(events.pack(events.bytes)).toBeDefined();
    expect(events.pack(events.bytes - 1)).toBeUndefined();
  });

  it('begin anew once they are cleared, with any shell', () => {
    const events = gathered(mixed);
    events.clear();
    events.add('x', other);
    events.add('y', other);
    expect(events.toString()).toBe(other.around(['x', 'y']));
  });
});

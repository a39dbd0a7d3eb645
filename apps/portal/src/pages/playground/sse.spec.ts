import { EventReader } from './sse';

/** What comes of a text that arrives in pieces of this size. */
function read(text: string, size = text.length): string[] {
  const reader = new EventReader();
  const events: string[] = [];
  for (let at = 0; at < text.length; at += size) events.push(...reader.push(text.slice(at, at + size)));
  return events;
}

describe('EventReader', () => {
  const text =
    ': keep-alive\n\ndata: {"a":"é漢🙂"}\n\nevent: x\ndata: one\ndata: two\nid: 7\n\ndata:[DONE]\n\n';
  const events = ['{"a":"é漢🙂"}', 'one\ntwo', '[DONE]'];

  it.each([1, 2, 3, 7, 1000])('reads events that come in pieces of %i', (size) => {
    expect(read(text, size)).toEqual(events);
    expect(read(text.replaceAll('\n', '\r\n'), size)).toEqual(events);
    expect(read(text.replaceAll('\n', '\r'), size)).toEqual(events);
  });

  it('gives an event when it is whole, and not before', () => {
    const reader = new EventReader();
    expect(reader.push('data: 1\n')).toEqual([]);
    expect(reader.push('\ndata: 2')).toEqual(['1']);
    expect(reader.push('\n\n')).toEqual(['2']);
  });

  it('takes away one space, and keeps what else there is', () => {
    expect(read('data:  x \n\ndata\n\ndata:\n\n')).toEqual([' x ', '', '']);
  });

  it('leaves out what has no data', () => {
    expect(read('\n\n:\n\nevent: ping\n\nretry: 5\n\n')).toEqual([]);
  });
});

import { EventShell, packEvents, unpackEvents } from './event-shell';

describe('packed events', () => {
  const shell = new EventShell('data: {"é":"', '"}');
  const many = Array.from({ length: 300 }, (_, index) => `text ${index}`);

  it.each([
    ['one', ['a'], ''],
    ['some', ['', '漢🙂', 'c d'], ''],
    ['many, and ready ones', many, 'data: {"last":"ü"}\n\ndata: [DONE]\n\n'],
    ['none, and ready ones', [], 'data: [DONE]\n\n'],
  ])('are unpacked to what they were, of which the size is known: %s', (_, texts, rest) => {
    const { packed, bytes } = packEvents(shell, texts, rest);
    const unpacked = unpackEvents(packed);
    expect(unpacked?.toString()).toBe(texts.map((text) => `data: {"é":"${text}"}\n\n`).join('') + rest);
    expect(unpacked?.length).toBe(bytes);
    expect(shell.around(texts) + rest).toBe(unpacked?.toString());
  });

  it('are the same text for every version', () => {
    const text = 'data: {"é":"\n"}\n2\na\n漢\ndata: [DONE]\n\n';
    expect(packEvents(shell, ['a', '漢'], 'data: [DONE]\n\n').packed.toString()).toBe(text);
    const events = 'data: {"é":"a"}\n\ndata: {"é":"漢"}\n\ndata: [DONE]\n\n';
    expect(unpackEvents(Buffer.from(text))?.toString()).toBe(events);
  });

  it('take less room', () => {
    const texts = Array.from({ length: 50 }, () => 'word');
    expect(packEvents(shell, texts, '').packed.length).toBeLessThan(shell.around(texts).length / 2);
  });

  it.each(['', 'before', 'before\nafter', 'before\nafter\n1\ntext', 'before\nafter\nx\ntext\n'])(
    'are not seen in anything else: %j',
    (text) => expect(unpackEvents(Buffer.from(text))).toBeUndefined(),
  );
});

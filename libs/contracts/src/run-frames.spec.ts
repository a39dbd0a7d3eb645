import { EventShell, packEvents } from './event-shell';
import { decodeFrame, encodeFrame } from './run-frames';

describe('run frames', () => {
  it('survive the wire, with any payload', () => {
    for (const payload of ['', 'data: {"a":"é漢🙂"}\n\n', Buffer.from([0, 255, 10])]) {
      const bytes = encodeFrame({ type: 'data', sequence: 4_000_000_000, instanceId: 'abcd1234', payload });
      const frame = decodeFrame(new Uint8Array(bytes));
      expect(frame).toMatchObject({ type: 'data', sequence: 4_000_000_000, instanceId: 'abcd1234' });
      expect(frame?.payload.equals(Buffer.from(payload))).toBe(true);
    }
  });

  it.each([
    ['accepted', 'a'],
    ['data', 'd'],
    ['end', 'e'],
    ['failure', 'f'],
  ] as const)('are the same bytes for every version: %s', (type, letter) => {
    const bytes = encodeFrame({ type, sequence: 258, instanceId: 'abcd1234', payload: 'x' });
    expect(bytes.toString('latin1')).toBe(`${letter}\0\0\x01\x02abcd1234x`);
  });

  it('come with what was packed for the way as a client gets it', () => {
    const { packed } = packEvents(new EventShell('data: "', '"'), ['é', '漢'], 'data: [DONE]\n\n');
    const bytes = encodeFrame({
      type: 'end',
      sequence: 3,
      instanceId: 'abcd1234',
      payload: packed,
      isPacked: true,
    });
    expect(bytes.toString('latin1', 0, 1)).toBe('E');
    const frame = decodeFrame(bytes);
    expect(frame).toMatchObject({ type: 'end', sequence: 3, instanceId: 'abcd1234' });
    expect(frame?.payload.toString()).toBe('data: "é"\n\ndata: "漢"\n\ndata: [DONE]\n\n');
    expect(decodeFrame(bytes.subarray(0, 20))).toBeUndefined();
  });

  it('refuse what is no frame', () => {
    const bytes = encodeFrame({ type: 'accepted', sequence: 0, instanceId: 'abcd1234', payload: '' });
    for (let length = 0; length < bytes.length; length++) {
      expect(decodeFrame(bytes.subarray(0, length))).toBeUndefined();
    }
    expect(decodeFrame(Buffer.from('{"not":"a frame at all"}'))).toBeUndefined();
    expect(() => encodeFrame({ type: 'end', sequence: 0, instanceId: 'short', payload: '' })).toThrow(
      RangeError,
    );
  });
});

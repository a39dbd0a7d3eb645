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

  it('refuse what is no frame', () => {
    expect(decodeFrame(new Uint8Array())).toBeUndefined();
    expect(decodeFrame(Buffer.from('{"not":"a frame at all"}'))).toBeUndefined();
    expect(() => encodeFrame({ type: 'end', sequence: 0, instanceId: 'short', payload: '' })).toThrow(
      RangeError,
    );
  });
});

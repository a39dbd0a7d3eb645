import { Remembered } from './remembered';

describe('what is remembered', () => {
  it('is bounded: those that came first go first, once', () => {
    const remembered = new Remembered();
    for (let index = 0; index < 10_000; index++) remembered.add(`name_${index}`);
    remembered.add('name_9999');
    expect(remembered.has('name_0')).toBe(true);
    remembered.add('another');
    expect([remembered.has('name_0'), remembered.has('name_1')]).toEqual([false, true]);
    remembered.delete('name_1');
    remembered.add('one more');
    expect([remembered.has('name_1'), remembered.has('name_2')]).toEqual([false, true]);
  });
});

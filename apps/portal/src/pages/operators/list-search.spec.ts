import { listForm } from './list-search';

describe('what an operator looks for in a list', () => {
  const form = listForm('of', ['catalogue', 'billing'], 8);
  const from = (search: string) => form.from(new URLSearchParams(search));

  it.each([
    [{ text: '', part: 'catalogue' as const }, ''],
    [{ text: 'a b&c', part: 'catalogue' as const }, 'q=a+b%26c'],
    [{ text: '', part: 'billing' as const }, 'of=billing'],
    [{ text: '0x12', part: 'billing' as const }, 'q=0x12&of=billing'],
  ])('%j stands in the address as "%s", and is read from it', (looked, search) => {
    expect(form.to(looked).toString()).toBe(search);
    expect(from(search)).toEqual(looked);
  });

  it('takes what does not fit as if it were not there, and no more text than the server takes', () => {
    expect(from('of=nothing&q=123456789')).toEqual({ text: '12345678', part: 'catalogue' });
  });
});

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { CodedModelList } from './coded-model-list';

const cards = ['a', 'b', 'c'].map((id) => Buffer.from(JSON.stringify({ id })));
const document = { object: 'list', data: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] };

describe('CodedModelList', () => {
  it('is sent as it is until it is compressed', async () => {
    const list = CodedModelList.of(cards);
    const plain = list.in(undefined);
    expect(JSON.parse(plain.body.toString())).toEqual(document);
    expect(list.in('br')).toEqual(plain);
    await list.compress();
    expect(list.in(undefined)).toEqual(plain);
    expect(JSON.parse(brotliDecompressSync(list.in('br').body).toString())).toEqual(document);
    expect(JSON.parse(gunzipSync(list.in('gzip').body).toString())).toEqual(document);
  });

  it('has a strong tag of its own in each coding, the same for the same list', async () => {
    const [one, other] = [CodedModelList.of(cards), CodedModelList.of(cards)];
    await Promise.all([one.compress(), other.compress()]);
    const tagsOf = (list: CodedModelList) =>
      [undefined, 'br' as const, 'gzip' as const].map((c) => list.in(c).etag);
    expect(new Set(tagsOf(one)).size).toBe(3);
    expect(tagsOf(one)).toEqual(tagsOf(other));
    for (const tag of tagsOf(one)) expect(tag).toMatch(/^"[\w-]+"$/);
    expect(one.in('br').coding).toBe('br');
    expect(one.in(undefined).coding).toBeUndefined();
  });

  it('may be empty', () => {
    expect(JSON.parse(CodedModelList.of([]).in(undefined).body.toString())).toEqual({
      object: 'list',
      data: [],
    });
  });
});

import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { SiteFiles } from './site-files';

const PATH = 'assets/page-a1b2c3.js';

describe('the files of the page', () => {
  let directory: string;
  let files: SiteFiles;
  const write = (path: string, content: string | Buffer) => writeFileSync(join(directory, path), content);

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'svc-site-'));
    mkdirSync(join(directory, 'assets'));
    files = new SiteFiles(directory);
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it.each([undefined, 'gzip'])('are read once, however many replies hold them (%s)', async (coding) => {
    write(PATH, 'the page');
    write(`${PATH}.gz`, gzipSync('the page'));
    const [first, second] = await Promise.all([files.find(PATH, coding), files.find(PATH, coding)]);
    const third = await files.find(PATH, coding);
    expect(first?.contentEncoding).toBe(coding);
    expect(first?.body).toBeInstanceOf(Buffer);
    expect(second?.body).toBe(first?.body);
    expect(third?.body).toBe(first?.body);
    expect(third?.etag).toBe(first?.etag);
  });

  it('are seen when they are built, and when they are built anew', async () => {
    expect([await files.find(PATH, undefined), await files.page()]).toEqual([undefined, undefined]);
    write(PATH, 'one');
    write('index.html', '<p>one</p>');
    expect((await files.find(PATH, undefined))?.body.toString()).toBe('one');
    expect(await files.page()).toBe('<p>one</p>');
    const { etag } = (await files.find(PATH, undefined)) ?? {};
    write(PATH, 'another');
    write('index.html', '<p>another</p>');
    const anew = await files.find(PATH, undefined);
    expect(anew?.body.toString()).toBe('another');
    expect(anew?.etag).not.toBe(etag);
    expect(await files.page()).toBe('<p>another</p>');
    rmSync(join(directory, PATH));
    expect(await files.find(PATH, undefined)).toBeUndefined();
  });

  it('are read again when they could not be read once', async () => {
    const full = join(directory, PATH);
    // There, and not to be read.
    mkdirSync(full);
    utimesSync(full, 1_000, 1_000);
    const { size } = statSync(full);
    expect(await files.find(PATH, undefined)).toBeUndefined();
    rmSync(full, { recursive: true });
    write(PATH, 'x'.repeat(size));
    utimesSync(full, 1_000, 1_000);
    expect((await files.find(PATH, undefined))?.body).toHaveLength(size);
  });
});

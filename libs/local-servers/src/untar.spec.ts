import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untar } from './untar';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'svc-untar-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A block of POSIX.1-1988 (ustar): name 0–99, mode 100–107, size 124–135, type 156. */
function entry(name: string, content: string, type = '0'): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000755\0', 100);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write(type, 156);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content);
  return Buffer.concat([header, body]);
}
const archive = (...entries: Buffer[]) => Buffer.concat([...entries, Buffer.alloc(1024)]);

describe('untar', () => {
  it('writes files, in their folders, with their modes', () => {
    const long = 'x'.repeat(700);
    untar(archive(entry('lib/', '', '5'), entry('lib/a', long), entry('b', 'bee')), folder);
    expect(readFileSync(join(folder, 'lib/a'), 'utf8')).toBe(long);
    expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('bee');
    expect(statSync(join(folder, 'b')).mode & 0o777).toBe(0o755);
  });

  it('writes nothing outside the folder', () => {
    expect(() => untar(archive(entry('../evil', 'x')), folder)).toThrow('leads out of the archive');
  });
});

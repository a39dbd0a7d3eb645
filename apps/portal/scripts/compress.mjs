/** Puts a .br and a .gz beside each text file of a folder, so that nobody compresses while a browser waits. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const text = /\.(js|css|html|svg|json|txt)$/;
const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

export async function compressAll(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && text.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  // index.html is filled in for each reply, so a compressed copy of it would be of no use.
  await Promise.all(files.filter((file) => !file.endsWith('index.html')).map(compress));
}

async function compress(file) {
  const bytes = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${file}.br`, await toBrotli(bytes, { params }));
  writeFileSync(`${file}.gz`, await toGzip(bytes, { level: 9 }));
}
